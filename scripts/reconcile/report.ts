import type { OpenHold } from "#db/queries/fleet/standing.ts";
import type { PendingOfAccount, readPending } from "#db/queries/reconcile/pending.ts";
import { describeHold } from "#domain/incarnation.ts";
import { formatInstant } from "#domain/instant.ts";
import { count } from "../count.ts";

const HEADER = ["account", "overdue", "< 1 min", "< 1 h", "< 1 day", "older", "due since", "later"];

/** An answer to the question when the former service stopped sending, with what follows from it. */
export type Answer = { stopped: string; option: string; counts: { sends: number; cancels: number } | null };

/** What an operator reads before choosing: the hold, what is pending, by account and age, and what each choice does. */
export function reportLines({
  hold,
  pending,
  replays,
  nowMs,
  answers,
}: {
  hold: OpenHold | null;
  pending: Awaited<ReturnType<typeof readPending>>;
  /** Running operations that replay schedules. */
  replays: number;
  nowMs: number;
  answers: readonly Answer[];
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
    ...(hold ? ["", QUESTION, ...answers.flatMap(answerLines)] : []),
  ];
}

const QUESTION = "When did the former service stop sending? What was due until then, it has sent.";

const answerLines = ({ stopped, option, counts }: Answer): string[] => [
  "",
  `- ${stopped}:`,
  `  npm run reconcile -- ${option}`,
  counts ? `  ${describeCounts(counts)}` : "  says how many it cancels and sends before it asks",
];

/** What a choice does to what is pending, in words. */
export const describeCounts = ({ sends, cancels }: { sends: number; cancels: number }): string =>
  `cancels ${count(cancels)}, sends ${count(sends)} at once and the rest when it is due`;

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
