import type { OpenHold } from "#db/queries/fleet/standing.ts";
import type { PendingOfAccount, readPending } from "#db/queries/reconcile/pending.ts";
import { describeHold } from "#domain/incarnation.ts";
import { formatInstant } from "#domain/instant.ts";
import { count } from "../count.ts";

const HEADER = ["account", "overdue", "< 1 min", "< 1 h", "< 1 day", "older", "due since", "later"];

/** What an operator reads before choosing: the hold, and what is pending, by account and age. */
export function reportLines({
  hold,
  pending,
  replays,
  nowMs,
}: {
  hold: OpenHold | null;
  pending: Awaited<ReturnType<typeof readPending>>;
  /** Running operations that replay schedules. */
  replays: number;
  nowMs: number;
}): string[] {
  const { accounts, total } = pending;
  const more = total.accounts - accounts.length;
  return [
    hold ? describeHold(hold) : "There is no hold: dispatchers send what is due.",
    ...(hold ? [`Held since ${formatInstant(hold.beganAtMs)}. Schedules can be created meanwhile.`] : []),
    "",
    `Pending at ${formatInstant(nowMs)}: ${count(total.overdue)} overdue, ${count(total.later)} due later, of ${count(total.accounts)} accounts.`,
    ...(replays > 0 ? [`Operations that replay schedules and are not done: ${count(replays)}.`] : []),
    ...(accounts.length > 0 ? ["", ...table([HEADER, ...accounts.map(rowOf)])] : []),
    ...(more > 0 ? [`and ${count(more)} more accounts`] : []),
    ...(hold ? ["", ...choices(formatInstant(Math.ceil(hold.beganAtMs)))] : []),
  ];
}

const choices = (heldSince: string): string[] => [
  "npm run reconcile -- --send-all                            sends everything that is overdue",
  `npm run reconcile -- --send-from ${heldSince}  cancels what was due before the hold began, sends the rest`,
  "npm run reconcile -- --cancel-overdue                      cancels everything that is overdue",
];

const rowOf = ({ email, overdue, byAge, oldestDueMs, later }: PendingOfAccount): string[] => [
  email,
  count(overdue),
  ...byAge.map(count),
  oldestDueMs === null ? "" : formatInstant(oldestDueMs),
  count(later),
];

/** Columns as wide as their widest cell; the first one begins at the left, the others end at the right. */
function table(rows: string[][]): string[] {
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  "),
  );
}
