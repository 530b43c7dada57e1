import type { CronRule } from "./cron.ts";
import type { ClockChange } from "./fire-time.ts";
import { YEAR_9999_END_MS } from "./instant.ts";
import { type LocalTime, readUtc } from "./local-time.ts";
import { sha256 } from "./sha256.ts";
import { offsetMsAt, resolveLocalTime } from "./zoned-time.ts";

/** The header by which a target knows which recurrence a request is an occurrence of: its key, percent-encoded. */
export const RECURRENCE_HEADER = "X-Service-Recurrence";

/** Which instant a time of day means that the clocks skip or repeat: the first or second one, or none. */
export const ON_RECURRING_CLOCK_CHANGE = ["first", "second", "skip"] as const;

export type OnRecurringClockChange = (typeof ON_RECURRING_CLOCK_CHANGE)[number];

/** When something recurs: a cron rule in an IANA zone, until `endsAtMs` (epoch ms, inclusive; null: for ever). */
export type RecurrenceTimes = {
  rule: CronRule;
  zone: string;
  onClockChange: OnRecurringClockChange;
  endsAtMs: number | null;
};

/** One instant of a recurrence, epoch ms, and the time of day by its rule, which the clocks skip or repeat, or neither. */
export type Occurrence = { atMs: number; local: LocalTime; clockChange: ClockChange };

/**
 * The instants of a recurrence after `afterMs` (epoch ms), in order, each once. A rule whose hour is `*` or has a step
 * follows elapsed time: both of two equal times of day, and none in a gap. Any other rule is about times of day, and has one
 * instant for each, as `onClockChange` says; in a gap the one by the offset before the change, unless it is skipped.
 */
export function* occurrencesAfter(times: RecurrenceTimes, afterMs: number): Generator<Occurrence, undefined> {
  const { rule, zone, endsAtMs } = times;
  const lastMs = Math.min(endsAtMs ?? YEAR_9999_END_MS, YEAR_9999_END_MS);
  const isInRange = ({ atMs }: Occurrence) => atMs > afterMs && atMs <= lastMs;
  let pending: Occurrence[] = [];
  const startMs = afterMs + Math.min(...offsetsAround(afterMs, zone));
  for (let wallMs = rule.nextAfter(startMs - 1_000); wallMs !== null; wallMs = rule.nextAfter(wallMs)) {
    const [before, after] = offsetsAround(wallMs, zone);
    pending = merge(pending, before === after ? [ordinary(wallMs, before)] : instantsOf(times, wallMs));
    // No later time of day comes before this instant. Near a change of the clocks that is before this time's own instant.
    const settledMs = wallMs - Math.max(before, after);
    const settled = pending.filter(({ atMs }) => atMs <= settledMs);
    pending = pending.slice(settled.length);
    yield* settled.filter(isInRange);
    if (settledMs > lastMs) return;
  }
  yield* pending.filter(isInRange);
}

/** The first of them, at most `countMax`. */
export function nextOccurrences(times: RecurrenceTimes, afterMs: number, countMax: number): Occurrence[] {
  const next: Occurrence[] = [];
  // A loop, since some browsers have no `take` yet.
  for (const one of occurrencesAfter(times, afterMs)) {
    next.push(one);
    if (next.length === countMax) break;
  }
  return next;
}

/**
 * The first `countMax` of them, and between these the ones that are left out since `onClockChange` is `skip`: in a gap, the
 * instant by the offset before the change; of two equal times of day, the first one.
 */
export function nextWithLeftOut(
  times: RecurrenceTimes,
  afterMs: number,
  countMax: number,
): (Occurrence & { isLeftOut: boolean })[] {
  const mayLeaveOut = times.onClockChange === "skip" && !followsElapsedTime(times.rule);
  const all = occurrencesAfter(mayLeaveOut ? { ...times, onClockChange: "first" } : times, afterMs);
  const next = [];
  let sent = 0;
  for (const one of all) {
    const isLeftOut = mayLeaveOut && one.clockChange !== null;
    next.push({ ...one, isLeftOut });
    if (!isLeftOut) sent++;
    if (sent === countMax) break;
  }
  return next;
}

/** How much later its occurrences may fire than the rule says, ms. */
export const SPREAD_MS_MAX = 3_600_000;

/** How much later than its instants a recurrence fires, ms: a share of `spreadMs` that its id decides. */
export function spreadShareMs(id: string, spreadMs: number): number {
  return Math.floor(hashShare(id) * spreadMs);
}

/** A number from 0 to less than 1 that an id decides. */
export function hashShare(id: string): number {
  return Number.parseInt(sha256(id).slice(0, 8), 16) / 2 ** 32;
}

/** The two offsets are those before and after a change of the clocks that is less than a day away. */
function offsetsAround(epochMs: number, zone: string): [number, number] {
  return [offsetMsAt(epochMs - DAY_MS, zone), offsetMsAt(epochMs + DAY_MS, zone)];
}

function ordinary(wallMs: number, offsetMs: number): Occurrence {
  return { atMs: wallMs - offsetMs, local: readUtc(wallMs), clockChange: null };
}

/** The instants of one time of day, which is given as clocks in UTC would show it. */
function instantsOf({ rule, zone, onClockChange }: RecurrenceTimes, wallMs: number): Occurrence[] {
  const local = readUtc(wallMs);
  const at = (atMs: number, clockChange: ClockChange) => ({ atMs, local, clockChange });
  const zoned = resolveLocalTime(local, zone);
  if (zoned.kind === "once") return [at(zoned.epochMs, null)];
  const isElapsed = followsElapsedTime(rule);
  if (zoned.kind === "gap") return isElapsed || onClockChange === "skip" ? [] : [at(zoned.epochMs, "gap")];
  if (isElapsed) return [at(zoned.firstMs, "repeat"), at(zoned.secondMs, "repeat")];
  return onClockChange === "skip" ? [] : [at(onClockChange === "first" ? zoned.firstMs : zoned.secondMs, "repeat")];
}

/** Whether a rule is about elapsed time and not about times of day: its hour is `*` or has a step. */
const followsElapsedTime = ({ fields }: CronRule): boolean => /[*/]/.test(fields.hour);

/** Both lists in order, without two of one instant: a time of day moved out of a gap gives way to one that exists. */
function merge(pending: readonly Occurrence[], added: readonly Occurrence[]): Occurrence[] {
  if (pending.length === 0) return [...added];
  const byInstant = new Map(pending.map((one) => [one.atMs, one]));
  for (const one of added) {
    const known = byInstant.get(one.atMs);
    if (known === undefined || known.clockChange === "gap") byInstant.set(one.atMs, one);
  }
  return [...byInstant.values()].toSorted((a, b) => a.atMs - b.atMs);
}

const DAY_MS = 86_400_000;
