import { Plus } from "lucide";
import type { Environment } from "#domain/environment.ts";
import type { RecurrenceStatus } from "#domain/recurrence-step.ts";
import type { ScheduleStatus } from "#domain/states.ts";
import { capitalised } from "../format/status-word.ts";
import { ButtonLink } from "../ui/button.tsx";
import { CodeBlock } from "../ui/code-block.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { highlightCode } from "../ui/highlight-code.ts";
import { Icon } from "../ui/icon.tsx";
import { None } from "../ui/none.tsx";
import { Status } from "../ui/status.tsx";
import { Cell, HeadCell, Row, RowHead, Table, TableBody, TableHead } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { RecurrenceState } from "./recurrence-state.tsx";

export type ListedRecurrence = {
  key: string;
  name: string | null;
  status: RecurrenceStatus;
  /** The rule in words. */
  rule: string;
  timezone: string;
  next: Date | null;
  /** Its latest occurrence that is due. */
  last: { status: ScheduleStatus; at: Date } | null;
  href: string;
};

/** A table of recurrences, with links to their pages. `zone` is that of the reader. */
export function RecurrenceTable({
  recurrences,
  now,
  zone,
}: {
  recurrences: readonly ListedRecurrence[];
  now: Date;
  zone: string;
}) {
  return (
    <Table caption="Recurrences, the newest first" stacks>
      <TableHead>
        <HeadCell>Name</HeadCell>
        <HeadCell>Status</HeadCell>
        <HeadCell>Rule</HeadCell>
        <HeadCell>Next</HeadCell>
        <HeadCell>Last</HeadCell>
      </TableHead>
      <TableBody>
        {recurrences.map(({ key, name, status, rule, timezone, next, last, href }) => (
          <Row key={key}>
            <RowHead stacked="line" className="wrap-anywhere md:min-w-40">
              <a href={href} className="row-link block">
                {name ?? key}
              </a>
            </RowHead>
            <Cell stacked="title">
              <RecurrenceState status={status} />
            </Cell>
            <Cell stacked="line" className="md:w-1/2">
              <span>
                {capitalised(rule)} <span className="text-ink-muted text-xs">{timezone}</span>
              </span>
            </Cell>
            <Cell stacked="aside" className="whitespace-nowrap">
              {next ? <RelativeTime at={next} now={now} zone={zone} isAhead /> : <Missing what="no next one" />}
            </Cell>
            <Cell label="last" className="whitespace-nowrap">
              {last ? (
                <span className="inline-flex items-center gap-2">
                  <Status status={last.status} />
                  <span className="text-ink-muted text-xs">
                    <RelativeTime at={last.at} now={now} zone={zone} />
                  </span>
                </span>
              ) : (
                <Missing what="none yet" />
              )}
            </Cell>
          </Row>
        ))}
      </TableBody>
    </Table>
  );
}

function Missing({ what }: { what: string }) {
  return (
    <span className="text-ink-muted">
      <None what={what} />
    </span>
  );
}

/** Shown in place of the list before the first recurrence. */
export function RecurrencesEmpty({ newHref, baseUrl, env }: { newHref: string; baseUrl: string; env: Environment }) {
  return (
    <>
      <EmptyState
        title="Nothing recurs yet"
        art="first"
        actions={
          <ButtonLink kind="primary" href={newHref}>
            <Icon of={Plus} />
            New recurrence
          </ButtonLink>
        }
      >
        <p>
          A rule, such as every weekday at 09:00 in Berlin, and the request that is sent each time. Each one is a
          schedule of its own, with its attempts and its lateness.
        </p>
      </EmptyState>
      <div className="grid grid-cols-1 gap-2 px-4 pb-4">
        <p className="text-center text-ink-soft text-sm">Or by the API:</p>
        <CodeBlock title="curl" what="First recurrence" code={highlightCode("sh", [exampleOf(baseUrl, env)])} />
      </div>
    </>
  );
}

function exampleOf(baseUrl: string, env: Environment): string {
  const body = `{ "cron": "0 9 * * 1-5", "timezone": "Europe/Berlin",\n        "targetUrl": "https://example.com/", "method": "GET" }`;
  return `export STOPWATCH_API_KEY="sw_${env}_…"\ncurl -X PUT ${baseUrl}/v1/recurrences/daily-report \\\n  -H "Authorization: Bearer $STOPWATCH_API_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '${body}'`;
}
