import PQueue from "p-queue";
import type { Database } from "#db/client.ts";
import type { ClaimedSchedule } from "#db/queries/schedules/claim.ts";
import { CLAIM_AHEAD_MAX_MS } from "#domain/timing.ts";
import { outcomeOf } from "../delivery/connection.ts";
import type { Deliveries } from "../delivery/deliveries.ts";
import { type Claim, type Delivery, DUE_ORDER, leavesBefore } from "../delivery/delivery.ts";
import { costOf } from "../delivery/holdings.ts";
import type { Metrics } from "../observability/metrics.ts";
import type { Time } from "../runtime/clock.ts";
import type { Alarm, DueStage } from "../runtime/due-work.ts";
import { isLate } from "../runtime/lateness.ts";
import { SortedQueue } from "../runtime/sorted-queue.ts";
import { TurnQueue } from "../runtime/turn-queue.ts";
import { CLAIMING } from "../tuning/claiming.ts";
import { STATEMENTS } from "../tuning/statements.ts";
import type { ClaimCost } from "./claim-cost.ts";
import { LaneOrder, type Statement } from "./lane-order.ts";
import { type ClaimFence, ClaimStatements } from "./run-claim.ts";

/**
 * How far ahead of its instant a delivery may be claimed, ms. Fixed by what the database allows: a little less, because clocks
 * differ.
 */
export const CLAIM_AHEAD_MS = CLAIM_AHEAD_MAX_MS - 10;

/** Bounds memory: claimed requests that have not left. */
export const CLAIMED_BYTES_MAX = 32 * 1024 * 1024;

type Deps = {
  database: Database;
  /** Statements at the same time, without repeats. */
  inFlightMax: number;
  dispatcherId: string;
  deliveries: Deliveries;
  shards: ClaimFence & { holds(shard: number): boolean; isLeased(): boolean };
  clock: Time;
  cost: ClaimCost;
  alarm: Alarm;
  idsToRead: { add(ids: readonly string[]): void };
  metrics: Pick<Metrics, "claimed">;
  onError: (error: unknown) => void;
};

/**
 * Claims deliveries that are about to leave, many in one statement, with bounds in rows and bytes. A delivery whose row
 * was not claimed (cancelled, moved, locked, or claimed by another dispatcher) is removed and its row read again. When
 * an answer was lost, also those of the repeats, the rows may be claimed or not; they are released.
 */
