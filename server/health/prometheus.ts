import type { Metrics } from "./metrics.ts";

/** The content type of the Prometheus text format. */
export const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Counts of this process: targets that it refused, by the rule, and database errors, by the kind of fault. */
export type OwnCounts = {
  refusedTargets: Readonly<Record<string, number>>;
  databaseErrors: Readonly<Record<string, number>>;
};

/** The metrics in the Prometheus text format, times in seconds. Source: text-based exposition format 0.0.4. */
export function prometheusText(
  { dispatchers, queue, snapshot, punctuality }: Metrics,
  { refusedTargets, databaseErrors }: OwnCounts,
): string {
  const labelsOf = ({ id, host }: Metrics["dispatchers"][number]) => ({ dispatcher: id, host });
  const withSkew = dispatchers.filter((one) => one.skew_ms !== null);
  return [
    gauge("dispatchers", "Dispatchers with a heartbeat within 15 s.", [
      [dispatchers.filter(({ alive }) => alive).length],
    ]),
    gauge(
      "dispatcher_beat_age_seconds",
      "Time since the last heartbeat of a dispatcher.",
      dispatchers.map((one) => [one.beat_age_ms / 1_000, labelsOf(one)]),
    ),
    gauge(
      "dispatcher_skew_seconds",
      "How far a dispatcher's clock is ahead of the database's.",
      withSkew.map((one) => [(one.skew_ms ?? 0) / 1_000, labelsOf(one)]),
    ),
    gauge(
      "dispatcher_shards",
      "Shards owned by a dispatcher.",
      dispatchers.map((one) => [one.shards, labelsOf(one)]),
    ),
    gauge("queue_due", "Schedules that are due and not yet claimed.", [[queue.due]]),
    gauge("queue_firing", "Schedules with an attempt in progress.", [[queue.firing]]),
    gauge("queue_scheduled", "Schedules waiting for their first attempt.", [[queue.scheduled]]),
    gauge("queue_failed", "Schedules waiting for a retry.", [[queue.failed]]),
    gauge("queue_oldest_due_seconds", "How long the oldest due schedule has been due.", [
      [queue.oldest_due_ms / 1_000],
    ]),
    gauge(
      "held_snapshot_seconds",
      "For how long the oldest snapshot in the database has been held.",
      snapshot.held_ms === null ? [] : [[snapshot.held_ms / 1_000]],
    ),
    gauge("held_snapshot_transactions", "How many transactions began since the oldest snapshot that is held.", [
      [snapshot.transactions],
    ]),
    gauge("punctuality_sent", "Live schedules whose first attempt was sent within 24 h.", [[punctuality.sent]]),
    gauge("punctuality_on_time_ratio", `Fraction of them sent at most ${punctuality.on_time_within_ms} ms late.`, [
      [punctuality.on_time_rate],
    ]),
    gauge("punctuality_offset_seconds", "Their lateness: the percentile (p50, p95) of the last 24 h.", [
      [punctuality.offset_ms.p50 / 1_000, { percentile: "p50" }],
      [punctuality.offset_ms.p95 / 1_000, { percentile: "p95" }],
    ]),
    counter(
      "refused_targets",
      "Targets that this web process refused to store, by the rule.",
      Object.entries(refusedTargets).map(([rule, n]) => [n, { rule }]),
    ),
    counter(
      "database_errors",
      "Calls of this web process that the database could not serve, by the kind of fault.",
      Object.entries(databaseErrors).map(([kind, n]) => [n, { kind }]),
    ),
  ].join("");
}

type Sample = [value: number, labels?: Record<string, string>];

const gauge = (name: string, help: string, samples: Sample[]) => metric("gauge", `stopwatch_${name}`, help, samples);

const counter = (name: string, help: string, samples: Sample[]) =>
  metric("counter", `stopwatch_${name}_total`, help, samples);

function metric(type: "gauge" | "counter", full: string, help: string, samples: Sample[]): string {
  const lines = samples.map(([value, labels = {}]) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
    return `${full}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}\n`;
  });
  return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${lines.join("")}`;
}

function escapeLabel(label: string): string {
  return label.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
