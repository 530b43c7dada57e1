import { CircleSlash, Ellipsis, Eye, type IconNode, Repeat2 } from "lucide";
import type { ReactNode } from "react";
import { ACTED_ON } from "#domain/operations.ts";
import type { ScheduleStatus } from "#domain/states.ts";
import { LatenessCell } from "../charts/lateness-cell.tsx";
import { formatRelative } from "../format/duration.ts";
import { formatCount } from "../format/number.ts";
import { statusWord } from "../format/status-word.ts";
import { Icon } from "../ui/icon.tsx";
import { Popover } from "../ui/overlay.tsx";
import { SortedHead, type SortLink } from "../ui/sorted-head.tsx";
import { Status } from "../ui/status.tsx";
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from "../ui/table.tsx";
import { Target } from "../ui/target.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { SelectPage } from "./selection-count.tsx";

export type ListedSchedule = {
  id: string;
  url: string;
  method: string;
  status: ScheduleStatus;
  fireAt: Date;
  offsetMs: number | null;
  attempts: number;
  nextAttemptAt: Date | null;
  createdAt: Date;
  href: string;
  cancelHref: string;
  replayHref: string;
};

/** Schedules with a checkbox each, for the surrounding form. `isTicked`: all are selected at first. */
export function ScheduleTable({
  schedules,
  caption,
  now,
  zone,
  isTicked,
  sort,
}: {
  schedules: readonly ListedSchedule[];
  caption: string;
  now: Date;
  zone: string;
  isTicked: boolean;
  sort: { fires: SortLink; late: SortLink; created: SortLink };
}) {
  const isTwoSided = schedules.some(({ offsetMs }) => offsetMs !== null && offsetMs < 0);
  const hasLate = sort.late.direction !== undefined || schedules.some(({ offsetMs }) => offsetMs !== null);
  return (
    <Table caption={caption} stacks>
      <TableHead>
        <HeadCell className="w-8">
          <SelectPage rows={schedules.length} ticked={isTicked ? schedules.length : 0} />
          <span className="sr-only">Selected</span>
        </HeadCell>
        <HeadCell>Status</HeadCell>
        <HeadCell>Target</HeadCell>
        <SortedHead sort={sort.fires}>Due</SortedHead>
        <SortedHead sort={sort.late} className={hasLate ? "" : OPTIONAL}>
          Late
        </SortedHead>
        <HeadCell numeric className={OPTIONAL}>
          Attempts
        </HeadCell>
        <SortedHead sort={sort.created} className={OPTIONAL}>
          Created
        </SortedHead>
        <HeadCell>
          <span className="sr-only">Actions</span>
        </HeadCell>
      </TableHead>
      <TableBody>
        {schedules.map((schedule) => (
          <ScheduleRow
            key={schedule.id}
            schedule={schedule}
            now={now}
            zone={zone}
            isTicked={isTicked}
            isTwoSided={isTwoSided}
            hasLate={hasLate}
          />
        ))}
      </TableBody>
    </Table>
  );
}

/** For narrow screens: the details that have no column there. */
const OPTIONAL = "max-[76.5rem]:hidden";

function ScheduleRow({
  schedule,
  now,
  zone,
  isTicked,
  isTwoSided,
  hasLate,
}: {
  schedule: ListedSchedule;
  now: Date;
  zone: string;
  isTicked: boolean;
  isTwoSided: boolean;
  hasLate: boolean;
}) {
  const { id, url, method, status, fireAt, offsetMs, attempts, createdAt, nextAttemptAt, href } = schedule;
  // On the narrowest screens the next attempt has the place of the time at which it was due.
  const isRetrying = status === "failed";
  const name = `${method} ${url.replace(/^https?:\/\//, "")}, ${formatRelative(fireAt, now)}`;
  return (
    <Row>
      <Cell stacked="title" className="w-8">
        <label className="-m-1 inline-flex size-6 cursor-pointer items-center justify-center align-middle">
          <input
            type="checkbox"
            name="id"
            value={id}
            defaultChecked={isTicked}
            data-cancellable={ACTED_ON.cancel.includes(status) || undefined}
            aria-label={`Select ${name}`}
            className="size-4 scroll-mb-20 accent-accent"
          />
        </label>
      </Cell>
      <Cell stacked="title">
        <Status
          status={status}
          next={nextAttemptAt && <RelativeTime at={nextAttemptAt} now={now} zone={zone} isAhead />}
        />
      </Cell>
      <Cell rest stacked="line" className="*:scroll-mb-20">
        <Target method={method} url={url} href={href} />
      </Cell>
      <Cell stacked="aside" className={`whitespace-nowrap ${isRetrying ? "max-[23rem]:hidden!" : ""}`}>
        <RelativeTime at={fireAt} now={now} zone={zone} />
      </Cell>
      <Cell
        stacked={offsetMs === null ? "hidden" : "line"}
        className={`md:max-[76.5rem]:[&_svg]:hidden ${hasLate ? "" : OPTIONAL}`}
      >
        <LatenessCell ms={offsetMs} isTwoSided={isTwoSided} />
      </Cell>
      <Cell numeric stacked="hidden" className={`${OPTIONAL} ${attempts === 0 ? "text-ink-muted" : ""}`}>
        {formatCount(attempts)}
      </Cell>
      <Cell stacked="hidden" className={`${OPTIONAL} whitespace-nowrap text-ink-muted`}>
        <RelativeTime at={createdAt} now={now} zone={zone} />
      </Cell>
      <Cell stacked="aside" className={isRetrying ? "w-8 min-[23rem]:max-md:ml-0!" : "w-8 max-md:ml-0!"}>
        <Popover button={<Icon of={Ellipsis} />} kind="ghost" size="small" square aria-label={`Actions for ${name}`}>
          <Actions {...schedule} />
        </Popover>
      </Cell>
    </Row>
  );
}

function Actions({ status, href, replayHref, cancelHref }: ListedSchedule) {
  const isCancellable = ACTED_ON.cancel.includes(status);
  return (
    <div className="grid">
      <Action href={href} icon={Eye}>
        Open
      </Action>
      <Action href={replayHref} icon={Repeat2}>
        Replay
      </Action>
      {isCancellable ? (
        <Action href={cancelHref} icon={CircleSlash}>
          Cancel
        </Action>
      ) : (
        <span className="px-3 py-1 text-ink-muted text-xs">Cannot be cancelled: it is {statusWord(status)}.</span>
      )}
    </div>
  );
}

function Action({ href, icon, children }: { href: string; icon: IconNode; children: ReactNode }) {
  return (
    <a href={href} className="menu-entry">
      <Icon of={icon} small />
      {children}
    </a>
  );
}
