import type { Random } from "../helpers/random.ts";
import type { OrdinaryBehaviour } from "./behaviour.ts";

/** A PUT of another request, a pause, or the end of one. */
export type RecurrenceChange = {
  kind: "put" | "pause" | "resume";
  /** Time after the answer to the call before. */
  afterMs: number;
  /** It is made this long before the next occurrence fires (negative: after it); null: whenever that is. */
  beforeMs: number | null;
  behaviour: OrdinaryBehaviour;
};

/** A recurrence of every minute, which is put `atMs` after the start of the run. */
export type RecurrencePlan = {
  atMs: number;
  account: number;
  catchUp: "latest" | "none";
  overlap: "allow" | "skip";
  behaviour: OrdinaryBehaviour;
  changes: RecurrenceChange[];
};

/** Their occurrences are spread over the minute: about one a second fires. */
export const RECURRENCES = 60;
/** The first are put within this share of the run, at most within 20 s. */
const PUT_SHARE = 0.3;
const PUT_MS_MAX = 20_000;
const BEHAVIOURS: Record<"ok" | "slow" | "fails-once" | "resets-once", number> = {
  ...{ ok: 70, slow: 15, "fails-once": 10, "resets-once": 5 },
};

/** Draws the recurrences of a run, and what their owners change. Most changes come when an occurrence is about to leave. */
export function drawRecurrences(
  random: Random,
  { seconds, accounts }: { seconds: number; accounts: number },
): RecurrencePlan[] {
  const lastPutMs = Math.min(seconds * 1_000 * PUT_SHARE, PUT_MS_MAX);
  return Array.from({ length: RECURRENCES }, () => ({
    atMs: random.between(0, lastPutMs),
    account: Math.floor(random.next() * accounts),
    catchUp: random.pick(["latest", "latest", "none"] as const),
    overlap: random.pick(["allow", "allow", "skip"] as const),
    behaviour: random.weighted(BEHAVIOURS),
    changes: drawChanges(random, seconds * 1_000),
  }));
}

function drawChanges(random: Random, untilMs: number): RecurrenceChange[] {
  const changes: RecurrenceChange[] = [];
  const change = (kind: RecurrenceChange["kind"], afterMs: number): number => {
    const beforeMs = random.chance(0.7) ? random.between(-60, 60) : null;
    changes.push({ kind, afterMs, beforeMs, behaviour: random.weighted(BEHAVIOURS) });
    return afterMs;
  };
  for (let fromMs = 0; fromMs < untilMs; ) {
    const kind = random.weighted({ put: 3, pause: 2 });
    fromMs += change(kind, random.between(2_000, 40_000));
    if (kind === "pause") fromMs += change("resume", random.between(100, 5_000));
  }
  return changes;
}
