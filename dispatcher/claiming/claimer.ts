import { type Connection as Database, DatabaseUnavailable } from "#db/client.ts";
import { type ClaimedSchedule, claimSchedules } from "#db/queries/schedules/claim.ts";
import { CLAIM_AHEAD_MAX_MS } from "#domain/timing.ts";
import { outcomeOf } from "../delivery/connection.ts";
import type { Deliveries } from "../delivery/deliveries.ts";
import { type Delivery, DUE_ORDER, leavesBefore } from "../delivery/delivery.ts";
import { costOf } from "../delivery/holdings.ts";
import type { Metrics } from "../observability/metrics.ts";
import type { Time } from "../runtime/clock.ts";
import type { Alarm, DueStage } from "../runtime/due-work.ts";
import { isLate } from "../runtime/lateness.ts";
import { MinHeap } from "../runtime/min-heap.ts";
import { TurnQueue } from "../runtime/turn-queue.ts";
import type { ClaimCost } from "./claim-cost.ts";

/** A claim may be made so long ahead of its instant, ms: a little less than the database allows, since clocks differ. */
export const CLAIM_AHEAD_MS = CLAIM_AHEAD_MAX_MS - 10;

const ROWS_MAX = 500;
/** With fewer the statements themselves would cost more than their rows. */
const ROWS_MIN = 100;
/** A statement claims no more than what takes this long, ms: what is on time goes with the next one. */
const STATEMENT_MS = 40;
/** A claim that returns more may lie half-sent in a stopped process with its rows locked. */
const BYTES_MAX = 256 * 1024;
const IN_FLIGHT_MAX = 2;
/** A request of so many bytes costs its lane a turn more, and each time as many again. */
const TURN_BYTES = 32 * 1024;
export const CLAIMED_BYTES_MAX = 32 * 1024 * 1024;
/** After so many statements the steps of their versions begin again: no answer can still be out by then. */
const STEPS = 2 ** 20;
const DEADLINE_MS = 3_000;
/** A row that was locked, cancelled or moved is read again after this: whatever it is, its row says so. */
const READ_AGAIN_MS = 50;

type Deps = {
  database: Database;
  dispatcherId: string;
  deliveries: Deliveries;
  shards: { holds(shard: number): boolean; epochsOf(shards: number[]): Map<number, number> };
  clock: Time;
  cost: ClaimCost;
  alarm: Alarm;
  wantedReads: { add(ids: readonly string[]): void };
  metrics: Metrics;
  onError: (error: unknown) => void;
};

/**
 * Claims what is about to leave, once it may: many rows in one statement, bounded in rows and bytes. A delivery whose
 * row was not claimed (cancelled, moved, locked, claimed by another) is removed and its row read again. When the answer
 * was lost, the row may be claimed or not: it is released.
 */
