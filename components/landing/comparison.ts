/** When the documentation of the hosted services was read. */
export const READ_ON = "26 November 2026";

/** What hosted services state, each with its source. A test compares it with docs/comparison.md. */
export const STATED = [
  {
    name: "QStash",
    instant: "seconds",
    punctuality: "not stated on the pages that we read",
    source: "https://upstash.com/docs/qstash/features/delay",
  },
  {
    name: "EventBridge Scheduler",
    instant: "seconds",
    punctuality: "within 60 s",
    source: "https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html",
  },
  {
    name: "Posthook",
    instant: "seconds",
    punctuality: "not stated on the pages that we read",
    source: "https://docs.posthook.io/essentials/scheduling",
  },
] as const;

/** Lateness at the receiver in ms at 300 requests a second on one machine with two cores: p50 and p99. As in docs/comparison.md. */
export const MEASURED = [
  { name: "Stopwatch", p50: 0.4, p99: 3.5 },
  { name: "BullMQ", p50: 3.4, p99: 8.5 },
  { name: "graphile-worker", p50: 4.6, p99: 9.1 },
  { name: "pg-boss", p50: 17.3, p99: 59.8 },
] as const;
