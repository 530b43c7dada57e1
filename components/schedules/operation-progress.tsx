import { CircleStop } from "lucide";
import type { CopyCounts, CopyProgress } from "#domain/copies-of-operation.ts";
import type { LeftAlone, OperationAction, OperationStatus } from "#domain/operations.ts";
import type { ScheduleStatus } from "#domain/states.ts";
import { formatCount, formatPercent } from "../format/number.ts";
import { capitalised } from "../format/status-word.ts";
import { Button } from "../ui/button.tsx";
import { Card, CardBody, CardFoot, CardHead } from "../ui/card.tsx";
import { Copy } from "../ui/copy.tsx";
import { Facts } from "../ui/facts.tsx";
import { HiddenFields } from "../ui/hidden-fields.tsx";
import { Icon } from "../ui/icon.tsx";
import { Notice } from "../ui/notice.tsx";
import { Readings } from "../ui/reading.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { FullTime } from "../ui/time.tsx";
import { CopiesBar, CopyReadings, deliveredInWords } from "./operation-copies.tsx";
import { OperationState } from "./operation-state.tsx";
import {
  actedWord,
  countInWords,
  leftAloneTotal,
  reasonsInWords,
  type ScopeFilter,
  scopeInWords,
} from "./operation-words.ts";

/** `Replay 37 schedules`. */
export function operationTitle({ action, total, totalCapped }: ShownOperation): string {
  return `${action === "cancel" ? "Cancel" : "Replay"} ${countInWords(total, totalCapped)}`;
}

export type ShownOperation = {
  id: string;
  action: OperationAction;
  status: OperationStatus;
  filter: ScopeFilter | null;
  total: number;
  totalCapped: boolean;
  acted: number;
  leftAlone: LeftAlone;
  error: string | null;
  createdAt: Date;
  endedAt: Date | null;
};

/** What became of the copies that a replay made. */
export type ShownCopies = {
  counts: CopyCounts;
  progress: CopyProgress;
  /** The list of these copies, those with a status alone. */
  hrefOf: (status?: ScheduleStatus) => string;
};

/**
 * The progress of an operation: what it did, what it skipped and why. A replay is followed until each of its copies has
 * ended. `stopFields` are hidden fields of the stop form.
 */
export function OperationProgress({
  operation,
  copies,
  isDispatcherAlive,
  stopAction,
  stopFields,
}: {
  operation: ShownOperation;
  /** Absent for a cancel. */
  copies?: ShownCopies | undefined;
  isDispatcherAlive: boolean;
  stopAction: string;
  stopFields: Readonly<Record<string, string | undefined>>;
}) {
  const { id, action, status, total, totalCapped, acted, leftAlone } = operation;
  const left = leftAloneTotal(leftAlone);
  const followed = acted > 0 || status === "running" ? copies : undefined;
  const counted = countsOf(operation);
  return (
    <>
      <Outcome operation={operation} copies={copies} isDispatcherAlive={isDispatcherAlive} />
      <Card aria-labelledby={`progress-${id}`}>
        <CardHead title={operationTitle(operation)} id={`progress-${id}`}>
          <OperationState status={status === "done" && copies?.progress.isSettled === false ? "running" : status} />
        </CardHead>
        <CardBody className="grid gap-4">
          {followed ? (
            <>
              <p className="text-2xl tracking-[-0.035em]">{capitalised(deliveredInWords(followed.progress))}</p>
              <CopiesBar {...followed} />
              <Unknown count={followed.progress.unknown} />
            </>
          ) : (
            <Bar done={acted + left} total={total} isCapped={totalCapped} isEnded={status === "done"} />
          )}
          {left > 0 && <Reasons left={leftAlone} />}
        </CardBody>
        {followed ? <CopyReadings {...followed} others={counted.slice(1)} /> : <Readings items={counted} />}
        {status === "running" && (
          <CardFoot>
            <span>
              Schedules already {actedWord(action)} stay {actedWord(action)}.
            </span>
            <form method="post" action={stopAction} className="ml-auto">
              <HiddenFields values={{ ...stopFields, id }} />
              <Button type="submit" size="small">
                <Icon of={CircleStop} small />
                Stop
              </Button>
            </form>
          </CardFoot>
        )}
      </Card>
    </>
  );
}

/** What an operation did first, then what it did not. */
function countsOf({ action, status, total, totalCapped, acted, leftAlone }: ShownOperation) {
  const left = leftAloneTotal(leftAlone);
  const remaining = {
    label: status === "running" ? "Remaining, about" : "Not checked, about",
    value: totalCapped ? "—" : formatCount(Math.max(total - acted - left, 0)),
  };
  return [
    { label: action === "cancel" ? "Cancelled" : "Replayed", value: formatCount(acted) },
    { label: "Skipped", value: formatCount(left) },
    ...(status === "done" ? [] : [remaining]),
  ];
}

