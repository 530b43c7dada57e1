import type { Logger } from "pino";
import { type Database, DatabaseUnavailable, isLockLost, type Sql } from "#db/client.ts";
import { type RunningFigures, readRunningFigures } from "#db/queries/operations/running.ts";
import { findWaitingOperations, recordStepFailure, type Step, takeStep } from "#db/queries/operations/steps.ts";
import type { OperationAction } from "#domain/operations.ts";
import { runStep, type StepRules } from "./step.ts";

/** Longest round, ms. Operations use at most half of one connection's time. */
const SLICE_MS = 100;
/** Pause between two steps of an account when the first one changed something, ms. */
const PAUSE_MS = 100;
/** An operation is busy for this long after its last step, ms. */
const BUSY_MS = 1_000;
const ACCOUNTS_MAX = 200;
/** Interval between two counts of the running operations, ms. */
const COUNT_EVERY_MS = 5_000;
const FAILURES_MAX = 5;
const DEADLINE_MS = 8_000;
const BEFORE_ALL = "00000000-0000-0000-0000-000000000000";

/** Settings of the operations' session. Short lock_timeout, so that creates and deliveries do not queue behind a step. */
export const OPERATIONS_SESSION = { lock_timeout: 1_000 };

type Deps = {
  database: Database;
  rules: StepRules;
  shards: { leased(): readonly number[] };
  monotonic: () => number;
  log: Logger;
  metrics: {
    operationsRunning(figures: RunningFigures): void;
    operationsActed(schedules: Record<OperationAction, number>): void;
  };
};

/**
 * Runs the operations of the accounts whose shards this dispatcher owns, step by step. Accounts take turns, and so do the
 * operations of one account. A step is one transaction that locks the operation, acts, and stores its progress, so two
 * dispatchers cannot run the same step.
 */
export class Operations {
  readonly #deps: Deps;
  /** The account (UUID) that had the last turn. */
  #lastAccount = BEFORE_ALL;
  #isStopped = false;
  #countedAtMs = Number.NEGATIVE_INFINITY;
  #steppedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Starts no further step. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Runs steps for `SLICE_MS` at most. Returns how many. Throws only DatabaseUnavailable. */
  async runOnce(): Promise<number> {
    const steps = await this.#work();
    await this.#count();
    return steps;
  }

  /** Whether a step was run within the last second, so that the next round should follow soon. */
  isBusy(): boolean {
    return !this.#isStopped && this.#deps.monotonic() - this.#steppedAtMs < BUSY_MS;
  }

  async #work(): Promise<number> {
    const { shards, monotonic } = this.#deps;
    const endsAtMs = monotonic() + SLICE_MS;
    let steps = 0;
    for (let before = -1; before < steps; ) {
      before = steps;
      const owned = shards.leased();
      if (this.#isStopped || owned.length === 0) break;
      for (const { id, accountId } of await this.#findWaiting(owned)) {
        if (this.#isStopped || monotonic() >= endsAtMs) return steps;
        this.#lastAccount = accountId;
        if (!(await this.#step(id))) continue;
        steps++;
        this.#steppedAtMs = monotonic();
      }
    }
    return steps;
  }

  async #count(): Promise<void> {
    const { shards, monotonic, metrics } = this.#deps;
    if (this.#isStopped || monotonic() < this.#countedAtMs + COUNT_EVERY_MS) return;
    this.#countedAtMs = monotonic();
    const owned = shards.leased();
    metrics.operationsRunning(owned.length === 0 ? NONE : await this.#run((sql) => readRunningFigures(sql, owned)));
  }

  /** Waiting operations of the accounts after the last one that had a turn; when there are none, of all accounts. */
  async #findWaiting(owned: readonly number[]): Promise<{ id: string; accountId: string }[]> {
    const behind = (account: string) => this.#run((sql) => findWaitingOperations(sql, owned, account, ACCOUNTS_MAX));
    const found = await behind(this.#lastAccount);
    if (found.length > 0 || this.#lastAccount === BEFORE_ALL) return found;
    this.#lastAccount = BEFORE_ALL;
    return behind(BEFORE_ALL);
  }

  /** Runs the next step of an operation. Returns whether there was one. */
  async #step(id: string): Promise<boolean> {
    const { log } = this.#deps;
    try {
      return await this.#takeStep(id);
    } catch (error) {
      if (isLockLost(error)) return false;
      if (error instanceof DatabaseUnavailable) throw error;
      const hasFailed = await this.#run((sql) => recordStepFailure(sql, id, FAILURES_MAX));
      log.error({ operation: id, err: error, hasFailed }, "a step of an operation failed");
      return false;
    }
  }

  async #takeStep(id: string): Promise<boolean> {
    const { rules, metrics } = this.#deps;
    const acted = { cancel: 0, replay: 0 };
    const isTaken = await this.#run((sql) =>
      takeStep(sql, id, pauseMs, async (tx, operation) => {
        const step = await runStep(tx, operation, rules);
        acted[operation.action] = step?.acted ?? 0;
        return step;
      }),
    );
    if (isTaken) metrics.operationsActed(acted);
    return isTaken;
  }

  #run<R>(work: (sql: Sql) => Promise<R>): Promise<R> {
    return this.#deps.database.run(DEADLINE_MS, ({ sql }) => work(sql));
  }
}

const NONE: RunningFigures = { running: 0, left: 0, oldestS: 0 };

const pauseMs = ({ acted }: Step): number => (acted > 0 ? PAUSE_MS : 0);
