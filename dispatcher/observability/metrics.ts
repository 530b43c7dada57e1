import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from "prom-client";
import type { DeliveryOutcome } from "#domain/settle-attempt.ts";
import { SHARDS } from "#domain/shard-share.ts";
import { createCountedHistogram } from "./counted-histogram.ts";

type Outcome = DeliveryOutcome["kind"];

/** What a dispatcher holds at the moment; read when metrics are scraped. */
export type Figures = {
  /** Schedules in memory that fall due within the horizon. */
  planned: number;
  /** Schedules that wait for a slot of their lane. */
  waiting: number;
  /** Claimed requests that have not left. */
  unsent: number;
  /** Requests on the wire without an outcome. */
  underWay: number;
  /** Outcomes that are not written yet. */
  unrecorded: number;
  lanes: number;
  /** Connections to targets that are open or being opened. */
  connections: number;
  /** Shards that this dispatcher delivers for. */
  owned: number;
  /** How far this process's clock is ahead of the database's, ms; NaN until it is known. */
  skewMs: number;
};

/** Something in memory that could grow: how much it is now, and its bound. */
export type MemoryUse = { kind: string; used: () => number; bound: number };

const GAUGES: Record<keyof Figures, [name: string, help: string]> = {
  planned: ["planned", "Schedules in memory that fall due soon."],
  waiting: ["queue_depth", "Due schedules that wait for a slot of their account's rate."],
  unsent: ["claimed_unsent", "Claimed requests that have not left."],
  underWay: ["in_flight", "Requests on the wire without an outcome."],
  unrecorded: ["unrecorded", "Outcomes that are not written yet."],
  lanes: ["lanes", "Lanes (an account in an environment) with something to send."],
  connections: ["connections", "Connections to targets that are open or being opened."],
  owned: ["shards_owned", `Shards of the ${SHARDS} that this dispatcher delivers for.`],
  skewMs: ["clock_skew_seconds", "How far this process's clock is ahead of the database's."],
};

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
  readonly #lateness = this.#histogram(
    "lateness_seconds",
    "First byte after the instant at which it was to leave.",
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
  #released = 0;
  #databaseErrors = 0;
  #rowsRead = 0;
  #mended = 0;
  readonly #notices = { sent: 0, failed: 0, waiting: 0 };
  #figures: (() => Figures) | undefined;
  #memory: readonly MemoryUse[] = [];
  #isAsked = false;

  constructor() {
    this.#counter("released", "Claims that sent nothing and were put back.", () => this.#released);
    this.#counter(
      "database_errors",
      "Calls to the database that failed or were not answered in time.",
      () => this.#databaseErrors,
    );
    this.#counter("rows_read", "Schedules read ahead.", () => this.#rowsRead);
    this.#counter(
      "calendar_mended",
      "Calendar entries that were missing or too late and were repaired: none, unless rows were inserted by hand.",
      () => this.#mended,
    );
    this.#outcomeCounter();
    this.#counter("notices_sent", "Notices to owners that the mail provider has taken.", () => this.#notices.sent);
    this.#counter("notices_failed", "Tries to send a notice that failed.", () => this.#notices.failed);
    this.#plainGauge(
      "notices_waiting",
      "Notices of the fleet that wait to be sent; 0 when another dispatcher sends them.",
      () => this.#notices.waiting,
    );
    for (const key of Object.keys(GAUGES) as (keyof Figures)[]) this.#gauge(key);
    this.#memoryGauge("used", "What is kept in memory, by kind: items, or bytes where the kind says so.", ({ used }) =>
      used(),
    );
    this.#memoryGauge("bound", "The most of each kind that is kept.", ({ bound }) => bound);
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

  /** A first byte left, `lateMs` after the instant at which it was to leave. */
  sent(lateMs: number): void {
    this.#lateness.observe(lateMs / 1_000);
  }

  ended(outcome: Outcome): void {
    this.#outcomes[outcome]++;
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

  databaseError(): void {
    this.#databaseErrors++;
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All metrics as text, in Prometheus's exposition format. */
  text(): Promise<string> {
    // The default metrics watch the event loop and the garbage collector, which costs CPU. Start them with the first
    // scrape.
    if (!this.#isAsked) collectDefaultMetrics({ register: this.#registry });
    this.#isAsked = true;
    return this.#registry.metrics();
  }

  #histogram(name: string, help: string, bounds: readonly number[]) {
    const histogram = createCountedHistogram(`stopwatch_${name}`, help, bounds);
    this.#registry.registerMetric(histogram as unknown as Metric<string>);
    return histogram;
  }

  #counter(name: string, help: string, read: () => number): void {
    new Counter({
      name: `stopwatch_${name}_total`,
      help,
      registers: [this.#registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  #outcomeCounter(): void {
    const outcomes = this.#outcomes;
    new Counter({
      name: "stopwatch_attempts_total",
      help: "Attempts by how they ended.",
      labelNames: ["outcome"],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const [outcome, n] of Object.entries(outcomes)) this.inc({ outcome }, n);
      },
    });
  }

  #gauge(key: keyof Figures): void {
    const [name, help] = GAUGES[key];
    const read = () => this.#figures?.()[key] ?? Number.NaN;
    this.#plainGauge(name, help, () => (key === "skewMs" ? read() / 1_000 : read()));
  }

  #plainGauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name: `stopwatch_${name}`,
      help,
      registers: [this.#registry],
      collect() {
        this.set(read());
      },
    });
  }

  #memoryGauge(name: string, help: string, of: (use: MemoryUse) => number): void {
    const read = () => this.#memory;
    new Gauge({
      name: `stopwatch_memory_${name}`,
      help,
      labelNames: ["kind"],
      registers: [this.#registry],
      collect() {
        for (const use of read()) this.set({ kind: use.kind }, of(use));
      },
    });
  }
}
