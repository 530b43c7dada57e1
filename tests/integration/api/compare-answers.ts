import type { Answer } from "./api.ts";

/**
 * An answer without what differs from run to run: ids become numbers in the order in which `ids` meets them, instants,
 * durations, secrets and cursors their names. Messages are left out, since they are for people and may change, and the order
 * of details.
 */
export function comparable({ status, headers, body }: Answer, ids: Map<string, string> = new Map()) {
  return {
    status,
    headers: Object.fromEntries(HEADERS.map((name) => [name, headers.get(name)?.replaceAll(...IN_HEADERS)])),
    body: withoutChance(body, "", ids),
  };
}

const HEADERS = [
  ...["content-type", "allow", "www-authenticate", "retry-after"],
  ...["idempotent-replayed", "idempotency-mismatch", "link"],
];
// Seconds, the address of the service, ids and cursors.
const IN_HEADERS = [/^\d+$|<https:\/\/[^/]+|(sch|op)_[0-9a-z]{26}|after=[\w-]+/g, "…"] as const;

function withoutChance(value: unknown, name: string, ids: Map<string, string>): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutChance(item, name, ids));
    return name === "details" ? items.sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))) : items;
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([key]) => key !== "message");
    // The id of a recurrence decides how much later than its local times it fires, where it has a spread.
    const isSpread = "spread_ms" in value && Number(value.spread_ms) > 0;
    const chanceless = (key: string, child: unknown) =>
      key === "next" && isSpread && Array.isArray(child)
        ? child.map((one) => ({ ...one, fire_at: "<instant>" }))
        : withoutChance(child, key, ids);
    return Object.fromEntries(entries.map(([key, child]) => [key, chanceless(key, child)]));
  }
  if (name === "connect") return "<ms or null>";
  if (name === "t") return "<instant>";
  if (ARRANGED.has(name)) return `<${name}>`;
  if (typeof value === "number") return DURATIONS.has(name) ? "<ms>" : value;
  if (typeof value !== "string") return value;
  if (ID.test(value)) {
    if (!ids.has(value)) ids.set(value, `${value.slice(0, value.indexOf("_"))} ${ids.size}`);
    return ids.get(value);
  }
  if (name === "next_cursor") return "<cursor>";
  if (INSTANT.test(value) && !isCompared(name, value)) return "<instant>";
  if (value.startsWith("whsec_")) return "<secret>";
  return value;
}

const ID = /^(sch|op|key|acc)_[0-9a-z]{26}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/**
 * Whole minutes are compared where a scenario has set them, years from now, and whole hours as bounds of a period. Others
 * are chance: one instant in 60,000 falls on a whole minute.
 */
const isCompared = (name: string, instant: string) =>
  (BOUNDS.has(name) && instant.endsWith(":00:00.000Z")) ||
  (instant.endsWith(":00.000Z") && Math.abs(Date.parse(instant) - Date.now()) > YEAR_MS);
const BOUNDS = new Set(["from", "to"]);
const YEAR_MS = 365 * 86_400_000;
/** Values that the two accounts have from their set-up. */
const ARRANGED = new Set(["email", "emailVerified", "requests_per_minute"]);
const DURATIONS = new Set([
  "latency_ms",
  "offset_ms",
  "late",
  "late_ms",
  "claim",
  "wait",
  "first_byte",
  "ms",
  "p50",
  "p95",
  "min",
  "max",
]);
