import { formatCount } from "../format/number.ts";
import { ExactTime } from "../ui/exact-time.tsx";
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
  latencyMs: number;
  errorText: string;
  attemptedAt: Date;
  /** The page of its schedule. */
  href: string;
  /** The log filtered by this schedule. */
  onlyHref: string;
};

/** A table of attempts of any schedules. */
export function AttemptTable({ attempts, zone, now }: { attempts: readonly ListedAttempt[]; zone: string; now: Date }) {
  return (
    <Table caption="Attempts, newest first" stacks dense>
      <TableHead>
        <HeadCell>Time ({zone})</HeadCell>
        <HeadCell>Outcome</HeadCell>
        <HeadCell>Code</HeadCell>
        <HeadCell>Target</HeadCell>
        <HeadCell numeric>Latency</HeadCell>
        <HeadCell numeric className={LESS}>
          Attempt
        </HeadCell>
        <HeadCell className={OPTIONAL}>Schedule</HeadCell>
        <HeadCell>Error</HeadCell>
      </TableHead>
      <TableBody>
        {attempts.map((attempt) => (
          <AttemptRow
            key={`${attempt.scheduleId} ${attempt.attempt} ${attempt.attemptedAt.getTime()}`}
            attempt={attempt}
            zone={zone}
            now={now}
          />
        ))}
      </TableBody>
    </Table>
  );
}

/** For narrow screens: the details that have no column there. */
const OPTIONAL = "max-[76.5rem]:hidden";
const LESS = "md:max-[72rem]:hidden";

function AttemptRow({
  attempt: { scheduleId, attempt, method, targetUrl, statusCode, latencyMs, errorText, attemptedAt, href, onlyHref },
  zone,
  now,
}: {
  attempt: ListedAttempt;
  zone: string;
  now: Date;
}) {
  return (
    <Row>
      <Cell stacked="title" className="text-ink-muted">
        <ExactTime at={attemptedAt} zone={zone} day={now} />
      </Cell>
      <Cell stacked="aside">
        <AttemptOutcome isSuccess={statusCode !== null && statusCode >= 200 && statusCode < 300} />
      </Cell>
      <Cell label="code">
        <StatusCode code={statusCode} />
      </Cell>
      <Cell rest stacked="line">
        <Target method={method} url={targetUrl} href={href} />
      </Cell>
      <Cell numeric label="latency">
        {formatCount(latencyMs)} ms
      </Cell>
      <Cell numeric label="attempt" className={LESS}>
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
      <Cell stacked={errorText === "" ? "hidden" : "line"}>
        <span
          className="block max-w-60 truncate text-ink-soft text-xs max-[90rem]:max-w-44 max-[72rem]:max-w-28 max-md:max-w-full"
          title={errorText}
        >
          {errorText}
        </span>
      </Cell>
    </Row>
  );
}

const SHOWN_OF_ID = 6;
