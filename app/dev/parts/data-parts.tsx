import { SearchX, Unplug } from "lucide";
import { LatenessCell } from "#components/charts/lateness-cell.tsx";
import { LatenessHistogram } from "#components/charts/lateness-histogram.tsx";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { Card, CardBody, CardHead } from "#components/ui/card.tsx";
import { Checkbox } from "#components/ui/choice.tsx";
import { CodeBlock } from "#components/ui/code-block.tsx";
import { CodeTabs } from "#components/ui/code-tabs.tsx";
import { Copy } from "#components/ui/copy.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Facts } from "#components/ui/facts.tsx";
import { Pager } from "#components/ui/pager.tsx";
import { LatenessFigure, Reading } from "#components/ui/reading.tsx";
import { TableSkeleton } from "#components/ui/skeleton.tsx";
import { Status } from "#components/ui/status.tsx";
import { Cell, HeadCell, Row, RowHead, Table, TableBody, TableHead } from "#components/ui/table.tsx";
import { FilterChip, Segments, Tabs } from "#components/ui/tabs.tsx";
import { Tag } from "#components/ui/tag.tsx";
import { Target } from "#components/ui/target.tsx";
import { FullTime, RelativeTime } from "#components/ui/time.tsx";
import { STATUSES } from "#domain/states.ts";
import { Section } from "./section.tsx";

const NOW = new Date("2026-03-27T14:32:07.000Z");
const before = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000);

// Invented data for the gallery, not a measurement.
const COUNTS = [
  ...Array.from({ length: 160 }, (_, ms) => ({ ms, count: Math.round(30_000 / (1 + ms * 0.6) ** 2) })),
  ...[260, 284, 304, 320, 400, 470, 560, 1_200, 2_100].map((ms) => ({ ms, count: 1 })),
];

const ROWS = [
  { status: "scheduled", url: "https://example.com/hooks/trial-ends", at: before(-161), ms: null },
  {
    status: "firing",
    url: "https://inventory.example.com/v2/holds/8812/release?because=it-expired",
    at: NOW,
    ms: null,
  },
  { status: "succeeded", url: "https://example.com/hooks/reminder", at: before(4), ms: 3 },
  { status: "succeeded", url: "https://example.com/", at: before(19), ms: 0 },
  { status: "failed", url: "https://api.example.com/jobs/reconcile", at: before(41), ms: 304 },
  { status: "dead", url: "https://old.example.com/sessions/44", at: before(5_400), ms: 61_000 },
] as const;

