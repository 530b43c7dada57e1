import { ChevronRight } from "lucide";
import type { ReactNode } from "react";
import { type AttemptGroup, foldAttempts } from "#domain/fold-attempts.ts";
import type { SplitWait } from "#domain/split-wait.ts";
import { AttemptTimes } from "../attempts/attempt-timing.tsx";
import { StatusCode } from "../attempts/status-code.tsx";
import { formatCount } from "../format/number.ts";
import { formatTaken } from "../format/offset.ts";
import { formatWait } from "../relay/wait.ts";
import { Card, CardBody, CardFoot, CardHead } from "../ui/card.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { Icon } from "../ui/icon.tsx";
import { TimelineEntry, TimelineList } from "../ui/timeline-list.tsx";
import { Countdown } from "./countdown.tsx";
import type { ShownAttempt, ShownSchedule } from "./shown-schedule.ts";

type Props = { schedule: ShownSchedule; zone: string; now: Date };

/** The timeline of a schedule, from its creation to its end or to what is still ahead. */
export function Timeline({ schedule, zone, now }: Props) {
  const { createdAt, fireAt, attempts, attemptCount, retentionDays } = schedule;
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
          <TimelineEntry node="created" title="Created" note={createdInWords(schedule)} at={time(createdAt)} />
          {(isDue || schedule.status === "scheduled") && schedule.status !== "cancelled" && (
            <TimelineEntry
              node="due"
              title="Due"
              note={isDue ? "as requested" : <Countdown atMs={fireAt.getTime()} nowMs={now.getTime()} />}
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
          {foldAttempts(attempts).map((group) => (
            <Attempts
              key={`${group.first.attempt} ${group.first.attemptedAt.getTime()}`}
              group={group}
              time={time}
              total={schedule.ahead.total}
            />
          ))}
          <Ahead schedule={schedule} zone={zone} now={now} />
          <End schedule={schedule} zone={zone} now={now} />
        </TimelineList>
      </CardBody>
      {attempts.length > 0 && (
        <CardFoot>
          Bars of one attempt share a scale. Connecting and claiming may overlap, and may lie before it is due.
        </CardFoot>
      )}
    </Card>
  );
}

function createdInWords({ replayOf, creator }: ShownSchedule): string | undefined {
  const by =
    creator === null
      ? undefined
      : { session: "in the dashboard", key: "with an API key", deletedKey: "with an API key" }[creator.kind];
  const name = creator?.kind === "key" ? `, ${creator.name}` : "";
  const from = replayOf === null ? undefined : "from another schedule";
  return [from, by && by + name].filter(Boolean).join(", ") || undefined;
}

/** Consecutive attempts that ended alike: their answer once, their times collapsed when there are several. */
function Attempts({
  group: { first, last, attempts },
  time,
  total,
}: {
  group: AttemptGroup<ShownAttempt>;
  time: (at: Date) => ReactNode;
  total: number | null;
}) {
  const { statusCode, errorText } = first;
  const isSuccess = statusCode !== null && statusCode >= 200 && statusCode < 300;
  const ofTotal = total === null ? "" : ` of ${total}`;
  const isOne = attempts.length === 1;
  const name = isOne ? `Attempt ${first.attempt}` : `Attempts ${first.attempt} to ${last.attempt}`;
  return (
    <TimelineEntry
      node={isSuccess ? "succeeded" : "failed"}
      title={name + ofTotal}
      note={
        <>
          <StatusCode code={statusCode} /> {isOne ? afterInWords(first) : "each time"}
        </>
      }
      at={
        isOne ? (
          time(first.attemptedAt)
        ) : (
          <>
            {time(first.attemptedAt)} to {time(last.attemptedAt)}
          </>
        )
      }
    >
      <div className="grid grid-cols-1 gap-3 rounded-lg border border-line bg-canvas px-3.5 py-3 *:not-first:border-line *:not-first:border-t *:not-first:pt-2.5">
        {isOne && <AttemptTimes timing={first.timing} />}
        {errorText && <Answer text={errorText} what={`What ${name.toLowerCase()} got`} />}
        {!isOne && (
          <details className="group/each min-w-0">
            <summary className="inline-flex min-h-6 cursor-pointer select-none list-none items-center gap-1 text-ink-soft text-xs hover:text-ink [&::-webkit-details-marker]:hidden">
              <Icon of={ChevronRight} small className="transition-transform group-open/each:rotate-90" />
              Each attempt
            </summary>
            <ol className="mt-2 grid gap-4">
              {attempts.map((attempt) => (
                <li key={`${attempt.attempt} ${attempt.attemptedAt.getTime()}`} className="grid grid-cols-1 gap-1.5">
                  <p className="flex flex-wrap items-baseline gap-x-3 text-sm">
                    <b className="font-medium">Attempt {attempt.attempt}</b>
                    <span className="text-ink-soft">{afterInWords(attempt)}</span>
                    <span className="ml-auto text-ink-muted text-xs">{time(attempt.attemptedAt)}</span>
                  </p>
                  <AttemptTimes timing={attempt.timing} />
                </li>
              ))}
            </ol>
          </details>
        )}
      </div>
    </TimelineEntry>
  );
}

function Answer({ text, what }: { text: string; what: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
      tabIndex={0}
      role="group"
      aria-label={what}
      className="max-h-48 overflow-auto text-ink-soft text-xs focus-visible:-outline-offset-2"
    >
      {text}
    </pre>
  );
}

function afterInWords({ errorText, latencyMs }: ShownAttempt): string {
  return errorText.startsWith("interrupted:") ? "" : `after ${formatTaken(latencyMs)}`;
}

function Ahead({ schedule: { status, attemptCount, nextAttemptAt, ahead, retryWait }, zone, now }: Props) {
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
        note={
          <>
            <Countdown atMs={nextAttemptAt.getTime()} nowMs={now.getTime()} />
            {retryWait && ` (${waitInWords(retryWait)})`}
          </>
        }
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

/** A wait as it is made up: `1 m, and 13 s of jitter`. */
function waitInWords({ plannedMs, jitterMs }: SplitWait): string {
  return `${formatWait(plannedMs)}, and ${formatWait(jitterMs)} of jitter`;
}

function End({ schedule: { status, endedAt, attemptCount }, zone, now }: Props) {
  if (endedAt === null) return null;
  const at = <ExactTime at={endedAt} zone={zone} day={now} />;
  if (status === "cancelled")
    return <TimelineEntry node="cancelled" title="Cancelled" note="nothing more is sent" at={at} />;
  if (status === "dead")
    return <TimelineEntry node="dead" title="Dead" note="nothing more is sent automatically" at={at} />;
  return (
    <TimelineEntry
      node="succeeded"
      title="Succeeded"
      note={attemptCount === 1 ? "at the first attempt" : undefined}
      at={at}
    />
  );
}
