import type { DeadNotice } from "#domain/death-notices.ts";
import type { EndReason } from "#domain/end-reasons.ts";
import { paragraph, table } from "./layout.ts";
import type { Mail } from "./mail.ts";
import { noticeMail, type Reader } from "./notice.ts";
import { figure, minute, span, times } from "./words.ts";

const ROWS_MAX = 10;

/** The notice of dead schedules: their groups by target, last answer and time, and how to list and replay them. */
export function deadSchedulesMail(reader: Reader, notice: DeadNotice): Mail {
  const { n, sinceMs, intervalMs } = notice;
  const one = n === 1;
  const summary = one
    ? `A live schedule died on ${minute(sinceMs)}: no retry is left. It is not tried again automatically.`
    : `${figure(n)} live schedules have died since ${minute(sinceMs)}: no retry is left. They are not tried again automatically.`;
  return noticeMail(reader, {
    subject: one ? "A schedule died" : `${figure(n)} schedules died`,
    preview: summary,
    parts: [
      paragraph(summary),
      table(["Target", "Last answer", "Dead", "Due"], rowsOf(notice), ([target, answer, count, due]) =>
        [`${target}${answer ? ` · ${answer}` : ""} · ${count} dead`, ...(due ? [`due ${due}`] : [])].join(" · "),
      ),
    ],
    action: { label: one ? "See why, and replay it" : "See why, and replay them", path: "/schedules?status=dead" },
    hint: `GET /v1/schedules?status=dead lists them, and POST /v1/schedules/:id/replay sends the same bytes again. More deaths in the next ${span(intervalMs)} come in one mail.`,
  });
}

/** The last answer, and why no retry was left where that is not the number of attempts. */
function withReason({ answer, reason }: DeadNotice["lines"][number]): string {
  const why = reason && REASONS[reason];
  return why === undefined || answer.startsWith("expired") ? answer : `${answer}, ${why}`;
}

const REASONS: { [reason in EndReason]?: string } = {
  expired: "expired",
  deactivated: "expired while the account was deactivated",
};

function rowsOf({ n, lines }: DeadNotice): string[][] {
  const shown = lines.toSorted((a, b) => b.n - a.n).slice(0, ROWS_MAX);
  const rows = shown.map((line) => [line.target, withReason(line), figure(line.n), times(line)]);
  const others = n - shown.reduce((sum, line) => sum + line.n, 0);
  return others === 0 ? rows : [...rows, ["Other targets", "", figure(others), ""]];
}
