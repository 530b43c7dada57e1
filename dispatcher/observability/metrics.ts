import { collectDefaultMetrics, type Metric, Registry } from "prom-client";
import { DATABASE_FAULTS, type DatabaseFault } from "#domain/database-fault.ts";
import type { OperationAction } from "#domain/operations.ts";
import type { DeliveryOutcome } from "#domain/settle-attempt.ts";
import { TARGET_RULES, type TargetRule } from "#domain/target-url.ts";
import { addCounter, addCounterBy, addGauge, addGaugeByKind } from "./collectors.ts";
import { createCountedHistogram } from "./counted-histogram.ts";
import { type Figures, GAUGES } from "./figures.ts";
import { RecurrenceMetrics } from "./recurrence-metrics.ts";
import { RetentionMetrics } from "./retention-metrics.ts";

type Outcome = DeliveryOutcome["kind"];

/** A part of memory that can grow: its current size and its bound. */
export type MemoryUse = { kind: string; used: () => number; bound: number };

const LATENESS_S = [
  0.0002, 0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];
const BATCH_ROWS = [1, 2, 5, 10, 20, 50, 100, 200, 500];

/**
 * The metrics of one dispatcher, for Prometheus. The sending path only updates plain numbers. Names, labels and text
 * are made when the metrics are scraped.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly retention = new RetentionMetrics(this.#registry);
  readonly recurrences = new RecurrenceMetrics(this.#registry);
  readonly #lateness = this.#histogram(
    "lateness_seconds",
    "Time from the instant of a request to its first byte. Without requests that were due when accepted.",
    LATENESS_S,
  );
  readonly #claims = this.#histogram("claim_batch_rows", "Schedules claimed by one statement.", BATCH_ROWS);
  readonly #records = this.#histogram("record_batch_rows", "Outcomes written by one record statement.", BATCH_ROWS);
  readonly #outcomes: Record<Outcome, number> = {
    delivered: 0,
    rejected: 0,
    unreachable: 0,
    blocked: 0,
    interrupted: 0,
  };
  readonly #refusedTargets = Object.fromEntries(TARGET_RULES.map((rule) => [rule, 0])) as Record<TargetRule, number>;
  #released = 0;
  readonly #databaseErrors = Object.fromEntries(DATABASE_FAULTS.map((fault) => [fault, 0])) as Record<
    DatabaseFault,
    number
  >;
  #rowsRead = 0;
  #mended = 0;
  readonly #billing = { deleted: 0, checked: 0, failed: 0 };
  readonly #notices = { sent: 0, failed: 0, waiting: 0 };
  #operations = { running: 0, left: 0, oldestS: 0 };
  readonly #acted: Record<OperationAction, number> = { cancel: 0, replay: 0 };
  #figures: (() => Figures) | undefined;
  #memory: readonly MemoryUse[] = [];
  #isAsked = false;

  constructor() {
    this.#addDeliveries();
    this.#addNotices();
    this.#addOperations();
    this.#addBilling();
    for (const key of Object.keys(GAUGES) as (keyof Figures)[]) this.#addFigure(key);
    this.#addMemory();
  }

  /** Sets how to read what the dispatcher holds and what it has in memory. */
  watch(read: () => Figures, memory: readonly MemoryUse[] = []): void {
    this.#figures = read;
    this.#memory = memory;
  }

  /** One claim statement claimed `rows` rows. */
  claimed(rows: number): void {
    this.#claims.observe(rows);
  }

  /** One record statement wrote `rows` rows. */
  recorded(rows: number): void {
    this.#records.observe(rows);
  }

  /** A first byte left, `lateMs` after the instant at which it was to leave. Not for what was to leave at once. */
  sent(lateMs: number): void {
    this.#lateness.observe(lateMs / 1_000);
  }

  ended(outcome: Outcome): void {
    this.#outcomes[outcome]++;
  }

  /** A connection to a target was refused by `rule`. */
  targetRefused(rule: TargetRule): void {
    this.#refusedTargets[rule]++;
  }

  released(): void {
    this.#released++;
  }

  /** `rows` schedules were read ahead. */
  read(rows: number): void {
    this.#rowsRead += rows;
  }

  /** `entries` of the calendar of lanes were repaired. */
  mended(entries: number): void {
    this.#mended += entries;
  }

  noticeSent(): void {
    this.#notices.sent++;
  }

  /** A try to send a notice failed. */
  noticeFailed(): void {
    this.#notices.failed++;
  }

  /** `n` notices of the fleet wait to be sent. */
  noticesWaiting(n: number): void {
    this.#notices.waiting = n;
  }

  /** So many customers were deleted, subscriptions read, or tries of these failed at the billing provider. */
  billingTended(result: "deleted" | "checked" | "failed", n: number): void {
    this.#billing[result] += n;
  }

  /** The running operations of this dispatcher's shards. */
  operationsRunning(figures: { running: number; left: number; oldestS: number }): void {
    this.#operations = figures;
  }

  /** A step of an operation cancelled or replayed this many schedules. */
  operationsActed({ cancel, replay }: Record<OperationAction, number>): void {
    this.#acted.cancel += cancel;
    this.#acted.replay += replay;
  }

  /** The database could not do the work of a call. */
  databaseFailed(fault: DatabaseFault): void {
    this.#databaseErrors[fault]++;
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All metrics as text, in Prometheus's exposition format. */
  text(): Promise<string> {
    // The default metrics watch the event loop and the garbage collector, which costs CPU. Start them with the first
    // scrape.
    if (!this.#isAsked) this.#addProcess();
    this.#isAsked = true;
    return this.#registry.metrics();
  }

  #addProcess(): void {
    collectDefaultMetrics({ register: this.#registry });
    // Gauges named like counters. Sums of the gauges without `_total` have the same values.
    for (const kind of ["handles", "requests", "resources"]) {
      this.#registry.removeSingleMetric(`nodejs_active_${kind}_total`);
    }
  }

  #histogram(name: string, help: string, bounds: readonly number[]) {
    const histogram = createCountedHistogram(`stopwatch_${name}`, help, bounds);
    this.#registry.registerMetric(histogram as unknown as Metric<string>);
    return histogram;
  }

  #addDeliveries(): void {
    const registry = this.#registry;
    addCounter(registry, "released", "Claims that sent nothing and were put back.", () => this.#released);
    addCounterBy(registry, "database_errors", "Calls that the database could not serve, by the kind of fault.", {
      label: "kind",
      counts: this.#databaseErrors,
    });
    addCounter(registry, "rows_read", "Schedules read ahead.", () => this.#rowsRead);
    addCounter(
      registry,
      "calendar_mended",
      "Calendar entries that were missing or too late and were repaired: none, unless rows were inserted by hand.",
      () => this.#mended,
    );
    addCounterBy(registry, "attempts", "Attempts by how they ended.", { label: "outcome", counts: this.#outcomes });
    addCounterBy(registry, "refused_targets", "Connections to targets that were refused, by the rule.", {
      label: "rule",
      counts: this.#refusedTargets,
    });
  }

  #addNotices(): void {
    const [registry, notices] = [this.#registry, this.#notices];
    addCounter(registry, "notices_sent", "Notices to owners that the mail provider has taken.", () => notices.sent);
    addCounter(registry, "notices_failed", "Tries to send a notice that failed.", () => notices.failed);
    addGauge(
      registry,
      "notices_waiting",
      "Notices of the fleet that wait to be sent; 0 when another dispatcher sends them.",
      () => notices.waiting,
    );
  }

  #addBilling(): void {
    const help = "Customers deleted and subscriptions read at the billing provider, and tries that failed.";
    addCounterBy(this.#registry, "billing_upkeep", help, { label: "result", counts: this.#billing });
  }

  #addOperations(): void {
    const registry = this.#registry;
    addGauge(
      registry,
      "operations_running",
      "Operations on many schedules that are running, for the shards of this dispatcher.",
      () => this.#operations.running,
    );
    addGauge(
      registry,
      "operations_left",
      "Lower bound of the schedules left to running operations: totals are counted up to 10,000 per operation.",
      () => this.#operations.left,
    );
    addGauge(
      registry,
      "operations_oldest_seconds",
      "Age of the oldest running operation.",
      () => this.#operations.oldestS,
    );
    addCounterBy(registry, "operations_acted", "Schedules that operations have cancelled or replayed.", {
      label: "action",
      counts: this.#acted,
    });
  }

  #addFigure(key: keyof Figures): void {
    const [name, help] = GAUGES[key];
    const read = () => this.#figures?.()[key] ?? Number.NaN;
    addGauge(this.#registry, name, help, () => (key === "skewMs" ? read() / 1_000 : read()));
  }

  #addMemory(): void {
    addGaugeByKind(this.#registry, "memory_used", "Items in memory by kind; bytes for kinds whose names say so.", () =>
      this.#memory.map(({ kind, used }) => [kind, used()]),
    );
    addGaugeByKind(this.#registry, "memory_bound", "Upper bound of each kind in memory.", () =>
      this.#memory.map(({ kind, bound }) => [kind, bound]),
    );
  }
}