/** Statuses, figures, tables and empty states. */
export function DataParts() {
  return (
    <>
      <Section title="Status: icon, word, colour; badge in heads, plain in tables">
        <Card>
          <CardBody className="flex flex-wrap gap-x-6 gap-y-3">
            {STATUSES.map((status) => (
              <span key={status} className="flex gap-3">
                <Status status={status} badge />
                <Status status={status} />
              </span>
            ))}
            <span className="flex gap-2">
              <Tag>Free</Tag>
              <Tag kind="live">live</Tag>
              <Tag kind="test">test</Tag>
            </span>
          </CardBody>
        </Card>
      </Section>
      <Section title="The zero line, large">
        <Card>
          <CardBody className="grid gap-4">
            <div className="flex flex-wrap items-end gap-x-10 gap-y-4">
              <LatenessFigure ms={3} size="hero" />
              <LatenessFigure ms={-18} />
              <LatenessFigure ms={0} />
              <LatenessFigure ms={252_000} />
              <Reading label="95 % within" unit="ms" note="of their instant">
                +19
              </Reading>
            </div>
            <LatenessHistogram counts={COUNTS} p50={3} p95={19} hrefOf={() => "#requests"} />
            <LatenessHistogram counts={[]} p50={0} p95={0} size="medium" hrefOf={() => "#requests"} />
          </CardBody>
        </Card>
      </Section>
      <Section title="Table">
        <Card>
          <Tabs
            label="Schedules by status"
            tabs={[
              { href: "#all", label: "All", count: 12_408, isCurrent: true },
              { href: "#scheduled", label: "Scheduled", count: 1_281 },
              { href: "#dead", label: "Dead", count: 9 },
            ]}
          />
          <div className="flex flex-wrap items-center gap-2 p-3">
            <FilterChip label="Fires today" removeHref="#reset" />
            <Segments
              label="Period"
              choices={[
                { href: "#24h", label: "24h", isCurrent: true },
                { href: "#7d", label: "7d" },
                { href: "#30d", label: "30d", locked: "Free keeps 7 days" },
              ]}
            />
          </div>
          <Table caption="Schedules" stacks>
            <TableHead>
              <HeadCell>Status</HeadCell>
              <HeadCell>Target</HeadCell>
              <HeadCell>Fires</HeadCell>
              <HeadCell>Late</HeadCell>
              <HeadCell numeric>Attempts</HeadCell>
            </TableHead>
            <TableBody>
              {ROWS.map(({ status, url, at, ms }, row) => (
                <Row key={url} selected={row === 0}>
                  <Cell stacked="title">
                    <Status status={status} />
                  </Cell>
                  <Cell rest stacked="line">
                    <Target method={row % 2 ? "DELETE" : "POST"} url={url} href="#one" />
                  </Cell>
                  <Cell stacked="aside">
                    <RelativeTime at={at} now={NOW} zone="Europe/Berlin" />
                  </Cell>
                  <Cell label="late" stacked="line">
                    <LatenessCell ms={ms} />
                  </Cell>
                  <Cell numeric stacked="hidden">
                    {row}
                  </Cell>
                </Row>
              ))}
            </TableBody>
          </Table>
          <Pager from={1} to={20} total={12_408} next="#next" note="Refresh is paused while something is selected." />
        </Card>
        <Card>
          <Table caption="Early ones, on the two-sided scale" dense>
            <TableHead>
              <HeadCell>Kind</HeadCell>
              <HeadCell>Late</HeadCell>
            </TableHead>
            <TableBody>
              {[-18, 4, 251].map((ms) => (
                <Row key={ms}>
                  <RowHead>{ms < 0 ? "asked to leave early" : "others"}</RowHead>
                  <Cell>
                    <LatenessCell ms={ms} isTwoSided />
                  </Cell>
                </Row>
              ))}
            </TableBody>
          </Table>
        </Card>
        <Card>
          <TableSkeleton what="Loading schedules" />
        </Card>
      </Section>
      <Section title="In the place of a list or a thing" columns>
        <Card>
          <EmptyState
            title="Nothing scheduled yet"
            art="first"
            actions={
              <ButtonLink href="#new" kind="primary">
                New schedule
              </ButtonLink>
            }
          >
            <p>Hand over a request and an instant. The first one can leave in a minute.</p>
          </EmptyState>
        </Card>
        <Card>
          <EmptyState
            title="No schedule matches"
            art="no-match"
            actions={<ButtonLink href="#reset">Reset filters</ButtonLink>}
          >
            <p>Looked for dead ones with “lumen” in the URL, due today.</p>
          </EmptyState>
        </Card>
        <Card>
          <EmptyState title="The list did not load" art={Unplug} actions={<Button kind="primary">Try again</Button>}>
            <p>The database did not answer within 5 s. Deliveries are not affected by this page.</p>
            <p className="flex items-center gap-1 text-ink-muted text-xs">
              Request <code>req_7Hq2mK0v</code>
              <Copy text="req_7Hq2mK0v" what="request id" />
            </p>
          </EmptyState>
        </Card>
        <Card>
          <EmptyState
            title="No such schedule here"
            art={SearchX}
            actions={<ButtonLink href="#all">All schedules</ButtonLink>}
          >
            <p>sch_01JQ8YV3KD is not a live schedule of this account.</p>
          </EmptyState>
        </Card>
      </Section>
      <Section title="Facts, times, code" columns>
        <Card>
          <CardHead title="Facts" />
          <CardBody>
            <Facts
              items={[
                ["Fires", <FullTime key="at" at={NOW} zone="Europe/Berlin" />],
                ["Payload", "encrypted, 312 B, never shown"],
                ["Target", "https://example.com/hooks/a-rather-long-path-that-has-to-break-somewhere-in-the-middle"],
              ]}
            />
          </CardBody>
          <CardBody>
            <Facts
              wide
              items={[["Where the names are long", <Checkbox key="c" name="fact" label="And the value a box" />]]}
            />
          </CardBody>
        </Card>
        <CodeTabs
          what="the same call"
          samples={[
            { label: "curl", code: "curl https://example.com/" },
            { label: "JavaScript", code: 'await fetch("https://example.com/");' },
          ]}
        />
        <CodeBlock
          title="Terminal"
          what="first curl"
          code={[
            "curl https://stopwatch.example.com/v1/schedules \\\n  -d ",
            { text: '\'{ "fireAt": ', as: "string" },
            { text: '"2026-03-27T14:33:07.000Z"', as: "instant" },
            { text: " }'", as: "string" },
            { text: "\n\n# 201", as: "comment" },
          ]}
        />
      </Section>
    </>
  );
}
