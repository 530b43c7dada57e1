import PQueue, { type QueueAddOptions } from "p-queue";
import type { Planned } from "./planned.ts";
import { leavesBefore } from "./planned.ts";

/** A little over the second that the contract counts in: a slot is free again only when a whole second is over. */
const SLOT_MS = 1_001;
const IDLE_MS = 1_000;
const HELD_MIN = 64;

type Lane = {
  queue: PQueue<DueOrder, LaneOptions>;
  /** Schedules of this lane that are in memory, whatever they wait for. */
  held: number;
  idleSinceMs: number;
};

/**
 * One lane per account and environment: a p-queue whose concurrency is the account's calls per second, in due order. A
 * task runs from claim to first byte and keeps its slot until a second after it, so that no sliding second ever sees
 * more first bytes than the limit. (p-queue's own interval counts task starts by wall clock, which is something else.)
 * A task that sends nothing frees its slot at once.
 */
export function createLanes(deps: { monotonic: () => number }) {
  const lanes = new Map<string, Lane>();
  /** Slots of all lanes that are to be freed, in the order of their first bytes. */
  const leaving: { atMs: number; leave: () => void; lane: string; shard: number }[] = [];
  let firstLeaving = 0;
  let waiting = 0;

  const laneOf = (key: string): Lane => {
    let lane = lanes.get(key);
    if (!lane) {
      lane = { queue: new PQueue({ concurrency: 1, queueClass: DueOrder }), held: 0, idleSinceMs: deps.monotonic() };
      lanes.set(key, lane);
    }
    return lane;
  };

  return {
    /** Sets the limit of a lane; a changed one holds from the next start on. */
    limit(key: string, cps: number) {
      const { queue } = laneOf(key);
      if (queue.concurrency !== cps) queue.concurrency = cps;
    },

    /**
     * Lets `planned` wait for its turn, then runs `start`, which says whether it keeps the slot, and is told whether there
     * was none at first. A kept slot is given back through `planned.leaveLane`, or by `sent`.
     */
    enter(planned: Planned, start: (waited: boolean) => boolean) {
      const { queue } = laneOf(planned.lane);
      const waits = queue.size > 0 || queue.pending >= queue.concurrency;
      waiting++;
      queue
        .add(
          () => {
            waiting--;
            if (!start(waits)) return;
            return new Promise<void>((resolve) => {
              planned.leaveLane = resolve;
            });
          },
          { planned },
        )
        .catch((error) => {
          throw error;
        });
    },

    /** Says that the first byte left now: the slot is freed a second later. */
    sent(planned: Planned) {
      const { leaveLane: leave, lane, shard } = planned;
      if (leave) leaving.push({ atMs: deps.monotonic() + SLOT_MS, leave, lane, shard });
      planned.leaveLane = null;
    },

    /** First bytes of each lane of a shard whose second is not over. */
    sentOf(shard: number): Record<string, number> {
      const sent: Record<string, number> = {};
      const now = deps.monotonic();
      for (const one of leaving.slice(firstLeaving)) {
        if (one.shard === shard && one.atMs > now) sent[one.lane] = (sent[one.lane] ?? 0) + 1;
      }
      return sent;
    },

    /** Takes slots for a second for what another dispatcher has just sent of this shard's lanes. */
    occupy(shard: number, sent: Record<string, number>) {
      for (const [key, n] of Object.entries(sent)) {
        const { queue } = laneOf(key);
        if (queue.concurrency < n) queue.concurrency = n;
        for (let slot = 0; slot < n; slot++) {
          void queue.add(
            () =>
              new Promise<void>((leave) => {
                leaving.push({ atMs: deps.monotonic() + SLOT_MS, leave, lane: key, shard });
              }),
            { planned: FIRST },
          );
        }
      }
    },

    /** Frees the slots whose second is over; returns when the next one is due if somebody waits, monotonic ms. */
    runOnce(): number {
      const now = deps.monotonic();
      while (firstLeaving < leaving.length && (leaving[firstLeaving]?.atMs as number) <= now) {
        leaving[firstLeaving++]?.leave();
      }
      if (firstLeaving > 1_024 && firstLeaving * 2 > leaving.length) {
        leaving.splice(0, firstLeaving);
        firstLeaving = 0;
      }
      return waiting > 0 ? (leaving[firstLeaving]?.atMs ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
    },

    /** Whether so much of the lane is in use that a slot should be taken late. */
    isNearLimit(key: string): boolean {
      const { queue } = laneOf(key);
      return queue.size > 0 || queue.pending * 2 >= queue.concurrency;
    },

    /** How many more schedules of this lane may be kept in memory; `pressure` says how full that is in all, 0 to 1. */
    room: (key: string, pressure: number): number => heldMax(laneOf(key), pressure) - laneOf(key).held,
    /** Whether a lane that was full may be read on for. */
    isHalfEmpty: (key: string, pressure: number): boolean => laneOf(key).held * 2 <= heldMax(laneOf(key), pressure),
    hold(key: string) {
      laneOf(key).held++;
    },
    letGo(key: string) {
      const lane = laneOf(key);
      lane.held--;
      lane.idleSinceMs = deps.monotonic();
    },

    /** Drops lanes that nobody has used for a second. */
    dropIdle() {
      const now = deps.monotonic();
      for (const [key, lane] of lanes) {
        const idle = lane.held <= 0 && lane.queue.size === 0 && lane.queue.pending === 0;
        if (idle && now - lane.idleSinceMs > IDLE_MS) lanes.delete(key);
      }
    },
    size: () => lanes.size,
    /** Schedules that wait for their turn. */
    waiting: () => waiting,
  };
}

/** Twice the lane's limit where there is space, and 64 where many lanes share it. */
const heldMax = (lane: Lane, pressure: number) =>
  Math.max(lane.queue.concurrency * 2 * Math.max(1 - pressure, 0), HELD_MIN);

/** Stands before everything that waits. */
const FIRST = { sendAtMs: Number.NEGATIVE_INFINITY, id: "" } as Planned;

type Run = () => Promise<unknown>;
type LaneOptions = QueueAddOptions & { planned?: Planned };

/** The queue inside a lane: by due time, so that a late joiner that was due earlier goes first. */
class DueOrder {
  #waiting: { run: Run; planned: Planned }[] = [];

  get size() {
    return this.#waiting.length;
  }

  enqueue(run: Run, options?: Partial<LaneOptions>) {
    const planned = options?.planned as Planned;
    let low = 0;
    let high = this.#waiting.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (leavesBefore(planned, this.#waiting[middle]?.planned as Planned)) high = middle;
      else low = middle + 1;
    }
    this.#waiting.splice(low, 0, { run, planned });
  }

  dequeue(): Run | undefined {
    return this.#waiting.shift()?.run;
  }

  filter(options: Partial<LaneOptions>): Run[] {
    return this.#waiting.filter((item) => item.planned === options.planned).map((item) => item.run);
  }

  // The rest of what p-queue asks of a queue class; a lane is ordered by due time alone and nothing is taken out of it.
  setPriority(): void {}
  remove(): void {}
}
