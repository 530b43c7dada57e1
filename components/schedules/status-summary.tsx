import { useId } from "react";
import { answerLine } from "#domain/answer-line.ts";
import type { EndReason } from "#domain/end-reasons.ts";
import { CANCELLED_BY_RECONCILE } from "#domain/incarnation.ts";
import { isTerminal } from "#domain/states.ts";
import { LatenessStrip } from "../charts/lateness-strip.tsx";
import { Travel } from "../charts/travel.tsx";
import { capitalised } from "../format/status-word.ts";
import { Card } from "../ui/card.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { LatenessFigure } from "../ui/reading.tsx";
import { Status } from "../ui/status.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { Countdown } from "./countdown.tsx";
import type { ShownSchedule } from "./shown-schedule.ts";

type Props = { schedule: ShownSchedule; zone: string; now: Date };

/** `logHref` is the log of the schedule, `hrefOf` the page of any. */
type SummaryProps = Props & { logHref: string; hrefOf: (id: string) => string };

/**
 * The state of a schedule: of a dead or retrying one first why, and what comes next; then the lateness of the first attempt,
 * or the time until it.
 */
export function StatusSummary({ schedule, zone, now, logHref, hrefOf }: SummaryProps) {
  const { status, offsetMs, firedAt, fireAt } = schedule;
  const isFired = offsetMs !== null && firedAt !== null;
  const id = useId();
  return (
    <Card aria-labelledby={id} className="grid md:grid-cols-[16.5rem_minmax(0,1fr)]">
      {(status === "dead" || status === "failed") && <Why schedule={schedule} zone={zone} now={now} hrefOf={hrefOf} />}
      <div className="grid min-w-0 content-start gap-3 p-4 md:border-line md:border-r">
        <p className="flex flex-wrap items-center gap-2">
          <Status status={status} badge />
          <span className="text-ink-soft text-sm">{attemptsInWords(schedule)}</span>
        </p>
        <h2 id={id} className="font-normal text-ink-muted text-xs tracking-normal">
          {isFired ? "First attempt was sent" : HEADINGS[status]}
        </h2>
        {isFired ? (
          <>
            <LatenessFigure ms={offsetMs} />
            <p className="text-ink-soft text-sm">
              {offsetMs < 0 ? "before" : "after"} <ExactTime at={fireAt} zone={zone} day={now} /> {zone}
            </p>
          </>
        ) : (
          <>
            {status === "scheduled" && (
              <p className="text-2xl tracking-[-0.035em]">
                <Countdown atMs={fireAt.getTime()} nowMs={now.getTime()} />
              </p>
            )}
            <p className="text-ink-soft text-sm">
              <ExactTime at={fireAt} zone={zone} day={now} /> {zone}
            </p>
          </>
        )}
      </div>
      <div className="grid min-w-0 content-start gap-4 p-4">
        <Travel ms={isFired ? offsetMs : null}>
          {(isFired || (status === "firing" && schedule.attemptCount === 1)) && (
            <LatenessStrip ms={isFired ? offsetMs : null} what="The first attempt" href={logHref} />
          )}
        </Travel>
        {!isFired && <p className="text-ink-soft text-sm">{explain(schedule)}</p>}
      </div>
    </Card>
  );
}

