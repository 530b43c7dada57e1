import { LatenessCell } from "../charts/lateness-cell.tsx";
import { formatCount } from "../format/number.ts";
import { formatTaken } from "../format/offset.ts";
import { ExactTime } from "../ui/exact-time.tsx";
import { SortedHead, type SortLink } from "../ui/sorted-head.tsx";
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from "../ui/table.tsx";
import { Target } from "../ui/target.tsx";
import { AttemptOutcome } from "./attempt-outcome.tsx";
import { StatusCode } from "./status-code.tsx";

export type ListedAttempt = {
  scheduleId: string;
  attempt: number;
  method: string;
  targetUrl: string;
  statusCode: number | null;
  /** After it was due, ms; null where that is not known. */
  lateMs: number | null;
  latencyMs: number;
  errorText: string;
  attemptedAt: Date;
  /** The page of its schedule. */
  href: string;
  /** The log filtered by this schedule. */
  onlyHref: string;
};

/** A table of attempts of any schedules. */
export function AttemptTable({
  attempts,
  zone,
  now,
  sort,
}: {
  attempts: readonly ListedAttempt[];
  zone: string;
  now: Date;
  sort: { sent: SortLink; late: SortLink };
}) {
  const isTwoSided = attempts.some(({ lateMs }) => lateMs !== null && lateMs < 0);
  const hasErrors = attempts.some(({ errorText }) => errorText !== "");
  return (
    <Table caption={`Attempts, ${sort.late.direction ? "latest" : "newest"} first`} stacks dense>
      <TableHead>
        <SortedHead sort={sort.sent}>{`Sent (${zone})`}</SortedHead>
        <HeadCell>Outcome</HeadCell>
        <HeadCell>Code</HeadCell>
        <HeadCell>Target</HeadCell>
        <SortedHead sort={sort.late} className="max-[92rem]:text-right">
          Late
        </SortedHead>
        <HeadCell numeric className={LESS}>
          Latency
        </HeadCell>
        <HeadCell numeric className={LESS}>
          Attempt
        </HeadCell>
        <HeadCell className={OPTIONAL}>Schedule</HeadCell>
        {hasErrors && <HeadCell>Error</HeadCell>}
      </TableHead>
      <TableBody>
        {attempts.map((attempt) => (
          <AttemptRow
            key={`${attempt.scheduleId} ${attempt.attempt} ${attempt.attemptedAt.getTime()}`}
            attempt={attempt}
            zone={zone}
            now={now}
            isTwoSided={isTwoSided}
            hasErrors={hasErrors}
          />
        ))}
      </TableBody>
    </Table>
  );
}

/** For narrow screens: the details that have no column there. */
const OPTIONAL = "max-[76.5rem]:hidden";
const LESS = "md:max-[72rem]:hidden";
/** The second line of a row on a phone: the target, and room for how late. */
const BESIDE_LATE = "max-md:basis-[calc(100%-6rem)] max-md:grow";

function AttemptRow({
  attempt: {
    scheduleId,
    attempt,
    method,
    targetUrl,
    statusCode,
    lateMs,
    latencyMs,
    errorText,
    attemptedAt,
    href,
    onlyHref,
  },
  zone,
  now,
  isTwoSided,
  hasErrors,
}: {
  attempt: ListedAttempt;
  zone: string;
  now: Date;
  isTwoSided: boolean;
  hasErrors: boolean;
}) {
  return (
    <Row>
      <Cell stacked="title" className="text-ink-muted">
        <ExactTime at={attemptedAt} zone={zone} day={now} />
      </Cell>
      <Cell stacked="aside">
        <AttemptOutcome isSuccess={statusCode !== null && statusCode >= 200 && statusCode < 300} />
      </Cell>
      <Cell stacked="title">
        <StatusCode code={statusCode} />
      </Cell>
      <Cell rest className={BESIDE_LATE}>
        <Target method={method} url={targetUrl} href={href} />
      </Cell>
      <Cell className="max-[92rem]:text-right max-md:ml-auto max-[92rem]:[&_svg]:hidden">
        <LatenessCell ms={lateMs === null ? null : Math.floor(lateMs)} isTwoSided={isTwoSided} />
      </Cell>
      <Cell numeric stacked="hidden" className={LESS}>
        {formatTaken(latencyMs)}
      </Cell>
      <Cell numeric stacked="hidden" className={LESS}>
        {formatCount(attempt)}
      </Cell>
      <Cell stacked="hidden" className={OPTIONAL}>
        <a
          href={onlyHref}
          title={`Only attempts of ${scheduleId}`}
          className="inline-flex min-h-6 items-center font-mono text-ink-soft text-xs hover:underline"
        >
          …{scheduleId.slice(-SHOWN_OF_ID)}
          <span className="sr-only">: only attempts of {scheduleId}</span>
        </a>
      </Cell>
      {hasErrors && (
        // On a phone, two lines for each row: a code says enough, and the page of the schedule the rest.
        <Cell stacked={errorText === "" || statusCode !== null ? "hidden" : "line"}>
          <span
            className="block max-w-60 truncate text-ink-soft text-xs max-[92rem]:max-w-28 max-md:max-w-full"
            title={errorText}
          >
            {errorText}
          </span>
        </Cell>
      )}
    </Row>
  );
}

const SHOWN_OF_ID = 6;
