import type { DueSchedule } from "#db/queries/schedules/due.ts";
import type { DeliveryOutcome } from "#domain/settle-attempt.ts";
import type { Time } from "../runtime/clock.ts";
import { type AttemptResult, type Delivery, newDelivery } from "./delivery.ts";
import { Holdings } from "./holdings.ts";
import { type DeliveryState, type Held, IllegalTransition, isUnclaimed, NOTHING, occupies, STATES } from "./states.ts";

/** Takes over a delivery that enters its state. `from` is null for a new one. */
type Stage = (delivery: Delivery, from: DeliveryState | null) => void;

/** Which stage takes over in which state. A state that is left out needs none. */
export type Stages = { readonly [state in DeliveryState]?: Stage };

/** Called after a move that released something. */
export type Released = {
  slot: (delivery: Delivery) => void;
  connection: (delivery: Delivery) => void;
  bytes: () => void;
  memory: (delivery: Delivery) => void;
};

/**
 * Every delivery that this process knows. `move` is the only code that changes their states: it checks the move against
 * the table, counts what is acquired and released, and hands the delivery to the stage that handles its new state.
 */
export class Deliveries {
  readonly #clock: Time;
  readonly #connectionsPerPlace: number;
  readonly #all = new Set<Delivery>();
  /** The deliveries in memory, by the id of their schedule. */
  readonly #known = new Map<string, Delivery>();
  readonly #holdings: Holdings;
  #stages: Stages = {};
  #released: Released | undefined;

  /** `connectionsPerPlace` is how many connections one account may have to one origin. */
  constructor(deps: { clock: Time; connectionsPerPlace: number }) {
    this.#clock = deps.clock;
    this.#connectionsPerPlace = deps.connectionsPerPlace;
    this.#holdings = new Holdings(deps.connectionsPerPlace);
  }

  /** Sets the stages. Call it before the first delivery. */
  connect(stages: Stages, released: Released): void {
    this.#stages = stages;
    this.#released = released;
  }

  /** What all deliveries hold. Only `move` changes it. */
  get holdings(): Readonly<Holdings> {
    return this.#holdings;
  }

  /** Adds a delivery of `due`, to leave `earlyMs` ahead of its due time. Its schedule must have no other in memory. */
  add(due: DueSchedule, earlyMs: number): Delivery {
    const delivery = newDelivery(due, earlyMs, "known");
    this.#all.add(delivery);
    this.#known.set(delivery.id, delivery);
    this.#holdings.states.known++;
    this.#holdings.change(delivery, NOTHING, STATES.known.held);
    this.#stages.known?.(delivery, null);
    return delivery;
  }

  /** Moves a delivery into another state. Throws IllegalTransition when the table has no such move. */
  move(delivery: Delivery, to: DeliveryState): void {
    const from = delivery.state;
    const { held: before, next } = STATES[from];
    const { held: after } = STATES[to];
    if (!next.has(to)) throw new IllegalTransition(from, to);
    delivery.state = to;
    this.#holdings.states[from]--;
    this.#holdings.states[to]++;
    this.#holdings.change(delivery, before, after);
    if (before.memory && !after.memory) this.#known.delete(delivery.id);
    if (STATES[to].next.size === 0) this.#forget(delivery, to);
    this.#stages[to]?.(delivery, from);
    if (before.bytes && !after.bytes) this.#released?.bytes();
    if (before.slot && !after.slot) this.#released?.slot(delivery);
    if (occupies(before.connection) && !occupies(after.connection)) this.#released?.connection(delivery);
    if (before.memory && !after.memory) this.#released?.memory(delivery);
  }

  /** Ends an attempt with `outcome`. `measured` is given when its request was begun. */
  end(delivery: Delivery, outcome: DeliveryOutcome, measured?: Partial<AttemptResult>): void {
    delivery.result = {
      outcome,
      attemptedAtMs: null,
      finishedAtMs: this.#clock.now(),
      body: "",
      contentType: "",
      connectMs: null,
      firstByteMs: null,
      ...measured,
    };
    this.move(delivery, delivery.state === "sent" ? "answered" : "recording");
  }

  /** The delivery of a schedule, if it is in memory. */
  get(id: string): Delivery | undefined {
    return this.#known.get(id);
  }

  /** How many deliveries are in these states. */
  count(...states: DeliveryState[]): number {
    return states.reduce((n, state) => n + this.#holdings.states[state], 0);
  }

  /** Up to `max` deliveries in memory that `which` accepts; those that have been in memory longest come first. */
  find(which: (delivery: Delivery) => boolean, max: number): Delivery[] {
    return [...this.#known.values().filter(which).take(max)];
  }

  /** Removes the unclaimed deliveries that `which` accepts. */
  removeUnclaimed(which: (delivery: Delivery) => boolean): void {
    for (const delivery of [...this.#known.values()]) {
      if (isUnclaimed(delivery.state) && which(delivery)) this.move(delivery, "removed");
    }
  }

  /** Recounts what all deliveries hold, from their states alone. */
  recount(): Holdings {
    const recounted = new Holdings(this.#connectionsPerPlace);
    for (const delivery of this.#all) {
      recounted.states[delivery.state]++;
      recounted.change(delivery, NOTHING, STATES[delivery.state].held);
    }
    return recounted;
  }

  /**
   * How many deliveries hold what `holds` accepts, by `keyOf`; those without a key are left out. Counted from their states
   * alone.
   */
  countHolders(holds: (held: Held) => boolean, keyOf: (delivery: Delivery) => string | null): Map<string, number> {
    const counts = new Map<string, number>();
    for (const delivery of this.#all) {
      if (!holds(STATES[delivery.state].held)) continue;
      const key = keyOf(delivery);
      if (key !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return counts;
  }

  /** The earliest due time of the deliveries of each of these lanes, epoch ms. A lane without deliveries is left out. */
  oldestDueOf(lanes: ReadonlySet<string>): Map<string, number> {
    const oldest = new Map<string, number>();
    for (const { lane, dueAtMs } of this.#all) {
      if (lanes.has(lane) && !(dueAtMs >= (oldest.get(lane) ?? Number.POSITIVE_INFINITY))) oldest.set(lane, dueAtMs);
    }
    return oldest;
  }

  /** How many deliveries are in the index that `get` uses. */
  get size(): number {
    return this.#known.size;
  }

  #forget(delivery: Delivery, finalState: DeliveryState): void {
    this.#all.delete(delivery);
    this.#holdings.states[finalState]--;
  }
}