/** Why a schedule is dead or retrying, and what can follow. */
function Why({ schedule, zone, now, hrefOf }: Omit<SummaryProps, "logHref">) {
  const { status, attempts, attemptCount, nextAttemptAt, endReason } = schedule;
  const last = attempts.at(-1) ?? { statusCode: schedule.lastStatusCode, errorText: schedule.lastError ?? "" };
  const isDead = status === "dead";
  const why = endReason && END_REASONS[endReason];
  return (
    <div
      className={`grid gap-1.5 rounded-t-lg border-b px-4 py-3.5 md:col-span-2 ${isDead ? "border-bad-line bg-bad-soft" : "border-warn-line bg-warn-soft"}`}
    >
      <p className="text-lg tracking-tight">
        {isDead ? (
          `Dead after ${attemptCount === 0 ? "no" : attemptCount} ${attemptCount === 1 ? "attempt" : "attempts"}${why ? `: ${why}` : ""}.`
        ) : nextAttemptAt ? (
          <>
            Retrying: attempt {attemptCount + 1} is due{" "}
            <Countdown atMs={nextAttemptAt.getTime()} nowMs={now.getTime()} />
            <span className="ml-1.5 text-ink-soft text-sm tracking-normal">
              at <ExactTime at={nextAttemptAt} zone={zone} day={now} /> {zone}
            </span>
          </>
        ) : (
          "Retrying."
        )}
      </p>
      <p className="text-sm">
        <LastAnswer statusCode={last.statusCode} errorText={last.errorText} />
      </p>
      <p className="text-ink-soft text-sm">
        {isDead ? <Followed schedule={schedule} hrefOf={hrefOf} /> : "Cancel works until that attempt is claimed."}
      </p>
    </div>
  );
}

/** Why a schedule is dead where that is not the number of its attempts. */
const END_REASONS: { [reason in EndReason]?: string } = {
  status: "the target's answer ends it",
  expired: "it has expired",
  interrupted: "three in a row were interrupted",
  blocked: "its target is not allowed",
  deactivated: "it expired while the account was deactivated",
};

/** What became of the copies of a dead schedule. */
function Followed({ schedule: { copies }, hrefOf }: Pick<SummaryProps, "schedule" | "hrefOf">) {
  const delivered = copies.newest.find(({ status }) => status === "succeeded");
  const copy = delivered ?? copies.newest.find(({ status }) => !isTerminal(status));
  if (!copy) return "Nothing more is sent automatically. Replay sends the same request again, as a new schedule.";
  return (
    <>
      <TextLink href={hrefOf(copy.id)}>{delivered ? "A copy was delivered" : "A copy is on its way"}</TextLink>. Nothing
      more is sent of this one.
    </>
  );
}

function attemptsInWords({ status, attemptCount, ahead: { total } }: ShownSchedule): string {
  if (status === "scheduled") return total === 1 ? "one attempt" : `up to ${total} attempts`;
  if (total !== null) return `attempt ${attemptCount} of ${total}`;
  if (attemptCount === 0) return "no attempt";
  return attemptCount === 1 ? "1 attempt" : `${attemptCount} attempts`;
}

const HEADINGS = {
  scheduled: "Due",
  firing: "Due",
  failed: "Was due",
  succeeded: "Was due",
  dead: "Was due",
  cancelled: "Would have been due",
};

function explain({ status, lastError, delivery }: ShownSchedule): string {
  if (status === "firing")
    return `An attempt is under way. It has ${(delivery?.timeoutMs ?? 30_000) / 1_000} s at most.`;
  if (status !== "cancelled" || lastError !== CANCELLED_BY_RECONCILE) return EXPLANATIONS[status];
  return "Cancelled by reconcile: an operator restored a backup, after which it may have been sent already.";
}

const EXPLANATIONS = {
  scheduled:
    "Nothing was sent yet. Cancel and reschedule work until an attempt is claimed, at most 250 ms before it is sent.",
  failed: "No attempt has a known outcome yet.",
  succeeded: "The outcome of the first attempt is not known.",
  dead: "No attempt has a known outcome.",
  cancelled: "Nothing was sent, and nothing will be.",
};

/** The answer of the last attempt in a sentence: "Last answer 503: settlement window closed", or why there was none. */
function LastAnswer({ statusCode, errorText }: { statusCode: number | null; errorText: string }) {
  const line = answerLine(errorText);
  return (
    <span className="wrap-anywhere line-clamp-4">
      {statusCode === null ? (
        whyNone(line)
      ) : (
        <>
          Last answer <span className="font-mono">{statusCode}</span>
          {line === "" ? ", without a body." : `: ${line}`}
        </>
      )}
    </span>
  );
}

function whyNone(line: string): string {
  if (line === "") return "No answer.";
  return /^no answer/i.test(line) ? capitalised(line) : `No answer: ${line}`;
}
