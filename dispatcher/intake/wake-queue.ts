import type { Delivery } from "../delivery/delivery.ts";
import { StepQueue } from "../runtime/step-queue.ts";
import { INTAKE } from "../tuning/intake.ts";
import { Flow } from "./flow.ts";
import { NearQueue, type WakeUp } from "./near-queue.ts";

/**
 * When deliveries are woken. Deliveries of one lane to one origin are a flow: the first of them has a time, and the others
 * come behind it. So none is woken ahead of one that is due before it, however the lead changes meanwhile.
 */
export class WakeQueue {
  readonly #flows = new Map<string, Flow>();
  /** Flows whose time is still to be determined, and those that are woken some steps later. */
  readonly #ahead = new StepQueue<WakeUp>(INTAKE.wakeStepMs);
  /** Flows that are woken next. */
  readonly #near: NearQueue;

  constructor(expectsFewWith: (delivery: Delivery) => boolean) {
    this.#near = new NearQueue(expectsFewWith);
  }

  /** Adds `delivery` to its flow. Returns the flow if the delivery is its first, so that the flow needs another time. */
  add(delivery: Delivery): Flow | null {
    const key = `${delivery.lane} ${delivery.origin}`;
    let flow = this.#flows.get(key);
    if (!flow) {
      flow = new Flow(key, delivery.lane);
      this.#flows.set(key, flow);
    }
    flow.push(delivery);
    return flow.first() === delivery ? flow : null;
  }

  /** Has `flow`, whose first delivery is `first`, looked at in the step of `atMs`. */
  lookAt(flow: Flow, first: Delivery, atMs: number): void {
    if (this.#setTime(flow, atMs)) this.#ahead.push({ flow, first, atMs }, atMs);
  }

  /** Has `first`, the first delivery of `flow`, woken at `atMs`. */
  wakeAt(flow: Flow, first: Delivery, atMs: number): void {
    if (this.#setTime(flow, atMs)) this.#near.push({ flow, first, atMs });
  }

  /** Drops a flow in which nothing waits. */
  drop(flow: Flow): void {
    flow.wakeAtMs = Number.POSITIVE_INFINITY;
    if (this.#flows.get(flow.key) === flow) this.#flows.delete(flow.key);
  }

  /** Removes and returns up to `max` flows that are to be looked at by `nowMs`. They need another time. */
  takeAhead(nowMs: number, max: number): Flow[] {
    return this.#ahead.take(nowMs, max).flatMap(taken);
  }

  /** Removes and returns the next flow that is to be woken by `untilMs`. It needs another time. */
  takeNear(untilMs: number): Flow | undefined {
    for (let next = this.#near.take(untilMs); next; next = this.#near.take(untilMs)) {
      const [flow] = taken(next);
      if (flow) return flow;
    }
    return undefined;
  }

  /** When to look or wake next, epoch ms; infinity when there is nothing. */
  nextMs(): number {
    return Math.min(this.#ahead.nextMs(), this.#near.nextMs());
  }

  /** Drops deliveries that were removed, and times that are outdated. Takes linear time. */
  prune(): void {
    for (const flow of this.#flows.values()) {
      flow.prune();
      if (flow.size === 0) this.drop(flow);
    }
    this.#ahead.prune(isCurrent);
    this.#near.prune(isCurrent);
  }

  /** How many deliveries wait. Takes linear time. */
  count(): number {
    return this.#flows.values().reduce((n, flow) => n + flow.count(), 0);
  }

  /** Sets the time of `flow`. Returns false when it has this one already. */
  #setTime(flow: Flow, atMs: number): boolean {
    if (flow.wakeAtMs === atMs) return false;
    flow.wakeAtMs = atMs;
    return true;
  }
}

const isCurrent = ({ flow, atMs }: WakeUp): boolean => flow.wakeAtMs === atMs;

/** The flow of a wake-up that was taken, unless that is outdated. */
function taken(wakeUp: WakeUp): Flow[] {
  if (!isCurrent(wakeUp)) return [];
  wakeUp.flow.wakeAtMs = Number.POSITIVE_INFINITY;
  return [wakeUp.flow];
}
