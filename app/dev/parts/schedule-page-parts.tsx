import { OperationResult } from "#components/schedules/operation-result.tsx";
import { RequestFacts } from "#components/schedules/request-facts.tsx";
import { ActionsCard } from "#components/schedules/schedule-actions.tsx";
import { ScheduleSummary } from "#components/schedules/schedule-summary.tsx";
import type { ShownSchedule } from "#components/schedules/shown-schedule.ts";
import { StatusSummary } from "#components/schedules/status-summary.tsx";
import { TimeFacts } from "#components/schedules/time-facts.tsx";
import { Timeline } from "#components/schedules/timeline.tsx";
import { LONG_ERROR, LONG_NAME, LONG_URL } from "./extreme-values.ts";
import { Section } from "./section.tsx";

const NOW = new Date("2026-03-27T14:32:07.000Z");
const LINKS = { fire: "#fire", cancel: "#cancel", reschedule: "#reschedule", replay: "#replay", clone: "#clone" };

const SCHEDULE: ShownSchedule = {
  id: "sch_01kbm5qk4f8rz3c2x7w9v6n1ta",
  targetUrl: LONG_URL,
  method: "POST",
  status: "failed",
  fireAt: new Date("2026-03-27T14:30:00.000Z"),
  firedAt: null,
  offsetMs: null,
  earlyFire: false,
  delivery: {
    timeoutMs: 5_000,
    retryDelaysMs: [...Array(24).keys()].map((at) => (at + 1) * 61_000),
    giveUpStatuses: [410, "400-404"],
    expiresAtMs: NOW.getTime() + 86_400_000,
  },
  payloadSizeBytes: 312,
  createdAt: new Date("2026-03-26T09:14:02.118Z"),
  endedAt: null,
  nextAttemptAt: new Date("2026-03-27T14:32:19.402Z"),
  replayOf: "sch_01kbm5qk4f8rz3c2x7w9v6n1tb",
  recurrence: LONG_NAME.repeat(3),
  operationId: "op_01kbm5qk4f8rz3c2x7w9v6n1tb",
  creator: { kind: "key", name: "checkout-worker", prefix: "sw_live_", last4: "k2Qa", isRevoked: false },
  idempotencyKey: LONG_NAME.repeat(3),
  isErased: false,
  hasContent: true,
  attemptCount: 2,
  retentionDays: 7,
  lastStatusCode: 503,
  lastError: "closed",
  endReason: null,
  attempts: [
    {
      attempt: 2,
      statusCode: 503,
      latencyMs: 29_997,
      errorText: LONG_ERROR,
      attemptedAt: new Date("2026-03-27T14:30:36.431Z"),
      timing: { late: 304, claim: 3, wait: 0, connect: null, firstByte: 86_400_000 },
    },
  ],
  copies: {
    newest: [
      { id: "sch_01kbm5qk4f8rz3c2x7w9v6n1tc", status: "scheduled" },
      { id: "sch_01kbm5qk4f8rz3c2x7w9v6n1td", status: "dead" },
    ],
    count: 1_000,
    isCapped: true,
  },
  ahead: { total: 5, lastAtMs: NOW.getTime() + 420_000 },
  retryWait: { plannedMs: 60_000, jitterMs: 13_000 },
  problems: {
    fire: null,
    cancel: null,
    reschedule: "Its time can change only while it is scheduled.",
    replay: "Payload and headers were erased at the end of the plan's retention.",
    clone: null,
  },
};

const FIRED = { firedAt: new Date("2026-03-27T14:30:00.004Z"), offsetMs: 4 };

// Only one of the statuses after firing: their headings are the same, and landmark names must be unique.
const STATUSES_SHOWN = ["scheduled", "firing", "dead", "cancelled"] as const;

const SHOWN: Record<(typeof STATUSES_SHOWN)[number], Partial<ShownSchedule>> = {
  scheduled: { fireAt: new Date("2026-04-27T14:30:00.000Z"), attemptCount: 0 },
  firing: { attemptCount: 1 },
  dead: { ...FIRED, offsetMs: 86_400_000, attemptCount: 5 },
  cancelled: { ahead: { total: null, lastAtMs: null }, attemptCount: 0 },
};

/** The page of a schedule: each status, and values as long as they can be. */
export function SchedulePageParts() {
  return (
    <>
      <Section title="A schedule: status summary">
        {STATUSES_SHOWN.map((status) => (
          <StatusSummary
            logHref="#log"
            hrefOf={(id) => `#${id}`}
            key={status}
            schedule={{ ...SCHEDULE, ...SHOWN[status], status }}
            zone="Europe/Berlin"
            now={NOW}
          />
        ))}
      </Section>
      <Section title="A schedule: its request, with values as long as they can be">
        {["created", "over", "known", "replayed", "fired"].map((result) => (
          <OperationResult key={result} schedule={SCHEDULE} result={result} originalHref="#original" />
        ))}
        <OperationResult schedule={SCHEDULE} failed="cancel" error="UNAVAILABLE" />
        <OperationResult schedule={SCHEDULE} failed="fire" error="CONFLICT" />
        <ScheduleSummary schedule={SCHEDULE} zone="Europe/Berlin" href="#one" />
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_21.5rem]">
          <Timeline schedule={SCHEDULE} zone="Europe/Berlin" now={NOW} />
          <div className="grid grid-cols-1 gap-4">
            <RequestFacts
              schedule={SCHEDULE}
              env="test"
              hrefOf={(id) => `#${id}`}
              operationHref="#operation"
              recurrenceHref="#recurrence"
            />
            <TimeFacts schedule={{ ...SCHEDULE, ...FIRED }} zone="Europe/Berlin" />
            <ActionsCard schedule={SCHEDULE} links={LINKS} />
          </div>
        </div>
      </Section>
    </>
  );
}
