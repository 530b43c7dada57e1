import { type DeliveryOptions, type GiveUpStatus, RETRY_DELAY_MS, rangeOf, TIMEOUT_MS } from "./delivery-options.ts";
import { describeDurationProblem, parseDuration, writeDuration } from "./duration.ts";
import { formatInstant, parseInstant } from "./instant.ts";

/** Delivery options as they are typed into a form. An empty text is by the account's settings. */
export type DeliveryText = { timeout: string; retryDelays: string; giveUp: string; expires: string };

/** Delivery options as the API takes them. */
export type WrittenDelivery = {
  timeoutMs?: number;
  retryDelaysMs?: number[];
  giveUpStatuses?: GiveUpStatus[];
  expiresAt?: string;
  expiresIn?: string;
};

type Problem = { field: keyof DeliveryText; message: string };

export const NO_DELIVERY_TEXT: DeliveryText = { timeout: "", retryDelays: "", giveUp: "", expires: "" };

/** What is typed for an empty list. */
const NONE = "none";

/** The options that are typed; undefined without any. What cannot be read is one problem of its field, and left out. */
export function readDeliveryText(text: DeliveryText): { delivery: WrittenDelivery | undefined; problems: Problem[] } {
  const problems: Problem[] = [];
  const delivery: WrittenDelivery = {};
  const read = (field: keyof DeliveryText, to: (typed: string) => WrittenDelivery | string) => {
    const typed = text[field].trim();
    if (typed === "") return;
    const options = to(typed);
    if (typeof options === "string") problems.push({ field, message: options });
    else Object.assign(delivery, options);
  };
  read("timeout", (typed) => {
    const timeoutMs = wait(typed, TIMEOUT_MS);
    return typeof timeoutMs === "string" ? `The time for an answer ${timeoutMs}.` : { timeoutMs };
  });
  read("retryDelays", (typed) => {
    const waits = listOf(typed).map((one) => wait(one, RETRY_DELAY_MS));
    const wrong = waits.findIndex((one) => typeof one === "string");
    if (wrong >= 0) return `Wait ${wrong + 1} ${waits[wrong]}.`;
    return { retryDelaysMs: waits.filter((one) => typeof one === "number") };
  });
  read("giveUp", (typed) => {
    const giveUpStatuses = listOf(typed).map((one) => (/^\d+$/.test(one) ? Number(one) : one));
    const wrong = giveUpStatuses.findIndex((one) => rangeOf(one) === null);
    return wrong < 0
      ? { giveUpStatuses }
      : `Entry ${wrong + 1} must be a status from 300 to 599, such as 410, or a range, such as 400-404.`;
  });
  read("expires", (typed) => {
    if (parseDuration(typed) !== null) return { expiresIn: typed };
    if (parseInstant(typed) !== null) return { expiresAt: typed };
    return "The expiry must be a duration, such as 2h, or an instant, such as 2031-12-25T09:00:00Z.";
  });
  return { delivery: Object.keys(delivery).length > 0 ? delivery : undefined, problems };
}

/** Stored options as they would be typed. */
export function writeDeliveryText(options: DeliveryOptions | null): DeliveryText {
  const { timeoutMs, retryDelaysMs, giveUpStatuses, expiresAtMs, expiresInMs } = options ?? {};
  return {
    timeout: timeoutMs === undefined ? "" : writeDuration(timeoutMs),
    retryDelays: retryDelaysMs?.map(writeDuration).join(", ") ?? "",
    giveUp: giveUpStatuses?.join(", ") ?? "",
    ...(retryDelaysMs?.length === 0 && { retryDelays: NONE }),
    ...(giveUpStatuses?.length === 0 && { giveUp: NONE }),
    expires:
      expiresInMs !== undefined
        ? writeDuration(expiresInMs)
        : expiresAtMs === undefined
          ? ""
          : formatInstant(expiresAtMs),
  };
}

/** A wait of a form, ms, or what is wrong with it. The API would set one beyond the bounds to them, unseen by who typed it. */
function wait(typed: string, { min, max }: { min: number; max: number }): number | string {
  const ms = parseDuration(typed);
  if (ms === null) return describeDurationProblem(typed);
  return ms < min || ms > max ? `must be from ${writeDuration(min)} to ${writeDuration(max)}` : ms;
}

/** The entries of a list, with commas between; spaces do too. */
function listOf(typed: string): string[] {
  return typed.toLowerCase() === NONE ? [] : typed.split(/[\s,]+/).filter((one) => one !== "");
}