/** The filter of an operation, with the list that it selects now, and when it was accepted and ended. */
export function OperationScope({
  operation: { id, action, filter, createdAt, endedAt },
  listHref,
  zone,
}: {
  operation: ShownOperation;
  /** Absent where schedules were chosen one by one. */
  listHref?: string | undefined;
  zone: string;
}) {
  const which = `${action === "cancel" ? "Cancel" : "Replay"} ${scopeInWords(filter, zone)}`;
  return (
    <Card aria-labelledby="asked">
      <CardHead title="Filter and times" id="asked" />
      <CardBody>
        <Facts
          items={[
            [
              "Which",
              listHref === undefined ? (
                which
              ) : (
                <TextLink key="which" href={listHref} className="inline-block leading-6">
                  {which}
                </TextLink>
              ),
            ],
            ["Accepted", <FullTime key="accepted" at={createdAt} zone={zone} />],
            ["Ended", endedAt ? <FullTime key="ended" at={endedAt} zone={zone} /> : "—"],
            [
              "Id",
              <span key="id" className="inline-flex items-center gap-1">
                <code className="font-mono text-xs">{id}</code>
                <Copy text={id} what="operation id" />
              </span>,
            ],
          ]}
        />
      </CardBody>
    </Card>
  );
}

function Outcome({
  operation,
  copies,
  isDispatcherAlive,
}: {
  operation: ShownOperation;
  copies: ShownCopies | undefined;
  isDispatcherAlive: boolean;
}) {
  const { action, status, acted, leftAlone, error } = operation;
  const left = leftAloneTotal(leftAlone);
  const did = `${formatCount(acted)} ${actedWord(action)}${left > 0 ? `, ${formatCount(left)} skipped` : ""}`;
  const isWaiting = status === "running" || (copies !== undefined && copies.progress.open > 0);
  if (isWaiting && !isDispatcherAlive) {
    return (
      <Notice kind="warn" announce="status">
        No dispatcher is running. This goes on when one does.
      </Notice>
    );
  }
  if (status === "running" || (status === "done" && isWaiting)) return null;
  if (status === "done" && copies && acted > 0) return <CopiesOutcome {...copies} />;
  const kind = status === "done" ? "ok" : status === "stopped" ? "info" : "bad";
  return (
    <Notice kind={kind} announce={status === "failed" ? "alert" : "status"}>
      <b>{{ done: "Done", stopped: "Stopped", failed: "Failed" }[status]}.</b> {did}. {error}
    </Notice>
  );
}

/** The end of a replay: all delivered, or which were not. */
function CopiesOutcome({ progress, hrefOf }: ShownCopies) {
  const { delivered, dead, of } = progress;
  const isAll = delivered === of;
  return (
    <Notice kind={isAll ? "ok" : dead > 0 ? "bad" : "info"} announce={dead > 0 ? "alert" : "status"}>
      <b>{isAll ? "Done. Each copy was delivered." : "Done. Not all were delivered."}</b>{" "}
      {dead > 0 && (
        <>
          {formatCount(dead)} {dead === 1 ? "is" : "are"} dead again:{" "}
          <CopiesLink href={hrefOf("dead")}>see why</CopiesLink>
        </>
      )}
      {isAll && <CopiesLink href={hrefOf()}>See the copies</CopiesLink>}
    </Notice>
  );
}

function CopiesLink({ href, children }: { href: string; children: string }) {
  return (
    <TextLink standalone href={href} className="underline decoration-accent-line">
      {children}
    </TextLink>
  );
}

function Unknown({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <p className="text-ink-muted text-sm">
      {formatCount(count)} {count === 1 ? "copy is" : "copies are"} not kept any more, or not counted as one of this
      operation.
    </p>
  );
}

function Bar({ done, total, isCapped, isEnded }: { done: number; total: number; isCapped: boolean; isEnded: boolean }) {
  const share = isEnded ? 1 : total === 0 ? 0 : Math.min(done / total, 1);
  const known = isEnded || !isCapped;
  return (
    <div
      role="progressbar"
      aria-label="Progress"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={known ? Math.floor(share * 100) : undefined}
      aria-valuetext={known ? `${formatPercent(share)} %` : `${formatCount(done)} looked at`}
    >
      <svg className="h-2 w-full" aria-hidden="true">
        <rect width="100%" height="8" rx="4" className="fill-line" />
        {known && <rect width={`${share * 100}%`} height="8" rx="4" className="fill-accent" />}
      </svg>
    </div>
  );
}

function Reasons({ left }: { left: LeftAlone }) {
  return (
    <div className="grid gap-1">
      <h3 className="text-sm">Skipped, and why</h3>
      <Facts wide items={reasonsInWords(left).map(([words, count]) => [words, formatCount(count)])} />
    </div>
  );
}
