import type { Holdings } from "../delivery/holdings.ts";
import { TurnQueue } from "../runtime/turn-queue.ts";
import type { TurnRules } from "../runtime/turn-rules.ts";
import { INTAKE } from "../tuning/intake.ts";
import type { Lane, LaneEntry } from "./lane.ts";
import { memoryOfLateMax } from "./memory.ts";

/**
 * Lanes take turns to be read, by the due time of their next schedule to read. Lanes are read ahead of time, so all
 * count as on time until late.
 */
const TURNS: TurnRules<LaneEntry> = {
  groupOf: ({ lane }) => lane.key,
  dueMs: ({ dueMs }) => dueMs,
  before: (a, b) => a.dueMs < b.dueMs,
  isWaiting: isCurrent,
  aheadMs: Number.POSITIVE_INFINITY,
};

/** The lanes that wait to be read. Above `memoryOfLateMax()`, memory is reserved for what is on time and near. */
export class LanesToRead {
  /** Lanes that were never read. The schedule that woke them may be gone already. */
  readonly #untried = new TurnQueue(TURNS);
  readonly #more = new TurnQueue(TURNS);

  /** Adds a lane whose next schedule to read is due at `dueMs`. Its earlier entry becomes outdated. */
  add(lane: Lane, dueMs: number): void {
    (lane.isUntried ? this.#untried : this.#more).push(lane.enqueue(dueMs));
  }

  /**
   * Removes and returns up to `max` lanes, no more than there is capacity for beside `memory` schedules. Lanes that were never
   * read and the others take turns, as long as there are both.
   */
  take(max: number, memory: number, nowMs: number): Lane[] {
    const capacity = Math.min(max, INTAKE.memoryMax - memory);
    const lanes: Lane[] = [];
    while (lanes.length < capacity) {
      const isReserved = memory + lanes.length >= memoryOfLateMax();
      const entry =
        lanes.length % 2 === 0
          ? (this.#takeUntried(nowMs, isReserved) ?? this.#takeMore(nowMs, isReserved))
          : (this.#takeMore(nowMs, isReserved) ?? this.#takeUntried(nowMs, isReserved));
      if (!entry) break;
      entry.lane.dequeue();
      lanes.push(entry.lane);
    }
    return lanes;
  }

  /** Whether lanes are to be read at once, and not only ten times a second. */
  isUrgent({ memory, states }: Pick<Holdings, "memory" | "states">, nowMs: number): boolean {
    if (memory >= INTAKE.memoryMax) return false;
    if (this.#mayTakeUntried(nowMs, memory >= memoryOfLateMax())) return true;
    // Late schedules would find no capacity, however many were read.
    if (states["awaiting connection"] >= INTAKE.memoryOfWaitingMax) return false;
    return this.#more.size > 0 && memory <= memoryOfLateMax() - INTAKE.readAtOnceFreeMin;
  }

  #takeMore(nowMs: number, isReserved: boolean): LaneEntry | undefined {
    return isReserved ? this.#more.takeOnTime(nowMs, nowMs + INTAKE.nearMs) : this.#more.take(nowMs);
  }

  #takeUntried(nowMs: number, isReserved: boolean): LaneEntry | undefined {
    return this.#mayTakeUntried(nowMs, isReserved) ? this.#untried.take(nowMs) : undefined;
  }

  /**
   * While memory is reserved, a lane whose first schedule is not near would find none. The lane with the smallest start tag
   * is then also the first that is due. A late lane is read: its schedule may be gone, and the next one on time.
   */
  #mayTakeUntried(nowMs: number, isReserved: boolean): boolean {
    const first = this.#untried.peek();
    return first !== undefined && !(isReserved && first.dueMs > nowMs + INTAKE.nearMs);
  }
}

function isCurrent(entry: LaneEntry): boolean {
  return entry.lane.entry === entry;
}
