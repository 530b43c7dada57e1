import type { Logger } from "pino";
import { type Database, DatabaseUnavailable, isLockLost } from "#db/client.ts";
import { type AttemptRecord, recordAttempts } from "#db/queries/attempts/record.ts";
import type { KeyRing } from "#domain/cipher.ts";
import type { Plans } from "#domain/plans.ts";
import { PREFETCH_HORIZON_MS } from "#domain/timing.ts";
import type { Deliveries } from "../delivery/deliveries.ts";
import { type Delivery, retryOf } from "../delivery/delivery.ts";
import type { Metrics } from "../observability/metrics.ts";
import type { Time } from "../runtime/clock.ts";
import { STATEMENTS } from "../tuning/statements.ts";
import { attemptRecord } from "./attempt-record.ts";
import { ErrorTexts } from "./error-texts.ts";
import { FlushTimer } from "./flush-timer.ts";
import { logAttempt, logInterrupted } from "./log-attempt.ts";
import { OutcomeQueue } from "./outcome-queue.ts";

/**
 * Bounds memory: response bodies that wait to be compared with what was sent, bytes. An outcome beyond
 * that is recorded without an error text.
 */
export const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/**
 * `delivery` is null for an interrupted attempt of another dispatcher. `answerBytes` is the size of the response body
 * that is still to be compared.
 */
type Outcome = { record: AttemptRecord; delivery: Delivery | null; answerBytes: number };

type Deps = {
  database: Database;
  /** Statements at the same time. */
  inFlightMax: number;
  deliveries: Deliveries;
  keyRing: KeyRing;
  plans: Plans;
  clock: Time;
  sendQueue: { isBehind(): boolean };
  idsToRead: { add(ids: readonly string[]): void };
  metrics: Pick<Metrics, "ended" | "recorded">;
  log: Logger;
};

/**
 * Writes outcomes, many in one statement. An outcome that cannot be written is kept and sent again. When a statement
 * then changes no row, the outcome was written the first time, or the schedule has moved on. Its sessions have a short
 * lock_timeout: what another session has locked holds up nothing else.
 */
