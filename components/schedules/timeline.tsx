import type { ReactNode } from "react";
import { AttemptTimes } from "../attempts/attempt-timing.tsx";
import { StatusCode } from "../attempts/status-code.tsx";
import { formatCount } from "../format/number.ts";
import { Card, CardBody, CardFoot, CardHead } from "../ui/card.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { TimelineEntry, TimelineList } from "../ui/timeline-list.tsx";
import { Countdown } from "./countdown.tsx";
import type { ShownAttempt, ShownSchedule } from "./shown-schedule.ts";

type Props = { schedule: ShownSchedule; zone: string; now: Date };

/** The timeline of a schedule, from its creation to its end or to what is still ahead. */
export function Timeline({ schedule, zone, now }: Props) {
  const { createdAt, fireAt, replayOf, attempts, attemptCount, retentionDays } = schedule;
  const time = (at: Date) => <ExactTime at={at} zone={zone} day={now} />;
  const isDue = schedule.status !== "scheduled" || fireAt <= now;
  const hidden = attemptCount - attempts.length - (schedule.status === "firing" ? 1 : 0);
  return (
    <Card>
      <CardHead title="What happened">
        <span className="text-ink-muted text-xs">{zone}</span>
      </CardHead>
      <CardBody>
        <TimelineList>
          <TimelineEntry
            node="created"
            title="Created"
            note={replayOf === null ? undefined : "from another schedule"}
            at={time(createdAt)}
          />
          {(isDue || schedule.status === "scheduled") && schedule.status !== "cancelled" && (
            <TimelineEntry
              node="due"
              title="Due"
              note={isDue ? "the instant asked for" : <Countdown atMs={fireAt.getTime()} nowMs={now.getTime()} />}
              at={time(fireAt)}
              isAhead={!isDue}
            />
          )}
          {hidden > 0 && (
            <TimelineEntry
              node="created"
              title={hidden === 1 ? "1 attempt that is not kept" : `${formatCount(hidden)} attempts that are not kept`}
              note={`attempts are kept for ${retentionDays} days`}
            />
          )}
          {attempts.map((attempt) => (
            <Attempt
              key={`${attempt.attempt} ${attempt.attemptedAt.getTime()}`}
              attempt={attempt}
              at={time(attempt.attemptedAt)}
              total={schedule.ahead.total}
            />
          ))}
          <Ahead schedule={schedule} zone={zone} now={now} />
          <End schedule={schedule} zone={zone} now={now} />
        </TimelineList>
      </CardBody>
      {attempts.length > 0 && (
        <CardFoot>
          Bars of one attempt share a scale. Connecting and claiming may overlap, and may lie before the instant.
        </CardFoot>
      )}
    </Card>
  );
}

function Attempt({ attempt, at, total }: { attempt: ShownAttempt; at: ReactNode; total: number | null }) {
  const { statusCode, errorText, latencyMs } = attempt;
  const isSuccess = statusCode !== null && statusCode >= 200 && statusCode < 300;
  const isInterrupted = errorText.startsWith("interrupted:");
  return (
    <TimelineEntry
      node={isSuccess ? "succeeded" : "failed"}
      title={`Attempt ${attempt.attempt}${total === null ? "" : ` of ${total}`}`}
      note={
        <>
          <StatusCode code={statusCode} /> {isInterrupted ? "" : `after ${formatCount(latencyMs)} ms`}
        </>
      }
      at={at}
    >
      <div className="grid grid-cols-1 gap-3 rounded-lg border border-line bg-canvas px-3.5 py-3">
        <AttemptTimes timing={attempt.timing} />
        {errorText && (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
            tabIndex={0}
            role="group"
            aria-label={`What attempt ${attempt.attempt} got`}
            className="max-h-48 overflow-auto border-line border-t pt-2.5 text-ink-soft text-xs focus-visible:-outline-offset-2"
          >
            {errorText}
          </pre>
        )}
      </div>
    </TimelineEntry>
  );
}

function Ahead({ schedule: { status, attemptCount, nextAttemptAt, ahead }, zone, now }: Props) {
  const ofTotal = ahead.total === null ? "" : ` of ${ahead.total}`;
  if (status === "firing") {
    return <TimelineEntry node="running" title={`Attempt ${attemptCount}${ofTotal}`} note="under way" isAhead />;
  }
  if (status !== "failed" || nextAttemptAt === null || ahead.total === null) return null;
  return (
    <>
      <TimelineEntry
        node="ahead"
        title={`Attempt ${attemptCount + 1}${ofTotal}`}
        note={<Countdown atMs={nextAttemptAt.getTime()} nowMs={now.getTime()} />}
        at={<ExactTime at={nextAttemptAt} zone={zone} day={now} />}
        isAhead
      />
      <TimelineEntry
        node="dead"
        title="Dead"
        note={
          ahead.total > attemptCount + 1
            ? `if attempts ${attemptCount + 1} to ${ahead.total} fail too`
            : "if that fails too"
        }
        at={
          ahead.lastAtMs !== null && ahead.total > attemptCount + 1 ? (
            <>
              not before <ExactTime at={new Date(ahead.lastAtMs)} zone={zone} day={now} />
            </>
          ) : undefined
        }
        isAhead
      />
    </>
  );
}

function End({ schedule: { status, endedAt, attemptCount }, zone, now }: Props) {
  if (endedAt === null) return null;
  const at = <ExactTime at={endedAt} zone={zone} day={now} />;
  if (status === "cancelled")
    return <TimelineEntry node="cancelled" title="Cancelled" note="nothing more is sent" at={at} />;
  if (status === "dead")
    return <TimelineEntry node="dead" title="Dead" note="nothing more is sent by itself" at={at} />;
  return (
    <TimelineEntry
      node="succeeded"
      title="Succeeded"
      note={attemptCount === 1 ? "at the first attempt" : undefined}
      at={at}
    />
  );
}
