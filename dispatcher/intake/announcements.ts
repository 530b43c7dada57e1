import type { DueLane } from "#db/queries/schedules/due-lanes.ts";
import { laneKey } from "../delivery/delivery.ts";
import type { Loop } from "../runtime/loop.ts";
import type { Calendar } from "./calendar.ts";
import type { IdsToRead } from "./ids-to-read.ts";
import type { Lanes } from "./lanes.ts";
import type { NotificationTargets } from "./notifications.ts";

/** Bounds memory: if more schedules than this are waiting to be read by id, the lane is read again instead of one more schedule. */
export const IDS_TO_READ_MAX = 5_000;

type Deps = {
  shards: { owns(shard: number): boolean };
  calendar: Calendar;
  lanes: Lanes;
  idsToRead: IdsToRead;
  listenExchanges: { answered(id: string): void };
  /** The loops that read the calendar and share the shards. */
  reading: Pick<Loop, "soon">;
  sharing: Pick<Loop, "soon">;
};

/** Acts on notifications: reads what they name, or shares the shards again. */
export class Announcements implements NotificationTargets {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  missed(): void {
    this.#deps.calendar.sweepSoon();
    this.#deps.lanes.reconcileAll();
    this.#deps.reading.soon();
  }

  shardsChanged(): void {
    this.#deps.sharing.soon();
  }

  exchangeAnswered(id: string): void {
    this.#deps.listenExchanges.answered(id);
  }

  dueInLane(due: DueLane, id: string, count: number): void {
    const { shards, lanes, idsToRead } = this.#deps;
    if (!shards.owns(due.shard)) return;
    const key = laneKey(due);
    const lane = lanes.get(key);
    if (!lane) {
      lanes.wake(due, key);
      return;
    }
    lanes.use(lane);
    // It will be read from its entry, which is at or before everything of it that is open.
    if (!lane.isPlaced) return;
    if (due.dueAtMs < lane.fromMs) {
      lanes.wake(due, key);
      return;
    }
    // A lane with more to read than there is capacity for reaches this schedule in due order.
    const isBehind = lane.moreFromMs !== null && due.dueAtMs > lane.readTo.ms && !lane.isReading;
    if (isBehind || count > 1 || idsToRead.size >= IDS_TO_READ_MAX) lanes.readAgain(lane, due.dueAtMs);
    else idsToRead.add([id]);
  }
}
