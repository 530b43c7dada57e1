import { ConfirmCard } from "#components/schedules/confirm-card.tsx";
import { FlashNotice } from "#components/schedules/flash-notice.tsx";
import { OperationProgress, OperationScope, type ShownOperation } from "#components/schedules/operation-progress.tsx";
import { copyProgress } from "#domain/copies-of-operation.ts";
import { OPERATION_STATUSES } from "#domain/operations.ts";
import { Section } from "./section.tsx";

const AT = new Date("2026-03-27T14:32:07.412Z");

const OPERATION: ShownOperation = {
  id: "op_01kbm5qk4f8rz3c2x7w9v6n1ta",
  action: "cancel",
  status: "running",
  filter: { statuses: ["scheduled", "failed"], q: "lumen", from: AT, to: null },
  total: 10_000,
  totalCapped: true,
  acted: 4_212,
  leftAlone: { firing: 2, succeeded: 41 },
  error: null,
  createdAt: AT,
  endedAt: null,
};

const SHOWN: Record<(typeof OPERATION_STATUSES)[number], Partial<ShownOperation>> = {
  running: {},
  done: { action: "replay", filter: null, total: 12, totalCapped: false, acted: 3, leftAlone: { over_quota: 9 } },
  stopped: { total: 1_281, totalCapped: false, acted: 400 },
  failed: {
    total: 77,
    totalCapped: false,
    error: "A step failed several times in a row for a reason of our own. What was done before stays done.",
  },
};

const REPLAYED = { total: 37, totalCapped: false, acted: 37, leftAlone: {}, status: "done" as const };
const NO_COPIES = { scheduled: 0, firing: 0, succeeded: 0, failed: 0, dead: 0, cancelled: 0 };
const COPIES = {
  moving: {
    counts: { byStatus: { ...NO_COPIES, succeeded: 12, failed: 2, firing: 3, scheduled: 20 }, isCapped: false },
  },
  mended: { counts: { byStatus: { ...NO_COPIES, succeeded: 37 }, isCapped: false } },
  "dead again": { counts: { byStatus: { ...NO_COPIES, succeeded: 30, dead: 1, cancelled: 2 }, isCapped: false } },
};

const USAGE = { period: "202603", plan: "free", scheduled: 1_412, limit: 2_000, grace_limit: 2_200 } as const;

/** Operations: the confirm card, progress in each status, and flash notices. */
export function ScheduleParts() {
  return (
    <Section title="Operations on many schedules">
      <FlashNotice flash={{ result: "cancel", id: "sch_1" }} hrefOf={(id) => `#${id}`} />
      <FlashNotice flash={{ result: "replay", id: "sch_2" }} hrefOf={(id) => `#${id}`} />
      <FlashNotice error="none" hrefOf={(id) => `#${id}`} />
      {(["cancel", "replay"] as const).map((action) => (
        <ConfirmCard
          key={action}
          action={action}
          count={1_281}
          isCapped={action === "replay"}
          leftAlone={action === "replay" ? 12 : 0}
          only={null}
          filter={action === "replay" ? null : { statuses: ["scheduled"], q: "lumen", from: null, to: AT }}
          zone="UTC"
          usage={{ ...USAGE, over_limit: false }}
          formAction="#start"
          fields={{ action }}
          backHref="#list"
          againHref="#again"
          error={action === "replay" ? "quota" : undefined}
        />
      ))}
      {OPERATION_STATUSES.map((status) => (
        <OperationProgress
          key={status}
          operation={{
            ...OPERATION,
            ...SHOWN[status],
            id: `op_${status}`,
            status,
            endedAt: status === "running" ? null : AT,
          }}
          isDispatcherAlive={status !== "running"}
          stopAction="#stop"
          stopFields={{}}
        />
      ))}
      {Object.entries(COPIES).map(([name, counted]) => (
        <OperationProgress
          key={name}
          operation={{ ...OPERATION, id: `op_${name}`, action: "replay", ...REPLAYED }}
          copies={{
            counts: counted.counts,
            progress: copyProgress({ ...REPLAYED, isRunning: false, leftAlone: 0 }, counted.counts),
            hrefOf: (status = "scheduled") => `#copies-${name}-${status}`,
          }}
          isDispatcherAlive
          stopAction="#stop"
          stopFields={{}}
        />
      ))}
      <OperationScope operation={OPERATION} listHref="#list" zone="Europe/Berlin" />
    </Section>
  );
}
