import { CircleStop } from "lucide";
import type { LeftAlone, OperationAction, OperationStatus } from "#domain/operations.ts";
import { formatCount, formatPercent } from "../format/number.ts";
import { Button } from "../ui/button.tsx";
import { Card, CardBody, CardFoot, CardHead } from "../ui/card.tsx";
import { Copy } from "../ui/copy.tsx";
import { Facts } from "../ui/facts.tsx";
import { HiddenFields } from "../ui/hidden-fields.tsx";
import { Icon } from "../ui/icon.tsx";
import { Notice } from "../ui/notice.tsx";
import { Reading } from "../ui/reading.tsx";
import { FullTime } from "../ui/time.tsx";
import { OperationState } from "./operation-state.tsx";
import {
  actedWord,
  countInWords,
  leftAloneTotal,
  reasonsInWords,
  type ScopeFilter,
  scopeInWords,
} from "./operation-words.ts";

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

/** The progress of an operation: what it did, what it left alone and why. `stopFields` are hidden fields of the stop form. */
export function OperationProgress({
  operation,
  isDispatcherAlive,
  stopAction,
  stopFields,
}: {
  operation: ShownOperation;
  isDispatcherAlive: boolean;
  stopAction: string;
  stopFields: Readonly<Record<string, string | undefined>>;
}) {
  const { id, action, status, total, totalCapped, acted, leftAlone } = operation;
  const left = leftAloneTotal(leftAlone);
  return (
    <>
      <Outcome operation={operation} isDispatcherAlive={isDispatcherAlive} />
      <Card aria-labelledby={`progress-${id}`}>
        <CardHead
          title={`${action === "cancel" ? "Cancel" : "Replay"} ${countInWords(total, totalCapped)}`}
          id={`progress-${id}`}
        >
          <OperationState status={status} />
        </CardHead>
        <CardBody className="grid gap-4">
          <Bar done={acted + left} total={total} isCapped={totalCapped} isEnded={status === "done"} />
          <div className="grid grid-cols-[repeat(auto-fit,minmax(8rem,1fr))] gap-4">
            <Reading label={action === "cancel" ? "Cancelled" : "Replayed"}>{formatCount(acted)}</Reading>
            <Reading label="Left alone">{formatCount(left)}</Reading>
            {status !== "done" && (
              <Reading label={status === "running" ? "Remaining, about" : "Not checked, about"}>
                {totalCapped ? "—" : formatCount(Math.max(total - acted - left, 0))}
              </Reading>
            )}
          </div>
          {left > 0 && <Reasons left={leftAlone} />}
        </CardBody>
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

/** The filter of an operation, and when it was accepted and ended. */
export function OperationScope({
  operation: { id, action, filter, createdAt, endedAt },
  zone,
}: {
  operation: ShownOperation;
  zone: string;
}) {
  return (
    <Card aria-labelledby="asked">
      <CardHead title="Filter and times" id="asked" />
      <CardBody>
        <Facts
          items={[
            ["Which", `${action === "cancel" ? "Cancel" : "Replay"} ${scopeInWords(filter, zone)}`],
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

function Outcome({ operation, isDispatcherAlive }: { operation: ShownOperation; isDispatcherAlive: boolean }) {
  const { action, status, acted, leftAlone, error } = operation;
  const left = leftAloneTotal(leftAlone);
  const did = `${formatCount(acted)} ${actedWord(action)}${left > 0 ? `, ${formatCount(left)} left alone` : ""}`;
  if (status === "running" && !isDispatcherAlive) {
    return (
      <Notice kind="warn" announce="status">
        No dispatcher is running. This goes on when one does.
      </Notice>
    );
  }
  if (status === "running") return null;
  const kind = status === "done" ? "ok" : status === "stopped" ? "info" : "bad";
  return (
    <Notice kind={kind} announce={status === "failed" ? "alert" : "status"}>
      <b>{{ done: "Done", stopped: "Stopped", failed: "Failed" }[status]}.</b> {did}. {error}
    </Notice>
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
      <h3 className="text-sm">Left alone, and why</h3>
      <Facts wide items={reasonsInWords(left).map(([words, count]) => [words, formatCount(count)])} />
    </div>
  );
}
