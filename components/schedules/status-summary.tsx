import { useId } from "react";
import { LatenessStrip } from "../charts/lateness-strip.tsx";
import { Card } from "../ui/card.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { Notice } from "../ui/notice.tsx";
import { LatenessFigure } from "../ui/reading.tsx";
import { Status } from "../ui/status.tsx";
import { Countdown } from "./countdown.tsx";
import type { ShownSchedule } from "./shown-schedule.ts";

/** The state of a schedule: status, lateness of the first attempt or time until it, and what comes next. */
export function StatusSummary({ schedule, zone, now }: { schedule: ShownSchedule; zone: string; now: Date }) {
  const { status, offsetMs, firedAt, fireAt, nextAttemptAt, attemptCount } = schedule;
  const isFired = offsetMs !== null && firedAt !== null;
  const id = useId();
  return (
    <Card aria-labelledby={id} className="grid md:grid-cols-[16.5rem_minmax(0,1fr)]">
      <div className="grid min-w-0 content-start gap-3 p-4 md:border-line md:border-r">
        <p className="flex flex-wrap items-center gap-2">
          <Status status={status} badge />
          <span className="text-ink-soft text-sm">{attemptsInWords(schedule)}</span>
        </p>
        <h2 id={id} className="font-normal text-ink-muted text-xs tracking-normal">
          {isFired ? "First attempt left" : HEADINGS[status]}
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
        {isFired ? (
          <LatenessStrip ms={offsetMs} what="The first attempt" />
        ) : (
          <p className="text-ink-soft text-sm">{EXPLANATIONS[status]}</p>
        )}
        {status === "failed" && nextAttemptAt && (
          <Notice kind="warn">
            <b>
              Attempt {attemptCount + 1} leaves <Countdown atMs={nextAttemptAt.getTime()} nowMs={now.getTime()} />
            </b>
            , at <ExactTime at={nextAttemptAt} zone={zone} day={now} /> {zone}. Cancel works until it is claimed.
          </Notice>
        )}
        {status === "dead" && (
          <Notice kind="bad">
            <b>No attempt is left.</b> Replay sends the same request again, as a new schedule.
          </Notice>
        )}
      </div>
    </Card>
  );
}

function attemptsInWords({ status, attemptCount, ahead: { total } }: ShownSchedule): string {
  if (status === "scheduled") return total === 1 ? "one attempt" : `up to ${total} attempts`;
  if (total !== null) return `attempt ${attemptCount} of ${total}`;
  if (attemptCount === 0) return "no attempt";
  return attemptCount === 1 ? "1 attempt" : `${attemptCount} attempts`;
}

const HEADINGS = {
  ...{ scheduled: "Leaves", firing: "Due", failed: "Was due", succeeded: "Was due", dead: "Was due" },
  cancelled: "Would have left",
};

const EXPLANATIONS = {
  scheduled:
    "Nothing was sent yet. Cancel and reschedule work until an attempt is claimed, at most 250 ms before it leaves.",
  firing: "An attempt is under way. It has 30 s.",
  failed: "No attempt has a known outcome yet.",
  succeeded: "The outcome of the first attempt is not known.",
  dead: "No attempt has a known outcome.",
  cancelled: "Nothing was sent, and nothing will be.",
};