export class Recorder {
  readonly #deps: Deps;
  readonly #timer: FlushTimer;
  readonly #queue: OutcomeQueue<Outcome>;
  readonly #texts: ErrorTexts;
  /** Schedules whose outcome is kept here. */
  readonly #held = new Set<string>();
  #inFlight: Outcome[][] = [];
  #isFailing = false;
  #rowsAtOnce: number = STATEMENTS.rowsMax;
  #interrupted = 0;
  #answerBytes = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#texts = new ErrorTexts({ ...deps, monotonic: deps.clock.monotonic });
    this.#queue = new OutcomeQueue({
      ownerOf: ({ delivery, record }) => delivery?.accountId ?? record.scheduleId,
      monotonic: deps.clock.monotonic,
    });
    this.#timer = new FlushTimer({ outcomes: this, sends: deps.sendQueue, monotonic: deps.clock.monotonic });
  }

  /** Takes a delivery whose outcome is known. */
  add(delivery: Delivery): void {
    const { plans, metrics, log } = this.#deps;
    const { result } = delivery;
    if (!result) throw new Error("a delivery without a result cannot be recorded");
    metrics.ended(result.outcome.kind);
    logAttempt(log, delivery, result);
    const record = attemptRecord(delivery, result, plans, Math.random);
    const answerBytes = sizeOf(result.body);
    if (this.#answerBytes + answerBytes > ANSWER_BYTES_MAX) result.body = "";
    else this.#answerBytes += answerBytes;
    this.#hold({ record, delivery, answerBytes: sizeOf(result.body) });
  }

  /** Takes the record of an interrupted attempt. */
  addInterrupted(record: AttemptRecord): void {
    this.#deps.metrics.ended(record.outcome);
    logInterrupted(this.#deps.log, record);
    this.#interrupted++;
    this.#hold({ record, delivery: null, answerBytes: 0 });
  }

  /** Starts as many statements as may be in flight. The timer calls it. */
  flush(): void {
    const most = this.#isFailing ? 1 : this.#deps.inFlightMax;
    while (this.#inFlight.length < most) {
      const batch = this.#queue.take(this.#rowsAtOnce);
      if (!batch) return;
      void this.#flushBatch(batch);
    }
  }

  /** Whether a full statement can be started. */
  isFull(): boolean {
    return this.#queue.size >= this.#rowsAtOnce && this.#inFlight.length < this.#deps.inFlightMax && !this.#isFailing;
  }

  /** Whether the last statement failed. */
  isFailing(): boolean {
    return this.#isFailing;
  }

  /** Whether an outcome of this schedule is kept here. */
  holds(scheduleId: string): boolean {
    return this.#held.has(scheduleId);
  }

  /** Outcomes that are in no statement yet. */
  waiting(): number {
    return this.#queue.size;
  }

  /** Outcomes that are not written yet. */
  pending(): number {
    return this.#inFlight.reduce((n, batch) => n + batch.length, this.#queue.size);
  }

  /** How many deliveries have their outcome here. */
  count(): number {
    return [...this.#queue.all(), ...this.#inFlight.flat()].filter(({ delivery }) => delivery !== null).length;
  }

  /** Interrupted attempts of other dispatchers that are not written yet. */
  interrupted(): number {
    return this.#interrupted;
  }

  /** The size of the response bodies that are not compared yet, bytes. */
  answerBytes(): number {
    return this.#answerBytes;
  }

  /** Writes nothing more. Call it when nothing is pending. */
  close(): Promise<void> {
    this.#timer.stop();
    return this.#texts.close();
  }

  #hold(outcome: Outcome): void {
    this.#queue.add(outcome);
    this.#held.add(outcome.record.scheduleId);
    this.#timer.soon();
  }

  async #flushBatch(batch: Outcome[]): Promise<void> {
    if (this.#queue.size === 0) this.#rowsAtOnce = STATEMENTS.rowsMax;
    this.#inFlight.push(batch);
    let written: Map<string, number>;
    try {
      written = await this.#write(batch);
    } catch (error) {
      this.#leave(batch);
      this.#notWritten(batch, error);
      return this.#timer.soon();
    }
    this.#leave(batch);
    this.#queue.written(batch);
    this.#isFailing = false;
    for (const outcome of batch) this.#settle(outcome, written.get(outcome.record.scheduleId) ?? null);
    this.#timer.soon();
  }

  /** Writes a batch. Returns the new version of each schedule whose outcome was written. */
  async #write(batch: Outcome[]): Promise<Map<string, number>> {
    await this.#writeErrorTexts(batch);
    const records = batch.map(({ record }) => record);
    const written = await this.#deps.database.run(STATEMENTS.recordDeadlineMs, ({ sql }) =>
      recordAttempts(sql, records),
    );
    this.#deps.metrics.recorded(batch.length);
    return new Map(written.map(({ id, version }) => [id, version]));
  }

  #leave(batch: Outcome[]): void {
    this.#inFlight = this.#inFlight.filter((other) => other !== batch);
  }

  #notWritten(batch: Outcome[], error: unknown): void {
    if (isLockLost(error)) {
      this.#queue.split(batch);
    } else if (error instanceof DatabaseUnavailable) {
      this.#isFailing = true;
      this.#queue.putBack(batch);
    } else if (batch.length === 1 && batch[0]) {
      this.#queue.written(batch);
      this.#refuse(batch[0], error);
    } else {
      // Write one by one, so that a row that the database refuses does not block the others.
      this.#rowsAtOnce = 1;
      this.#queue.putBack(batch);
    }
  }

  /** Drops an outcome that the database refuses, which is a bug. The attempt will be recovered as interrupted. */
  #refuse(outcome: Outcome, error: unknown): void {
    const { record, delivery } = outcome;
    this.#deps.log.error({ scheduleId: record.scheduleId, err: error }, "an outcome cannot be recorded");
    this.#letGo(outcome);
    if (delivery) this.#deps.deliveries.move(delivery, delivery.state === "answered" ? "draining" : "removed");
  }

  /** An outcome was written, which gave its schedule `newVersion`; or it was fenced off, and `newVersion` is null. */
  #settle(outcome: Outcome, newVersion: number | null): void {
    const { deliveries, clock, idsToRead } = this.#deps;
    const { record, delivery } = outcome;
    const { scheduleId, nextAttemptAtMs } = record;
    this.#letGo(outcome);
    const isDueSoon =
      newVersion !== null && nextAttemptAtMs !== null && nextAttemptAtMs <= clock.now() + PREFETCH_HORIZON_MS;
    if (!delivery) {
      if (isDueSoon) idsToRead.add([scheduleId]);
      return;
    }
    // A retry that is due soon becomes a delivery without being read.
    if (isDueSoon) delivery.retry = retryOf(delivery, newVersion, nextAttemptAtMs);
    deliveries.move(delivery, delivery.state === "answered" ? "draining" : "recorded");
  }

  #letGo(outcome: Outcome): void {
    this.#dropAnswer(outcome);
    this.#held.delete(outcome.record.scheduleId);
    if (!outcome.delivery) this.#interrupted--;
  }

  #dropAnswer(outcome: Outcome): void {
    if (outcome.delivery?.result) outcome.delivery.result.body = "";
    this.#answerBytes -= outcome.answerBytes;
    outcome.answerBytes = 0;
  }

  /** Computes error texts, for which the request is read again: off the sending path. */
  async #writeErrorTexts(batch: Outcome[]): Promise<void> {
    const answered = batch.filter(hasAnswer);
    if (answered.length === 0) return;
    const texts = await this.#texts.of(answered);
    for (const [n, one] of answered.entries()) {
      one.record.errorText = texts[n] ?? "";
      this.#dropAnswer(one);
    }
  }
}

const hasAnswer = (one: Outcome): one is Outcome & { delivery: Delivery } =>
  one.answerBytes > 0 && one.delivery !== null;

/** The most memory that a text takes, bytes. */
const sizeOf = (text: string): number => 2 * text.length;
