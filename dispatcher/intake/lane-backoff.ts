import { isOfLargeBurst, isOnTimeAndSmall } from "../delivery/reserve.ts";
import type { Time } from "../runtime/clock.ts";
import { isLate, isLateForLong, lateFromMs } from "../runtime/lateness.ts";
import { MinHeap } from "../runtime/min-heap.ts";
import { INTAKE } from "../tuning/intake.ts";
import type { Lane } from "./lane.ts";
import type { MemoryUse } from "./memory.ts";

type Deps = { clock: Time; holdings: MemoryUse };

/** Lanes that found no memory and back off, until they are read again. */
export class LaneBackoff {
  readonly #deps: Deps;
  /** An entry is valid as long as its lane backs off until the same time. */
  readonly #queue = new MinHeap<{ lane: Lane; untilMs: number }>((a, b) => a.untilMs < b.untilMs);

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Whether the lane backs off. */
  has(lane: Lane): boolean {
    return lane.backoffUntilMs > this.#deps.clock.monotonic();
  }

  /**
   * Backs off a lane that found no memory. It is read again after a delay; or one second before its next schedule is due,
   * when it may use reserved memory. A large burst may not use that memory, so its lanes are read again once late.
   */
  add(lane: Lane): void {
    if (this.has(lane)) return;
    const { clock, holdings } = this.#deps;
    const nowMs = clock.now();
    const dueMs = lane.moreFromMs ?? Number.NEGATIVE_INFINITY;
    let delayMs = dueMs - INTAKE.nearMs - nowMs;
    let isRepeated = false;
    if (delayMs <= 0 && !isLate(dueMs, nowMs) && isOfLargeBurst(dueMs, holdings)) {
      delayMs = lateFromMs(dueMs) - nowMs;
    } else if (delayMs <= 0) {
      const maxMs = isLateForLong(dueMs, nowMs) ? INTAKE.backoffMaxMs : INTAKE.backoffRecentMaxMs;
      delayMs = Math.min(INTAKE.backoffMs * 2 ** lane.backoffs, maxMs);
      isRepeated = true;
    }
    this.#backOff(lane, clock.monotonic() + delayMs, isRepeated);
  }

  /** Something is due earlier than what a lane backs off for: it is read again as soon as that may use reserved memory. */
  hasten(lane: Lane): void {
    if (!this.has(lane)) return;
    const { clock, holdings } = this.#deps;
    const nowMs = clock.now();
    const dueMs = lane.moreFromMs ?? Number.POSITIVE_INFINITY;
    if (!isOnTimeAndSmall(dueMs, nowMs, holdings)) return;
    const untilMs = clock.monotonic() + Math.max(dueMs - INTAKE.nearMs - nowMs, 0);
    if (untilMs < lane.backoffUntilMs) this.#backOff(lane, untilMs, false);
  }

  /** Removes and returns lanes whose delay is over, a bounded number. */
  takeOver(): Lane[] {
    const now = this.#deps.clock.monotonic();
    const over: Lane[] = [];
    for (let next = this.#queue.peek(); next && next.untilMs <= now; next = this.#queue.peek()) {
      if (over.length >= INTAKE.atOnceMax) break;
      this.#queue.pop();
      if (next.lane.backoffUntilMs === next.untilMs) over.push(next.lane);
    }
    return over;
  }

  #backOff(lane: Lane, untilMs: number, isRepeated: boolean): void {
    lane.backOff(untilMs, isRepeated);
    this.#queue.push({ lane, untilMs });
  }
}
