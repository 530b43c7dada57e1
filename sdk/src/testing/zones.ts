const DAY_MS = 86_400_000;

/** Names of three letters in the IANA database. ICU knows more: to it, BST is Bangladesh. */
const SHORT_NAMES = /^(CET|EET|EST|GMT|HST|MET|MST|PRC|ROC|ROK|UCT|UTC|WET)$/i;

/** Whether a text names an IANA zone, in any letter case. */
export function isZone(name: string): boolean {
  if (!/^(?!SystemV\/)[a-z][a-z0-9_+/-]{1,39}$/i.test(name)) return false;
  if (/^[a-z]{3}$/i.test(name) && !SHORT_NAMES.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** The instants, epoch ms, at which the clocks of a zone show a local time; of a time that they skip, the one by the offset before. */
export function instantsOf(
  localMs: number,
  zone: string,
): { first: number; second: number; change: "gap" | "repeat" | null } {
  const before = localMs - offsetAt(localMs - DAY_MS, zone);
  const after = localMs - offsetAt(localMs + DAY_MS, zone);
  const shown = [before, after].filter((ms) => ms + offsetAt(ms, zone) === localMs);
  if (!shown.length) return { first: before, second: before, change: "gap" };
  const [first, second] = [Math.min(...shown), Math.max(...shown)];
  return { first, second, change: first === second ? null : "repeat" };
}

/** The offset of a zone at an instant, in ms; positive east of Greenwich. */
function offsetAt(ms: number, zone: string): number {
  const parts: { [type: string]: number } = {};
  for (const { type, value } of formatOf(zone).formatToParts(ms)) parts[type] = +value;
  const { year, month, day, hour, minute, second } = parts as { [part in Part]: number };
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1_000) * 1_000;
}

type Part = "year" | "month" | "day" | "hour" | "minute" | "second";

function formatOf(zone: string): Intl.DateTimeFormat {
  const numeric = "numeric" as const;
  const parts = { year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric };
  return new Intl.DateTimeFormat("en-US", { timeZone: zone, hourCycle: "h23", ...parts });
}
