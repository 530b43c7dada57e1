import { relaySettingsPatch } from "#domain/relay-settings.ts";
import type { Reply } from "../http/reply.ts";
import type { FormCall } from "../routes/form-route.ts";
import { updateOwnRelaySettings } from "./update.ts";

const ECHOED_LENGTH_MAX = 20;
const NUMBER = /^\d+(?:[.,]\d+)?$/;

/**
 * The form of the relay settings: an empty field inherits the plan's default. Redirects back with the names of the
 * fields that are no numbers and with what was typed, or with those that were clamped.
 */
export async function saveRelaySettingsByForm({ ctx, fields, goTo, finish }: FormCall): Promise<Reply> {
  const typed = Object.fromEntries(
    ["cps", "retries", "wait", "strategy", "early"].map((name) => {
      return [name, (fields.get(name) ?? "").trim().slice(0, ECHOED_LENGTH_MAX).toWellFormed()] as const;
    }),
  );
  const patch = {
    cpsLimit: parseNumber(typed.cps, 1),
    retryAttempts: parseNumber(typed.retries, 1),
    retryBackoffMs: parseNumber(typed.wait, 1_000),
    retryStrategy: typed.strategy || null,
    earlyFire: typed.early ? typed.early === "on" : null,
  };
  const parsed = relaySettingsPatch.safeParse(patch);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(({ path }) => FIELDS[String(path[0]) as keyof typeof patch]);
    return goTo("/relay", { ...typed, typed: "1", wrong: [...new Set(wrong)].join(",") });
  }
  const saved = await updateOwnRelaySettings(ctx, parsed.data);
  const clamped = (["cpsLimit", "retryAttempts", "retryBackoffMs"] as const).filter(
    (knob) => saved[knob] !== parsed.data[knob],
  );
  return finish("/relay", { result: "saved", clamped: clamped.join(",") });
}

/** The form that opens test deliveries to listeners for 7 days, or closes them. */
export async function switchTestDeliveriesByForm({ ctx, fields, finish }: FormCall): Promise<Reply> {
  const isOpen = fields.get("switch") === "on";
  await updateOwnRelaySettings(ctx, { testDeliveriesToListeners: isOpen });
  return finish("/relay", { result: isOpen ? "opened" : "closed" });
}

const FIELDS = {
  cpsLimit: "cps",
  retryAttempts: "retries",
  retryBackoffMs: "wait",
  retryStrategy: "strategy",
  earlyFire: "early",
} as const;

/** A whole number of the smaller unit, `unit` to the typed one; null when empty, NaN when it is none. */
function parseNumber(text = "", unit: number): number | null {
  if (text === "") return null;
  if (!NUMBER.test(text)) return Number.NaN;
  const value = Number(text.replace(",", ".")) * unit;
  return unit === 1 ? value : Math.round(value);
}
