import type { RelayDraft } from "#components/relay/relay-form.tsx";
import type { SavedRelaySettings } from "#domain/relay-settings.ts";
import type { View } from "../view.ts";

/** The values of the form: those typed but not saved, or the saved settings. */
export function draftOf(params: View["params"], saved: SavedRelaySettings): RelayDraft {
  if (params.typed === "1") {
    const { cps = "", retries = "", wait = "", strategy = "", early = "" } = params;
    return { cps, retries, wait, strategy, early };
  }
  const early = saved.earlyFire ? "on" : "off";
  return {
    cps: String(saved.cpsLimit ?? ""),
    retries: String(saved.retryAttempts ?? ""),
    wait: saved.retryBackoffMs === null ? "" : String(saved.retryBackoffMs / 1_000),
    strategy: saved.retryStrategy ?? "",
    early: saved.earlyFire === null ? "" : early,
  };
}

/** The sentences for the fields that `wrong` names. */
export function problemsOf(wrong = ""): Partial<Record<keyof RelayDraft, string>> {
  const names = wrong.split(",");
  return Object.fromEntries(Object.entries(PROBLEMS).filter(([name]) => names.includes(name)));
}

/** The message after a form of the page was sent. */
export function outcomeMessage(flash: View["flash"]): string | undefined {
  if (flash?.result === "saved") return savedMessage(flash.clamped);
  return OUTCOMES.get(flash?.result ?? "");
}

const OUTCOMES = new Map<string, string>(
  Object.entries({
    opened: "On. Test keys may receive all test deliveries for 7 days.",
    closed: "Off. Test keys receive what is sent to https://listen.invalid/ alone.",
  }),
);

/** `clamped` names the settings that were clamped to the plan's limits. */
function savedMessage(clamped = ""): string {
  const names = clamped.split(",").flatMap((knob) => CLAMPED.get(knob) ?? []);
  if (names.length === 0) return "Saved. It applies to the next attempts.";
  return `Saved, within your plan’s limits: ${names.join(", ")} was brought into its range.`;
}

const PROBLEMS: Record<keyof RelayDraft, string> = {
  cps: "Outgoing requests per second is a whole number, or empty.",
  retries: "Retries is a whole number, or empty.",
  wait: "The first wait is a number of seconds, or empty.",
  strategy: "Choose how the waits grow.",
  early: "Choose on, off, or the plan’s default.",
};

const CLAMPED = new Map<string, string>(
  Object.entries({
    cpsLimit: "outgoing requests per second",
    retryAttempts: "retries",
    retryBackoffMs: "first wait",
  }),
);
