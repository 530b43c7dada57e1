import { after, type DuePlace, type DueSchedule } from "#db/queries/schedules/due.ts";
import type { DueLane } from "#db/queries/schedules/due-lanes.ts";
import type { Environment } from "#domain/environment.ts";
import { laneKey } from "../delivery/delivery.ts";

/**
 * A lane that has something due soon, or had lately, and how far it was read. Times are by the database's clock, ms.
 */
export type Lane = {
  readonly key: string;
  readonly accountId: string;
  readonly env: Environment;
  readonly shard: number;
  /** Nothing of the lane that is open is due before this. Where reading begins, so that it passes no dead rows. */
  fromMs: number;
  /** Every schedule up to this place has been in memory. */
  readTo: DuePlace;
  /** Whether something of it was read. */
  isUnread: boolean;
  /** From this due time on, after `readTo`, there may be more to read; null when everything was read. */
  moreFromMs: number | null;
  /** Whether it is read again from before `readTo`. That does not wait for room. */
  isPulledBack: boolean;
  /** Whether a read is in flight, and the due time from which the lane must be read again afterwards, ms. */
  isReading: boolean;
  againFromMs: number;
  /** Schedules that came within the horizon while a read was in flight. */
  coming: Coming | null;
  /** When it may be read again after it found no memory (monotonic ms), and how often in a row it found none. */
  deferredUntilMs: number;
  deferrals: number;
  /** Its entry in a queue of lanes to be read. */
  entry: LaneEntry | null;
  /** When it was last read, last compared with the table, and last had something; monotonic ms. */
  readAtMs: number;
  comparedAtMs: number;
  usedAtMs: number;
  /** What comparisons still have to look at. */
  readonly compared: Compared;
};

/** Schedules that came within the horizon: the due times of the first and of the last one, ms. */
export type Coming = { fromMs: number; toMs: number };

/**
 * Comparisons look at what is due from `fromMs` on, epoch ms. Until `settlesAtMs` (monotonic) that is everything, and it is
 * once more at `fullAtMs`.
 */
export type Compared = { fromMs: number; settlesAtMs: number; fullAtMs: number };

/** No transaction commits a schedule later than this after it is due, but for what a former owner puts back, ms. */
export const LATE_COMMIT_MS = 60_000;

/** For this long after a lane woke, what a former owner puts back may become open, whenever it was due, ms. */
const SETTLING_MS = 60_000;

/** A lane that is to be read. An outdated entry stays in its queue until it is the head. */
export type LaneEntry = { readonly lane: Lane; readonly dueMs: number };

/** Creates a lane that was not read yet. `nowMs` is monotonic. */
export function newLane({ accountId, env, shard, dueAtMs }: DueLane, nowMs: number): Lane {
  return {
    key: laneKey({ accountId, env }),
    accountId,
    env,
    shard,
    fromMs: dueAtMs,
    readTo: placeBefore(dueAtMs),
    isUnread: true,
    moreFromMs: dueAtMs,
    isPulledBack: false,
    isReading: false,
    againFromMs: Number.POSITIVE_INFINITY,
    coming: null,
    deferredUntilMs: Number.NEGATIVE_INFINITY,
    deferrals: 0,
    entry: null,
    readAtMs: nowMs,
    comparedAtMs: nowMs,
    usedAtMs: nowMs,
    compared: { fromMs: dueAtMs - LATE_COMMIT_MS, settlesAtMs: nowMs + SETTLING_MS, fullAtMs: nowMs + SETTLING_MS },
  };
}

/** Whether no read of the lane was tried. A lane that found no memory is unread, but its due time is known. */
export const isUntried = (lane: Lane): boolean => lane.isUnread && lane.deferredUntilMs === Number.NEGATIVE_INFINITY;

/**
 * Whether a schedule that was read by id may come into memory. It may not while others of the lane that are due before
 * it were not read.
 */
export function isReached(lane: Lane, { dueAtMs, id }: DueSchedule): boolean {
  const { ms, id: last } = lane.readTo;
  return lane.moreFromMs === null || dueAtMs < ms || (dueAtMs === ms && id <= last);
}

/** Marks the lane to be read again from `ms`, because something due from then on may not be in memory. */
export function pullBack(lane: Lane, ms: number): void {
  if (lane.isReading) {
    lane.againFromMs = Math.min(lane.againFromMs, ms);
    return;
  }
  lane.moreFromMs = Math.min(lane.moreFromMs ?? Number.POSITIVE_INFINITY, ms);
  if (ms > lane.readTo.ms) return;
  lane.readTo = placeBefore(ms);
  lane.isPulledBack = true;
}

/**
 * Schedules of the lane have come within the horizon. If the lane was not read past all of them, it has more to read.
 * This may happen at any time, also between two rounds of the calendar. While a read is in flight its end is unknown,
 * so they are kept until it ends.
 */
export function readOn(lane: Lane, { fromMs, toMs }: Coming): void {
  if (lane.isReading) {
    const { coming } = lane;
    lane.coming = coming
      ? { fromMs: Math.min(coming.fromMs, fromMs), toMs: Math.max(coming.toMs, toMs) }
      : { fromMs, toMs };
    return;
  }
  if (lane.moreFromMs === null && toMs > lane.readTo.ms)
    pullBack(lane, Math.max(fromMs, Math.floor(lane.readTo.ms) + 1));
}

/** The place before everything that is due at `ms`. Instants are whole milliseconds. */
const placeBefore = (ms: number): DuePlace => after(ms - 1);
