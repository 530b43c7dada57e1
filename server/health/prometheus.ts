import type { Metrics } from "./metrics.ts";

/** What Prometheus asks for and is told. */
export const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** The figures as Prometheus reads them, times in seconds. Source: Prometheus, text-based exposition format 0.0.4. */
export function prometheusText({ dispatchers, queue, punctuality }: Metrics): string {
  const labelsOf = ({ id, host }: Metrics["dispatchers"][number]) => ({ dispatcher: id, host });
  const withSkew = dispatchers.filter((one) => one.skew_ms !== null);
  return [
    gauge("dispatchers", "Dispatchers that gave a sign of life within 15 s.", [
      [dispatchers.filter(({ alive }) => alive).length],
    ]),
    gauge(
      "dispatcher_beat_age_seconds",
      "Time since a dispatcher gave a sign of life.",
      dispatchers.map((one) => [one.beat_age_ms / 1_000, labelsOf(one)]),
    ),
    gauge(
      "dispatcher_skew_seconds",
      "How far a dispatcher's clock is ahead of the database's.",
      withSkew.map((one) => [(one.skew_ms ?? 0) / 1_000, labelsOf(one)]),
    ),
    gauge(
      "dispatcher_shards",
      "Shards that a dispatcher delivers for.",
      dispatchers.map((one) => [one.shards, labelsOf(one)]),
    ),
    gauge("queue_due", "Schedules that wait although their time has come.", [[queue.due]]),
    gauge("queue_firing", "Schedules with an attempt under way.", [[queue.firing]]),
    gauge("queue_scheduled", "Schedules that wait for their time.", [[queue.scheduled]]),
    gauge("queue_failed", "Schedules that wait for a retry.", [[queue.failed]]),
    gauge("queue_oldest_due_seconds", "How long the oldest of those that are due has been.", [
      [queue.oldest_due_ms / 1_000],
    ]),
    gauge("punctuality_sent", "Live schedules sent for the first time within 24 h.", [[punctuality.sent]]),
    gauge("punctuality_on_time_ratio", `The part of them sent within ${punctuality.on_time_within_ms} ms.`, [
      [punctuality.on_time_rate],
    ]),
    gauge("punctuality_offset_seconds", "How late they were sent.", [
      [punctuality.offset_ms.p50 / 1_000, { quantile: "0.5" }],
      [punctuality.offset_ms.p95 / 1_000, { quantile: "0.95" }],
    ]),
  ].join("");
}

type Sample = [value: number, labels?: Record<string, string>];

function gauge(name: string, help: string, samples: Sample[]): string {
  const full = `stopwatch_${name}`;
  const lines = samples.map(([value, labels = {}]) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
    return `${full}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}\n`;
  });
  return `# HELP ${full} ${help}\n# TYPE ${full} gauge\n${lines.join("")}`;
}

function escapeLabel(label: string): string {
  return label.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
