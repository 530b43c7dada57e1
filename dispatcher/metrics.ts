import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from "prom-client";
import type { DeliveryOutcome } from "#domain/settle-attempt.ts";
import { createCountedHistogram } from "./counted-histogram.ts";

type Outcome = DeliveryOutcome["kind"];

/** What a dispatcher holds at the moment, asked for when somebody looks. */
export type Figures = {
  /** Schedules in memory that fall due within the horizon. */
  planned: number;
  /** Schedules that wait for their turn under their account's rate. */
  waiting: number;
  /** Claimed requests that have not left. */
  unsent: number;
  /** Requests on the wire without an outcome. */
  underWay: number;
  /** Outcomes that are not written yet. */
  unrecorded: number;
  lanes: number;
  /** Connections that are open or being opened. */
  connections: number;
  /** Shards of the 64. */
  owned: number;
  /** How far this process's clock is ahead of the database's, ms; NaN until it is known. */
  skewMs: number;
};

export type Metrics = ReturnType<typeof createMetrics>;

const GAUGES: Record<keyof Figures, [name: string, help: string]> = {
  planned: ["planned", "Schedules in memory that fall due soon."],
  waiting: ["queue_depth", "Schedules whose time has come that wait for their turn under their account's rate."],
  unsent: ["claimed_unsent", "Claimed requests that have not left."],
  underWay: ["in_flight", "Requests on the wire without an outcome."],
  unrecorded: ["unrecorded", "Outcomes that are not written yet."],
  lanes: ["lanes", "Accounts and environments with something to send."],
  connections: ["connections", "Connections to targets that are open or being opened."],
  owned: ["shards_owned", "Shards of the 64 that this dispatcher delivers for."],
  skewMs: ["clock_skew_seconds", "How far this process's clock is ahead of the database's."],
};

const LATENESS_S = [
  0.0002, 0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];
const BATCH_ROWS = [1, 2, 5, 10, 20, 50, 100, 200, 500];

/**
 * The figures of one dispatcher, for Prometheus. What happens on the sending path only counts in plain numbers; names,
 * labels and text are made when they are asked for.
 */
export function createMetrics() {
  const registry = new Registry();
  const histogram = (name: string, help: string, bounds: readonly number[]) => {
    const made = createCountedHistogram(`stopwatch_${name}`, help, bounds);
    registry.registerMetric(made as unknown as Metric<string>);
    return made;
  };
  const lateness = histogram("lateness_seconds", "First byte after the instant at which it was to leave.", LATENESS_S);
  const claims = histogram("claim_batch_rows", "Schedules won by one claim statement.", BATCH_ROWS);
  const records = histogram("record_batch_rows", "Outcomes written by one record statement.", BATCH_ROWS);
  const outcomes: Record<Outcome, number> = { delivered: 0, rejected: 0, unreachable: 0, blocked: 0, interrupted: 0 };
  let released = 0;
  let databaseErrors = 0;
  let figures: (() => Figures) | undefined;
  let isAsked = false;

  const counter = (name: string, help: string, read: () => number) => {
    new Counter({
      name: `stopwatch_${name}_total`,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  };
  counter("released", "Claims that sent nothing and were put back.", () => released);
  counter("database_errors", "Calls to the database that failed or were not answered in time.", () => databaseErrors);
  new Counter({
    name: "stopwatch_attempts_total",
    help: "Attempts by how they ended.",
    labelNames: ["outcome"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [outcome, n] of Object.entries(outcomes)) this.inc({ outcome }, n);
    },
  });
  for (const [key, [name, help]] of Object.entries(GAUGES) as [keyof Figures, [string, string]][]) {
    new Gauge({
      name: `stopwatch_${name}`,
      help,
      registers: [registry],
      collect() {
        const value = figures?.()[key] ?? Number.NaN;
        this.set(key === "skewMs" ? value / 1_000 : value);
      },
    });
  }
  return {
    /** Takes where to read what the dispatcher holds. */
    watch(read: () => Figures): void {
      figures = read;
    },
    /** One claim statement won so many rows. */
    claimed: (rows: number): void => claims.observe(rows),
    /** One record statement wrote so many rows. */
    recorded: (rows: number): void => records.observe(rows),
    /** A first byte left, so long after the instant at which it was to leave. */
    sent: (lateMs: number): void => lateness.observe(lateMs / 1_000),
    ended(outcome: Outcome): void {
      outcomes[outcome]++;
    },
    released(): void {
      released++;
    },
    databaseError(): void {
      databaseErrors++;
    },

    contentType: registry.contentType,
    /** Everything as text, in Prometheus's exposition format. */
    text(): Promise<string> {
      // They watch the event loop and the garbage collector, which costs something, so not before somebody asks.
      if (!isAsked) collectDefaultMetrics({ register: registry });
      isAsked = true;
      return registry.metrics();
    },
  };
}
