import { Cron } from "croner";
import { type CronFault, type CronField, findCronFault } from "./cron-fields.ts";
import { ruleInWords } from "./rule-in-words.ts";

/** A rule of five cron fields: their texts, in capitals, and what lists the times of day that they name. */
export type CronRule = {
  fields: Record<CronField, string>;
  /** The first time after an instant, both epoch ms, read as if clocks showed UTC; null when there is none. */
  nextAfter(asUtcMs: number): number | null;
};

/**
 * Reads a cron rule: five fields, or one of `@hourly` to `@yearly`. The message of a fault says what to write instead, and
 * quotes nothing but the part that is wrong.
 */
export function parseCron(text: string): { ok: true; rule: CronRule } | { ok: false; fault: CronFault } {
  const plain = NICKNAMES.get(text.trim().toLowerCase()) ?? text;
  const known = cache.get(plain);
  if (known) return { ok: true, rule: known };
  const fault = findCronFault(plain);
  if (fault !== null) return { ok: false, fault };
  // A step of one is none: with a weekday beside it, only * leaves the day open.
  const fields = plain
    .trim()
    .toUpperCase()
    .split(/\s+/)
    .map((one) => (one === "*/1" ? "*" : one));
  const rule = listBy(fields);
  if (rule.nextAfter(0) === null) return { ok: false, fault: neverFires(text, rule) };
  if (cache.size >= CACHED_MAX) cache.clear();
  cache.set(plain, rule);
  return { ok: true, rule };
}

const NICKNAMES = new Map([
  ["@hourly", "0 * * * *"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@weekly", "0 0 * * 0"],
  ["@monthly", "0 0 1 * *"],
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
]);

/** Parsing a rule takes 0.2 ms, and the rules of a shard are read again and again. */
const CACHED_MAX = 2_000;
const cache = new Map<string, CronRule>();

/** By an offset and not a zone: croner then does not ask Intl, which takes ten times as long. */
function listBy(texts: readonly string[]): CronRule {
  const cron = new Cron(texts.join(" "), { utcOffset: 0, mode: "5-part", paused: true });
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = texts;
  return {
    fields: { minute, hour, day, month, weekday },
    nextAfter: (asUtcMs) => cron.nextRun(new Date(asUtcMs))?.getTime() ?? null,
  };
}

function neverFires(text: string, rule: Pick<CronRule, "fields">): CronFault {
  const position = (/^\s*\S+\s+\S+\s+/.exec(text)?.[0].length ?? 0) + 1;
  const { day, month } = rule.fields;
  const message = `never fires: month ${month} has no day ${day} (${ruleInWords(rule)})`;
  return { field: "day", position, message };
}
