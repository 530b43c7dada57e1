import { nextPeriodMs } from "./quota.ts";
import { type Occurrence, occurrencesAfter, type RecurrenceTimes } from "./recurrence.ts";

/** Whether a recurrence makes occurrences, was paused by its owner, or has none left. */
export const RECURRENCE_STATUSES = ["active", "paused", "ended"] as const;

export type RecurrenceStatus = (typeof RECURRENCE_STATUSES)[number];

/** What happens with instants that passed while nothing could make them: the latest one is made, or none. */
export const CATCH_UP = ["latest", "none"] as const;

/** Whether an occurrence fires while an earlier one is open, its retries included. */
export const OVERLAP = ["allow", "skip"] as const;

export const LEFT_OUT_REASONS = ["missed", "over_quota", "overlap", "not_allowed"] as const;

/**
 * Instants of a recurrence, from the first to the last one (epoch ms), that were not sent, and why. A `count` of null means
 * that there are more than were counted.
 */
export type LeftOut = { fromMs: number; toMs: number; count: number | null; reason: (typeof LEFT_OUT_REASONS)[number] };

/** Entries of this that a recurrence keeps: the newest. */
export const LEFT_OUT_MAX = 30;

/** One instant alone that was not sent. */
export const leftOutOnce = (atMs: number, reason: LeftOut["reason"]): LeftOut => ({
  ...{ fromMs: atMs, toMs: atMs, count: 1, reason },
});

/** A recurrence as a step needs it. Its schedules fire `shareMs` after their instants. */
export type SteppedRecurrence = RecurrenceTimes & {
  catchUp: (typeof CATCH_UP)[number];
  shareMs: number;
  /** How long before an instant passes the one after it is made, ms. */
  leadMs: number;
  /** The last instant that was made or left out; nothing before it is made. */
  madeUntilMs: number;
  /** It begins now, or again after a pause: `madeUntilMs` is no instant of its own. */
  isNew: boolean;
};

export type RecurrenceStep = {
  make: Occurrence[];
  /** Nothing up to this instant is to be made later. */
  fromMs: number;
  leftOut: LeftOut[];
  madeUntilMs: number;
  /** When the next step is due; null when the recurrence has ended. */
  nextStepAtMs: number | null;
};

/**
 * What is to be made of a recurrence now: its next occurrence always, and all that fire within `leadMs`. Of those that should
 * have fired by now, `catchUp` makes the latest one, or none.
 */
export function stepRecurrence(recurrence: SteppedRecurrence, nowMs: number): RecurrenceStep {
  const { shareMs, leadMs, catchUp } = recurrence;
  const firesAtMs = ({ atMs }: Occurrence) => atMs + shareMs;
  const make: Occurrence[] = [];
  const { missed, count } = findMissed(recurrence, nowMs);
  const [first, last] = [missed[0], missed.at(-1)];
  if (last !== undefined && catchUp === "latest") make.push(last);
  const leftOut = first === undefined || last === undefined ? [] : leaveOut(missed, count, catchUp);
  const fromMs = last?.atMs ?? recurrence.madeUntilMs;
  let hasMore = !recurrence.isNew && fromMs + shareMs > nowMs + leadMs;
  if (!hasMore) {
    for (const one of occurrencesAfter(recurrence, fromMs)) {
      make.push(one);
      hasMore = firesAtMs(one) > nowMs + leadMs;
      if (hasMore || make.length >= MADE_MAX) break;
    }
  }
  const madeUntilMs = make.at(-1)?.atMs ?? fromMs;
  const passesAtMs = madeUntilMs + shareMs;
  if (!hasMore && make.length < MADE_MAX && passesAtMs <= nowMs) {
    return { make, fromMs, leftOut, madeUntilMs, nextStepAtMs: null };
  }
  return { make, fromMs, leftOut, madeUntilMs, nextStepAtMs: Math.max(nowMs, passesAtMs - (hasMore ? leadMs : 0)) };
}

/**
 * What a step becomes of which the quota has refused instants (`refusedMs`; they fire `shareMs` later). Those that fire
 * in this month are left out. Those of a later month wait for its quota: the next step is due when it begins.
 */
export function withoutRefused(
  step: RecurrenceStep,
  refusedMs: readonly number[],
  { shareMs, nowMs }: { shareMs: number; nowMs: number },
): RecurrenceStep {
  const nextMonthMs = nextPeriodMs(nowMs);
  const waits = (atMs: number) => atMs + shareMs >= nextMonthMs;
  const over = refusedMs.filter((atMs) => !waits(atMs)).map((atMs) => leftOutOnce(atMs, "over_quota"));
  const leftOut = [...step.leftOut, ...over];
  const waiting = refusedMs.filter(waits);
  if (waiting.length === 0) return { ...step, leftOut };
  const waitsFromMs = Math.min(...waiting);
  const make = step.make.filter(({ atMs }) => atMs < waitsFromMs);
  return { ...step, make, leftOut, madeUntilMs: make.at(-1)?.atMs ?? step.fromMs, nextStepAtMs: nextMonthMs };
}

/**
 * How long before an instant passes the one after it is made, ms: at least 90 s. `share`, 0 to less than 1, spreads the
 * recurrences that have one instant in common, over a minute, or over two where instants are 15 minutes apart.
 */
export function leadOf(shortestMs: number, share: number): number {
  const spreadMs = shortestMs >= RARE_MS ? 2 * MINUTE_MS : MINUTE_MS;
  return LEAD_MS + Math.floor(share * spreadMs);
}

const MINUTE_MS = 60_000;
const LEAD_MS = 90_000;
const RARE_MS = 15 * MINUTE_MS;
/** Occurrences of one step. */
const MADE_MAX = 50;
/** Missed instants that are counted; listing one takes 0.07 ms. */
const MISSED_MAX = 1_000;

type Missed = { missed: Occurrence[]; count: number | null };

/** The instants that should have fired by now: all of them, or the first ones and the last. */
function findMissed(recurrence: SteppedRecurrence, nowMs: number): Missed {
  const untilMs = nowMs - recurrence.shareMs;
  const missed: Occurrence[] = [];
  for (const one of occurrencesAfter(recurrence, recurrence.madeUntilMs)) {
    if (one.atMs > untilMs) return { missed, count: missed.length };
    missed.push(one);
    if (missed.length === MISSED_MAX)
      return { missed: [...missed, ...latestBetween(recurrence, one, untilMs)], count: null };
  }
  return { missed, count: missed.length };
}

function latestBetween(recurrence: SteppedRecurrence, { atMs }: Occurrence, untilMs: number): Occurrence[] {
  for (let spanMs = 60 * MINUTE_MS; ; spanMs *= 24) {
    let last: Occurrence | undefined;
    for (const one of occurrencesAfter(recurrence, Math.max(atMs, untilMs - spanMs))) {
      if (one.atMs > untilMs) break;
      last = one;
    }
    if (last !== undefined || untilMs - spanMs <= atMs) return last === undefined ? [] : [last];
  }
}

function leaveOut(missed: readonly Occurrence[], count: number | null, catchUp: "latest" | "none"): LeftOut[] {
  const left = catchUp === "latest" ? missed.slice(0, -1) : missed;
  const [first, last] = [left[0], left.at(-1)];
  if (first === undefined || last === undefined) return [];
  return [{ fromMs: first.atMs, toMs: last.atMs, count: count === null ? null : left.length, reason: "missed" }];
}
