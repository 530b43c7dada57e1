import { type Broken, dueAtMs, type Evidence, isCancelled } from "./verify.ts";

/** The table at the end: what happened how often, and how late it was in ms by either side's measure. */
export function renderTable({ outcomes, refusals, arrivals }: Evidence): string {
  const seen = new Set(arrivals.map(({ id }) => id));
  const idOf = (outcome: Evidence["outcomes"][number]) => outcome.created.body.id ?? "";
  const count = (holds: (outcome: Evidence["outcomes"][number]) => boolean) => outcomes.filter(holds).length;
  const retries = outcomes.reduce((sum, { attempts }) => sum + Math.max(0, attempts.length - 1), 0);
  const counts: [string, number, string?][] = [
    ["created", count(({ created }) => created.status === 201)],
    ["repeated with their idempotency key", count(({ repeated }) => repeated?.isReplay === true)],
    ["delivered", count((outcome) => outcome.schedule?.status === "succeeded" && seen.has(idOf(outcome)))],
    ["cancelled and never sent", count((outcome) => isCancelled(outcome) && !seen.has(idOf(outcome)))],
    ["rescheduled", count(({ planned, changed }) => planned.change?.kind === "reschedule" && changed?.status === 200)],
    ["retried", count(({ attempts }) => attempts.length > 1), `${retries} more attempts`],
    ["blocked when created", refusals.filter(({ answer }) => answer.status === 400).length],
  ];

  const lateness: [string, number[]][] = [
    ["first attempts, by the service (offset_ms)", outcomes.flatMap(({ schedule }) => schedule?.offset_ms ?? [])],
    ["all attempts, by the service (timing.late)", outcomes.flatMap((o) => o.attempts.flatMap((a) => a.timing.late ?? []))],
    ["first attempts, at the receiver", outcomes.flatMap((outcome) => latenessSeen(outcome, arrivals))],
  ];
  return [
    ...counts.map(([label, number, note]) => line(label, [String(number)], note)),
    "",
    line("how late, in ms", ["p50", "p95", "p99", "max"]),
    ...lateness.map(([label, values]) =>
      line(
        label,
        [0.5, 0.95, 0.99, 1].map((share) => percentile(values, share)?.toFixed(1) ?? "-"),
      ),
    ),
  ].join("\n");
}

/** The expectations that did not hold, each with the first of what was found. */
export function renderBroken(broken: Broken[]): string {
  return broken
    .flatMap(({ expectation, found }) => [
      `NOT SO: ${expectation}`,
      ...found.slice(0, SHOWN_MAX).map((fault) => `  ${fault}`),
      ...(found.length > SHOWN_MAX ? [`  and ${found.length - SHOWN_MAX} more`] : []),
    ])
    .join("\n");
}

/** The nearest-rank percentile, so always one of the values; undefined when there are none. */
export function percentile(values: number[], share: number): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

const SHOWN_MAX = 5;

function latenessSeen(outcome: Evidence["outcomes"][number], arrivals: Evidence["arrivals"]): number[] {
  const own = arrivals.filter(({ id }) => id === outcome.created.body.id).map(({ arrival }) => arrival.arrivedAtMs);
  return own.length === 0 ? [] : [Math.min(...own) - dueAtMs(outcome)];
}

function line(label: string, cells: string[], note = ""): string {
  return `${label.padEnd(44)}${cells.map((cell) => cell.padStart(8)).join("")}  ${note}`.trimEnd();
}
