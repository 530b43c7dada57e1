import { AuditTable } from "#components/admin/audit-table.tsx";
import { DispatcherTable } from "#components/admin/dispatcher-table.tsx";
import { QueueCard } from "#components/admin/queue-card.tsx";
import { ServiceLateness } from "#components/admin/service-lateness.tsx";
import { AttemptTable, type ListedAttempt } from "#components/attempts/attempt-table.tsx";
import { LogEmpty, LogNoMatch } from "#components/attempts/log-states.tsx";
import { LogTail } from "#components/attempts/log-tail.tsx";
import { OperationTable } from "#components/schedules/operation-table.tsx";
import { type ListedSchedule, ScheduleTable } from "#components/schedules/schedule-table.tsx";
import { SchedulesEmpty, SchedulesNoMatch } from "#components/schedules/schedules-empty.tsx";
import { SelectionBar } from "#components/schedules/selection-bar.tsx";
import { Card } from "#components/ui/card.tsx";
import { FilterForm, FilterTimeRange } from "#components/ui/filter-form.tsx";
import { NarrowFilters } from "#components/ui/narrow-filters.tsx";
import { RangeForm } from "#components/ui/range-form.tsx";
import { SearchEnded } from "#components/ui/search-ended.tsx";
import { STATUSES } from "#domain/states.ts";
import { installationOf } from "#server/sdk-package.ts";
import { LONG_EMAIL, LONG_ERROR, LONG_NAME, LONG_REASON, LONG_URL } from "./extreme-values.ts";
import { Section } from "./section.tsx";

const NOW = new Date("2026-03-27T14:32:07.000Z");
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000);

const SCHEDULES: readonly ListedSchedule[] = STATUSES.map((status, at) => ({
  id: `sch_${at}`,
  url: at === 0 ? LONG_URL : "https://example.com/hooks/trial-ends",
  method: "DELETE",
  status,
  fireAt: ago(60 * at - 161),
  offsetMs: at < 2 ? null : 10 ** at,
  attempts: at === 5 ? 1_000_000 : at,
  nextAttemptAt: status === "failed" ? ago(-8_040) : null,
  createdAt: ago(100_000 * (at + 1)),
  href: "#one",
  cancelHref: "#cancel",
  replayHref: "#replay",
}));

const ATTEMPT: ListedAttempt = {
  scheduleId: "sch_01kbm5qk4f8rz3c2x7w9v6n1ta",
  attempt: 1,
  method: "POST",
  targetUrl: LONG_URL,
  statusCode: null,
  lateMs: 86_400_000,
  latencyMs: 86_400_000,
  errorText: LONG_ERROR,
  attemptedAt: ago(400_000),
  href: "#one",
  onlyHref: "#only",
};