export class Claimer implements DueStage {
  readonly #deps: Deps;
  /** It is too early to claim these. */
  readonly #early = new MinHeap<Delivery>(leavesBefore);
  /** These go with the next statements, in turns by lane. */
  readonly #waiting = new TurnQueue<Delivery>({
    groupOf: ({ lane }) => lane,
    ...DUE_ORDER,
    isWaiting,
    turns: ({ bytes }) => 1 + Math.floor(bytes / TURN_BYTES),
    // It is not too early to claim what is here.
    aheadMs: Number.POSITIVE_INFINITY,
  });
  /** Its turn has come, and the last statement had no room for it: it is the first of the next one. */
  #held: Delivery | undefined;
  #inFlight = 0;
  /** Lanes with overdue rows in a statement that was not answered: a second one could be answered first. */
  readonly #inFlightOf = new Map<string, readonly Delivery[]>();
  #isScheduled = false;
  #lastStep = 0;
  #stopped = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Takes a delivery that has its slot and its reservation, or that was refused: it goes with a statement once it may. */
  add(delivery: Delivery): void {
    if (this.#stopped) {
      this.#deps.deliveries.move(delivery, "removed");
    } else if (delivery.state === "refused" || opensAtMs(delivery) <= this.#deps.clock.now()) {
      this.#waiting.push(delivery);
      this.schedule();
    } else {
      this.#early.push(delivery);
      if (this.#early.peek() === delivery) this.#deps.alarm.at(opensAtMs(delivery));
    }
  }

  /** Lets those go that no longer are too early; returns when the next one is, by the database's clock, ms. */
  runDue(): number {
    for (let next = this.#early.peek(); next; next = this.#early.peek()) {
      if (opensAtMs(next) > this.#deps.clock.now()) return opensAtMs(next);
      this.#early.pop();
      this.#waiting.push(next);
      this.schedule();
    }
    return Number.POSITIVE_INFINITY;
  }

  /** There may be room for another statement. */
  schedule(): void {
    if (this.#isScheduled || this.#inFlight >= IN_FLIGHT_MAX || this.#isEmpty()) return;
    this.#isScheduled = true;
    // One turn of the loop later, so that everything that became due together goes together.
    setImmediate(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  /** Takes nothing more, and removes what it is too early to claim. What waits for a statement still goes. */
  stop(): void {
    this.#stopped = true;
    for (const delivery of this.#early.clear()) this.#deps.deliveries.move(delivery, "removed");
  }

  /** How many deliveries wait here for their claim. */
  count(): number {
    return this.#early.size + this.#waiting.count() + (this.#held && isWaiting(this.#held) ? 1 : 0);
  }

  #isEmpty(): boolean {
    return this.#waiting.size === 0 && this.#held === undefined;
  }

  #flush(): void {
    while (this.#inFlight < IN_FLIGHT_MAX) {
      const batch = this.#takeBatch();
      if (batch.length === 0) return;
      this.#inFlight++;
      this.#claim(batch)
        .catch(this.#deps.onError)
        .finally(() => {
          this.#inFlight--;
          for (const { lane } of batch) if (this.#inFlightOf.get(lane) === batch) this.#inFlightOf.delete(lane);
          this.schedule();
        });
    }
  }

  /** Takes what one statement may claim, and marks it as being claimed. Rows of a shard that is lost are read again. */
  #takeBatch(): Delivery[] {
    const { deliveries, shards, cost } = this.#deps;
    const rowsMax = Math.min(Math.max(cost.rowsWithin(STATEMENT_MS), ROWS_MIN), ROWS_MAX);
    const batch: Delivery[] = [];
    const lost: Delivery[] = [];
    let bytes = 0;
    for (let next = this.#takeNext(); next; next = this.#takeNext()) {
      if (!shards.holds(next.shard)) {
        lost.push(next);
        continue;
      }
      const { claimedBytes } = deliveries.holdings;
      const isFull = batch.length === rowsMax || (batch.length > 0 && bytes + costOf(next) > BYTES_MAX);
      if (isFull || (claimedBytes > 0 && claimedBytes + costOf(next) > CLAIMED_BYTES_MAX)) {
        this.#held = next;
        break;
      }
      bytes += costOf(next);
      deliveries.move(next, next.state === "refused" ? "claiming refused" : "claiming");
      batch.push(next);
    }
    for (const delivery of batch) if (this.#isOverdue(delivery)) this.#inFlightOf.set(delivery.lane, batch);
    this.#lose(lost);
    return batch;
  }

  #takeNext(): Delivery | undefined {
    const held = this.#held;
    this.#held = undefined;
    if (held && isWaiting(held)) {
      if (this.#mayGo(held)) return held;
      this.#waiting.push(held);
    }
    return this.#waiting.take(this.#deps.clock.now(), this.#mayGo);
  }

  /** The order within a lane is kept by claiming what is overdue in one statement after the other. */
  readonly #mayGo = (delivery: Delivery): boolean =>
    this.#inFlightOf.size === 0 || !this.#inFlightOf.has(delivery.lane) || !this.#isOverdue(delivery);

  #isOverdue({ sendAtMs }: Delivery): boolean {
    return isLate(sendAtMs, this.#deps.clock.now());
  }

  async #claim(batch: Delivery[]): Promise<void> {
    const { database, dispatcherId, shards, clock, cost, deliveries } = this.#deps;
    const startedAtMs = clock.monotonic();
    const epochs = shards.epochsOf(batch.map(({ shard }) => shard));
    // Each statement raises the version by a step of its own, so that the version names the statement.
    const step = (this.#lastStep % STEPS) + 1;
    this.#lastStep = step;
    for (const delivery of batch) delivery.claimVersion = delivery.version + step;
    let rows: ClaimedSchedule[];
    try {
      rows = await database.run(DEADLINE_MS, ({ sql }) =>
        claimSchedules(sql, dispatcherId, epochs, batch.map(requestOf), step),
      );
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      for (const delivery of batch) deliveries.move(delivery, "releasing");
      return;
    }
    const durationMs = clock.monotonic() - startedAtMs;
    cost.learn(durationMs, batch.length);
    this.#settle(batch, new Map(rows.map((row) => [row.id, row])), { startedAtMs, durationMs });
  }

  #settle(
    batch: Delivery[],
    rows: ReadonlyMap<string, ClaimedSchedule>,
    statement: { startedAtMs: number; durationMs: number },
  ): void {
    const { deliveries, metrics } = this.#deps;
    this.#lose(batch.filter(({ id }) => !rows.has(id)));
    if (rows.size > 0) metrics.claimed(rows.size);
    for (const delivery of batch) {
      const row = rows.get(delivery.id);
      if (!row) continue;
      delivery.claim = { row, ...statement };
      if (delivery.failure) deliveries.end(delivery, outcomeOf(delivery.failure));
      else deliveries.move(delivery, "claimed");
    }
  }

  #lose(lost: Delivery[]): void {
    if (lost.length === 0) return;
    for (const delivery of lost) this.#deps.deliveries.move(delivery, "removed");
    const ids = lost.map(({ id }) => id);
    setTimeout(() => this.#deps.wantedReads.add(ids), READ_AGAIN_MS);
  }
}

const opensAtMs = (delivery: Delivery): number => delivery.sendAtMs - CLAIM_AHEAD_MS;

function isWaiting({ state }: Delivery): boolean {
  return state === "admitted" || state === "refused";
}

const requestOf = ({ id, version, shard, dueAtMs, sendAtMs }: Delivery) => ({
  ...{ id, version, shard },
  earlyMs: dueAtMs - sendAtMs,
});
