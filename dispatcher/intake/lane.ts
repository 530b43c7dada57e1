import { after, BEFORE_ALL, type DuePlace, type DueSchedule } from "#db/queries/schedules/due.ts";
import type { DueLane } from "#db/queries/schedules/due-lanes.ts";
import type { Environment } from "#domain/environment.ts";
import { laneKey } from "../delivery/delivery.ts";

/** A lane that has something due soon, or had lately: how far it was read. Times by the database's clock, ms. */
export type Lane = {
  readonly key: string;
  readonly accountId: string;
  readonly env: Environment;
  readonly shard: number;
  /** Every schedule up to this place was in memory. */
  readTo: DuePlace;
  /** Behind `readTo` there may be more that is due soon, from here on; null when all of it was read. */
  moreFromMs: number | null;
  /** Something before what was in memory is to be read: that does not wait for room. */
  isPulledBack: boolean;
  /** A reading is under way, and what is to be read again once it ended: from here on, ms. */
  isReading: boolean;
  againFromMs: number;
  /** It found no room: it is read again from then on (monotonic ms), and how often it has found none in turn. */
  deferredUntilMs: number;
  deferrals: number;
  /** Its entry among the lanes that are to be read. */
  entry: LaneEntry | null;
  /** When it was read last, compared with the table last, and had something last; monotonic ms. */
  readAtMs: number;
  comparedAtMs: number;
  usedAtMs: number;
};

/** A lane that is to be read. One that no longer counts stays in its queue until it is first. */
export type LaneEntry = { readonly lane: Lane; readonly dueMs: number };

/** A lane that was not read yet. `nowMs` is monotonic. */
export function newLane({ accountId, env, shard, dueAtMs }: DueLane, nowMs: number): Lane {
  return {
    ...{ key: laneKey({ accountId, env }), accountId, env, shard },
    readTo: BEFORE_ALL,
    moreFromMs: dueAtMs,
    isPulledBack: false,
    isReading: false,
    againFromMs: Number.POSITIVE_INFINITY,
    deferredUntilMs: Number.NEGATIVE_INFINITY,
    deferrals: 0,
    entry: null,
    readAtMs: nowMs,
    comparedAtMs: nowMs,
    usedAtMs: nowMs,
  };
}

/** Whether nothing of the lane was read so far. */
export const isUnread = ({ readTo }: Lane): boolean => readTo === BEFORE_ALL;

/** Whether a schedule that was read by itself may come into memory: else others that are due before it would wait. */
export function isReached(lane: Lane, { dueAtMs, id }: DueSchedule): boolean {
  const { ms, id: last } = lane.readTo;
  return lane.moreFromMs === null || dueAtMs < ms || (dueAtMs === ms && id <= last);
}

/** Something of the lane may be due from `ms` on that was not in memory: it is read again from there. */
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

/** The place before everything that is due at `ms`. Instants are whole milliseconds. */
const placeBefore = (ms: number): DuePlace => (ms === Number.NEGATIVE_INFINITY ? BEFORE_ALL : after(ms - 1));
