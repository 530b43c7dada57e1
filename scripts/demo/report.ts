import { type Broken, dueAtMs, type Evidence, isCancelled } from "./verify.ts";

/** A table of what happened to the schedules, and how late their first requests were. */
export function renderTable({ outcomes, refusals, arrivals }: Evidence): string {
  const arrivedIds = new Set(arrivals.map(({ id }) => id));
  const delivered = outcomes.filter(({ schedule }) => schedule?.status === "succeeded");
  const isSent = ({ created }: Evidence["outcomes"][number]) => arrivedIds.has(created.body.id ?? "");
  const counts = {
    created: outcomes.filter(({ created }) => created.status === 201),
    delivered,
    "cancelled and never sent": outcomes.filter((outcome) => isCancelled(outcome) && !isSent(outcome)),
    rescheduled: outcomes.filter(
      ({ planned, changed }) => planned.change?.kind === "reschedule" && changed?.status === 200,
    ),
    retried: delivered.filter(({ attempts }) => attempts.length > 1),
    blocked: refusals.filter(({ answer }) => answer.status === 400),
  };
  const lateness = {
    "offset_ms of the service": delivered.map(({ schedule }) => schedule?.offset_ms),
    "timing.late of the service": delivered.map(({ attempts }) => attempts[0]?.timing.late),
    "seen by the receiver": delivered.map((outcome) => seenLateMs(outcome, arrivals)),
  };
  return [
    ...Object.entries(counts).map(([name, { length }]) => row(name, [String(length)])),
    "",
    row("lateness in ms", ["p50", "p95", "p99", "max"]),
    ...Object.entries(lateness).map(([name, values]) => row(name, percentiles(values))),
  ].join("\n");
}

/** Says that the demo's machine was too slow for these. */
export function renderLate(late: Evidence["outcomes"]): string {
  const schedules = late.length === 1 ? "1 schedule was" : `${late.length} schedules were`;
  return `${schedules} created or changed too late, because this machine is busy.`;
}

/** Lists the expectations that did not hold, each with what was found instead. */
export function renderBroken(broken: Broken[]): string {
  return broken
    .flatMap(({ expectation, found }) => {
      const more = found.length > FOUND_MAX ? [`  … and ${found.length - FOUND_MAX} more`] : [];
      return [`Not so: ${expectation}`, ...found.slice(0, FOUND_MAX).map((one) => `  ${one}`), ...more];
    })
    .join("\n");
}

const FOUND_MAX = 10;

function row(name: string, cells: string[]): string {
  return name.padEnd(28) + cells.map((cell) => cell.padStart(8)).join("");
}

function seenLateMs(outcome: Evidence["outcomes"][number], arrivals: Evidence["arrivals"]): number | undefined {
  const first = arrivals.find(({ id }) => id === outcome.created.body.id);
  return first && first.arrival.arrivedAtMs - dueAtMs(outcome);
}

// Percentiles by nearest rank: the smallest value that at least this percentage of all values do not exceed.
function percentiles(values: (number | null | undefined)[]): string[] {
  const sorted = values.filter((value) => typeof value === "number").sort((a, b) => a - b);
  return [50, 95, 99, 100].map((percent) => {
    const value = sorted[Math.max(1, Math.ceil((percent * sorted.length) / 100)) - 1];
    return value === undefined ? "-" : value.toFixed(Number.isInteger(value) ? 0 : 1);
  });
}