export class Claimer implements DueStage {
  readonly #deps: Deps;
  /** Deliveries that may not be claimed yet. They become claimable together, in steps of CLAIMING.openStepMs. */
  readonly #early = new SortedQueue<Delivery>(leavesBefore);
  /** Deliveries for the next statements. Lanes take turns. */
  readonly #waiting = new TurnQueue<Delivery>({
    groupOf: ({ lane }) => lane,
    ...DUE_ORDER,
    isWaiting,
    turns: ({ bytes }) => 1 + Math.floor(bytes / CLAIMING.turnBytes),
    // Everything in this queue may already be claimed, however far ahead of its due time.
    aheadMs: Number.POSITIVE_INFINITY,
  });
  /** The delivery that no longer fitted into the last statement. It is the first of the next one. */
  #held: Delivery | undefined;
  readonly #laneOrder = new LaneOrder();
  readonly #statements: ClaimStatements;
  /** The statements under way. None waits in it: a batch is taken once its statement can be sent. */
  readonly #underWay: PQueue;
  #isScheduled = false;
  /** How many statements were sent. */
  #sent = 0;
  #stopped = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#statements = new ClaimStatements(deps);
    this.#underWay = new PQueue({ concurrency: deps.inFlightMax });
  }

  /**
   * Takes a delivery that has its slot and its reservation, or whose connection failed. It is claimed as soon as the
   * database allows.
   */
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

  /** Queues the deliveries that may be claimed now. Returns when the next one may be, by the database's clock, ms. */
  runDue(): number {
    for (let next = this.#early.peek(); next; next = this.#early.peek()) {
      if (opensAtMs(next) > this.#deps.clock.now()) return opensAtMs(next);
      this.#early.pop();
      this.#waiting.push(next);
      this.schedule();
    }
    return Number.POSITIVE_INFINITY;
  }

  /** Starts statements if there is room for another one. */
  schedule(): void {
    if (this.#isScheduled || this.#isFull() || this.#isEmpty()) return;
    this.#isScheduled = true;
    // Wait one event-loop turn, so that deliveries that became due together go together.
    setImmediate(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  /**
   * Takes nothing more, and removes deliveries that may not be claimed yet. Those that wait for a statement are still
   * claimed.
   */
  stop(): void {
    this.#stopped = true;
    for (const delivery of this.#early.clear()) this.#deps.deliveries.move(delivery, "removed");
  }

  /** How many deliveries wait here for their claim to be sent. */
  count(): number {
    return this.#early.size + this.#waiting.count() + (this.#held && isWaiting(this.#held) ? 1 : 0);
  }

  #isEmpty(): boolean {
    return this.#waiting.size === 0 && this.#held === undefined;
  }

  #isFull(): boolean {
    return this.#underWay.pending >= this.#underWay.concurrency;
  }

  #flush(): void {
    if (!this.#deps.shards.isLeased() && !this.#stopped) {
      this.#isScheduled = true;
      setTimeout(() => {
        this.#isScheduled = false;
        this.schedule();
      }, CLAIMING.againMs);
      return;
    }
    while (!this.#isFull()) {
      const batch = this.#takeBatch();
      if (batch.length === 0) return;
      const statement: Statement = { n: ++this.#sent, batch, settled: Promise.resolve(true) };
      this.#laneOrder.begin(statement, batch.filter(this.#isOverdue));
      statement.settled = this.#claim(statement)
        .catch((error) => {
          this.#deps.onError(error);
          return false;
        })
        .finally(() => {
          this.#laneOrder.end(statement);
          this.schedule();
        });
    }
  }

  /** Takes the deliveries for one statement and moves them to "claiming". Rows of a lost shard are read again. */
  #takeBatch(): Delivery[] {
    const { deliveries, shards, cost } = this.#deps;
    const rowsMax = Math.min(Math.max(cost.rowsWithin(CLAIMING.statementMs), CLAIMING.rowsMin), STATEMENTS.rowsMax);
    const batch: Delivery[] = [];
    const lost: Delivery[] = [];
    let bytes = 0;
    for (let next = this.#takeNext(); next; next = this.#takeNext()) {
      if (!shards.holds(next.shard)) {
        lost.push(next);
        continue;
      }
      const { claimedBytes } = deliveries.holdings;
      const isFull = batch.length === rowsMax || (batch.length > 0 && bytes + costOf(next) > CLAIMING.bytesMax);
      if (isFull || (claimedBytes > 0 && claimedBytes + costOf(next) > CLAIMED_BYTES_MAX)) {
        this.#held = next;
        break;
      }
      bytes += costOf(next);
      deliveries.move(next, next.state === "refused" ? "claiming refused" : "claiming");
      batch.push(next);
    }
    this.#lose(lost);
    return batch;
  }

  #takeNext(): Delivery | undefined {
    const held = this.#held;
    this.#held = undefined;
    if (held && isWaiting(held)) {
      if (this.#laneOrder.mayGo(held)) return held;
      this.#waiting.push(held);
    }
    return this.#waiting.take(this.#deps.clock.now(), this.#laneOrder.mayGo);
  }

  readonly #isOverdue = ({ sendAtMs }: Delivery): boolean => isLate(sendAtMs, this.#deps.clock.now());

  /** Claims the deliveries of `statement`. Returns false when it is unknown of some whether they are claimed. */
  async #claim(statement: Statement): Promise<boolean> {
    const { clock, deliveries } = this.#deps;
    const startedAtMs = clock.monotonic();
    const answers: Promise<void>[] = [];
    const claimed = (rows: ClaimedSchedule[]) => answers.push(this.#settle(statement, rows, startedAtMs));
    const { lost, unknown } = await this.#underWay
      .add(() => this.#statements.run(statement, claimed))
      .finally(() => this.schedule());
    this.#lose(lost);
    for (const delivery of unknown) deliveries.move(delivery, "releasing");
    await Promise.all(answers);
    return unknown.length === 0;
  }

  /**
   * Moves on the deliveries of `statement` whose rows were claimed. Those of a lane that waits for an earlier statement
   * are put back when its answer was lost: its deliveries have to be claimed again first.
   */
  async #settle(statement: Statement, rows: readonly ClaimedSchedule[], startedAtMs: number): Promise<void> {
    const { clock, metrics } = this.#deps;
    const durationMs = clock.monotonic() - startedAtMs;
    metrics.claimed(rows.length);
    const claims = new Map(rows.map((row) => [row.id, { row, startedAtMs, durationMs }]));
    const batch = statement.batch.filter(({ id }) => claims.has(id));
    const groups = [...this.#laneOrder.byEarlier({ ...statement, batch })];
    await Promise.all(
      groups.map(async ([earlier, some]) => {
        const mayGo = earlier === null || (await earlier.settled);
        for (const delivery of some) this.#goOn(delivery, claims.get(delivery.id) ?? null, mayGo);
      }),
    );
  }

  #goOn(delivery: Delivery, claim: Claim | null, mayGo: boolean): void {
    const { deliveries } = this.#deps;
    delivery.claim = claim;
    if (!mayGo) deliveries.move(delivery, "releasing");
    else if (delivery.failure) deliveries.end(delivery, outcomeOf(delivery.failure));
    else deliveries.move(delivery, "claimed");
  }

  #lose(lost: Delivery[]): void {
    if (lost.length === 0) return;
    for (const delivery of lost) this.#deps.deliveries.move(delivery, "removed");
    const ids = lost.map(({ id }) => id);
    setTimeout(() => this.#deps.idsToRead.add(ids), CLAIMING.againMs);
  }
}

/** When a delivery becomes claimable, epoch ms. */
const opensAtMs = ({ sendAtMs }: Delivery): number =>
  Math.ceil((sendAtMs - CLAIM_AHEAD_MS) / CLAIMING.openStepMs) * CLAIMING.openStepMs;

function isWaiting({ state }: Delivery): boolean {
  return state === "admitted" || state === "refused";
}