/** Lists with the longest values and largest numbers, and what replaces an empty list. */
export function ListParts() {
  return (
    <>
      <Section title="Lists: schedules, attempts, operations">
        <Card>
          <FilterForm
            label="Filter with extreme values"
            action="#filter"
            kept={{}}
            q={LONG_NAME}
            chips={[
              { label: `“${LONG_NAME.repeat(3)}”`, removeHref: "#q" },
              { label: "from 1 January 2026, 00:00:00.000 UTC, before 1 January 2027", removeHref: "#range" },
            ]}
            resetHref="#reset"
          >
            <FilterTimeRange
              label="Due"
              zone="America/Argentina/ComodRivadavia"
              value="2026-01-01T00:00:00.001Z to 2027-01-01T00:00:00.001Z"
              problem="This range is not understood."
              suggestions={["yesterday"]}
            />
            <NarrowFilters values={{ late: "20..29", code: "503", host: LONG_NAME, idempotency_key: LONG_NAME }} />
          </FilterForm>
          <form className="group/rows">
            <ScheduleTable
              schedules={SCHEDULES}
              caption="Schedules with extreme values"
              now={NOW}
              zone="Europe/Berlin"
              isTicked
              sort={{
                fires: { href: "#fires", direction: "ascending" },
                created: { href: "#created" },
                late: { href: "#late" },
              }}
            />
            <SelectionBar
              ticked={{ all: 6, cancellable: 2 }}
              whole={{
                total: 10_000,
                isCapped: true,
                rows: 6,
                filter: "",
                selectPageHref: "#page",
                replayHref: "#replay",
                cancelHref: "#cancel",
                cancellable: { count: 189, isCapped: false },
              }}
            />
          </form>
        </Card>
        <Card>
          <RangeForm
            action="#range"
            kept={{}}
            zone="America/Argentina/ComodRivadavia"
            value={LONG_NAME}
            isInvalid
            suggestions={["yesterday"]}
          />
          <LogTail countHref="#count" known={null} listHref="#list" />
          <AttemptTable
            attempts={[ATTEMPT, { ...ATTEMPT, attempt: 2, statusCode: 204, latencyMs: 5, errorText: "" }]}
            zone="America/Argentina/ComodRivadavia"
            now={NOW}
            sort={{ sent: { href: "#sent", direction: "descending" }, late: { href: "#late" } }}
          />
        </Card>
        <Card>
          <OperationTable
            operations={[
              {
                id: "op_1",
                href: "#op",
                action: "cancel",
                status: "running",
                total: 10_000,
                totalCapped: true,
                acted: 1_234_567,
                leftAlone: { firing: 1_234_567 },
                error: null,
                createdAt: ago(4),
                endedAt: null,
                filter: { statuses: ["scheduled", "failed"], q: LONG_NAME, from: NOW, to: NOW },
              },
            ]}
            now={NOW}
            zone="UTC"
          />
        </Card>
      </Section>
      <Section title="Lists of administrators">
        <QueueCard
          queue={{
            due: 1_234_567,
            firing: 4_000,
            scheduled: 98_765_432,
            failed: 12_345_678,
            dead: 10_000,
            oldestDueMs: 93_784_000,
            isEstimated: true,
            isDeadCapped: true,
          }}
        />
        <ServiceLateness
          figures={{
            sent: 1_234_567,
            onTimeRate: 0.9987,
            p50: 3,
            p95: 19,
            histogram: [
              { ms: 0, count: 400 },
              { ms: 3, count: 900 },
              { ms: 19, count: 60 },
              { ms: 400, count: 1 },
            ],
          }}
        />
        <ServiceLateness figures={null} />
        <DispatcherTable
          dispatchers={[
            {
              id: "1",
              host: `${LONG_NAME}.internal`,
              pid: 41_207,
              version: "0.1.0",
              shards: 64,
              skewMs: -123.4,
              startedAtMs: ago(400_000).getTime(),
              beatAtMs: ago(360).getTime(),
              beatAgeMs: 360_000,
              isAlive: false,
            },
            {
              id: "2",
              host: "fra-1",
              pid: 7,
              version: "0.1.0",
              shards: 0,
              skewMs: null,
              isAlive: true,
              startedAtMs: ago(9).getTime(),
              beatAtMs: ago(0.4).getTime(),
              beatAgeMs: 400,
            },
          ]}
          shardsUnowned={64}
          now={NOW}
        />
        <AuditTable
          acts={[
            {
              id: "1",
              at: ago(90).toISOString(),
              action: "set_plan",
              actor: { kind: "admin", accountId: "acc_1", email: LONG_EMAIL },
              subject: { accountId: "acc_2", email: LONG_EMAIL },
              before: { grantedPlan: "free" },
              after: { grantedPlan: "indie", reason: LONG_REASON },
            },
          ]}
          now={NOW}
          zone="UTC"
          accountHref={(id) => `#${id}`}
          firstHref="#first"
          nextHref="#next"
        />
      </Section>
      <Section title="In the place of a list" columns>
        <Card>
          <SchedulesEmpty
            newHref="#new"
            keysHref="#keys"
            installation={installationOf("https://stopwatch.example.com")}
            env="test"
          />
        </Card>
        <Card>
          <SchedulesNoMatch filter={`dead ones with “${LONG_NAME}” in the URL`} resetHref="#reset" />
        </Card>
        <Card>
          <LogEmpty retentionDays={7} newHref="#new" />
        </Card>
        <Card>
          <SearchEnded title="No attempt found so far" nextHref="#next" next="Search on" />
        </Card>
        <Card>
          <LogNoMatch chips={["code 5xx", `“${LONG_NAME}” in the URL`]} outcome="failed" resetHref="#reset" />
        </Card>
      </Section>
    </>
  );
}
