import { Counter, Gauge, type Registry } from "prom-client";

type Backlog = { rows: number; oldestS: number };

/** The metrics of retention. Only the dispatcher that does the work of the fleet has gauges. */
export class RetentionMetrics {
  readonly #rows: Counter<"job">;
  readonly #failures: Counter<"job">;
  readonly #due: Gauge<"job">;
  readonly #oldest: Gauge<"job">;
  readonly #ahead: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    const byJob = (name: string, help: string) => ({
      name: `stopwatch_retention_${name}`,
      help,
      labelNames: ["job"] as const,
      registers,
    });
    this.#rows = new Counter(byJob("rows_total", "Rows (or partitions) that jobs of retention took."));
    this.#failures = new Counter(byJob("failures_total", "Batches of retention that failed or took too long."));
    this.#due = new Gauge(
      byJob("due_rows", "Rows that are due, counted to 10,000 and once a minute: 10,000 means as many or more."),
    );
    this.#oldest = new Gauge(byJob("oldest_due_seconds", "How long the oldest row that is due has been due."));
    this.#ahead = new Gauge({
      name: "stopwatch_retention_partitions_ahead",
      help: "Days after today for which attempts have partitions. NaN when another dispatcher makes them.",
      registers,
    });
    this.#ahead.set(Number.NaN);
  }

  /** A batch of `job` took this many rows. */
  took(job: string, rows: number): void {
    this.#rows.inc({ job }, rows);
  }

  failed(job: string): void {
    this.#failures.inc({ job });
  }

  backlog(job: string, { rows, oldestS }: Backlog): void {
    this.#due.set({ job }, rows);
    this.#oldest.set({ job }, oldestS);
  }

  partitionsAhead(days: number): void {
    this.#ahead.set(days);
  }

  /** Another dispatcher does the work: nothing is known here. */
  isElsewhere(): void {
    this.#due.reset();
    this.#oldest.reset();
    this.#ahead.set(Number.NaN);
  }
}
