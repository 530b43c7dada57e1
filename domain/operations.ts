import type { Filters } from "./filter-values.ts";
import { SHARDS } from "./shard-share.ts";
import { canTransition, type ScheduleStatus, STATUSES } from "./states.ts";

export const OPERATION_ACTIONS = ["cancel", "replay"] as const;

export type OperationAction = (typeof OPERATION_ACTIONS)[number];

/** The statuses of the schedules that each action changes or copies. It leaves the others alone. */
export const ACTED_ON: Readonly<Record<OperationAction, readonly ScheduleStatus[]>> = {
  cancel: STATUSES.filter((status) => status !== "firing" && canTransition(status, "cancelled")),
  replay: STATUSES,
};

/** The statuses of `wanted` (any, when undefined) that the action acts on. */
export function actedOnAmong(action: OperationAction, wanted: readonly ScheduleStatus[] | undefined): ScheduleStatus[] {
  return (wanted ?? STATUSES).filter((status) => ACTED_ON[action].includes(status));
}

/*
 * running → done       every schedule of the set was processed
 * running → stopped    the owner stopped it
 * running → failed     a step failed again and again
 */
export const OPERATION_STATUSES = ["running", "done", "stopped", "failed"] as const;

export type OperationStatus = (typeof OPERATION_STATUSES)[number];

/** Why a schedule of an operation's set was left as it is. */
export const LEFT_ALONE_REASONS = [
  "firing",
  "succeeded",
  "dead",
  "cancelled",
  "rescheduled",
  "erased",
  "expired",
  "over_quota",
  "target_not_allowed",
  "payload_too_large",
  "unreadable",
  "not_found",
] as const;

export type LeftAloneReason = (typeof LEFT_ALONE_REASONS)[number];

/** How many schedules were left alone for each reason. Reasons that never applied are absent. */
export type LeftAlone = { [reason in LeftAloneReason]?: number };

/** The sum of two counts. */
export function addLeftAlone(a: LeftAlone, b: LeftAlone): LeftAlone {
  const sum: LeftAlone = { ...a };
  for (const [reason, count] of Object.entries(b) as [LeftAloneReason, number][])
    sum[reason] = (sum[reason] ?? 0) + count;
  return sum;
}

/** Counts each reason. */
export function countReasons(reasons: readonly LeftAloneReason[]): LeftAlone {
  return reasons.reduce<LeftAlone>((left, reason) => addLeftAlone(left, { [reason]: 1 }), {});
}

/**
 * The schedules that an operation is about, as GET /v1/schedules filters them; null: any. A dispatcher of an earlier release
 * applies none of `Filters`, which came later.
 */
export type OperationFilter = {
  statuses: ScheduleStatus[] | null;
  /** Part of the target's URL in any letter case, or a whole schedule id; `scheduleId` is its UUID. */
  q: { text: string; scheduleId: string | null } | null;
  /** `fire_at` from here on, epoch ms. */
  fromMs: number | null;
  /** `fire_at` before this, epoch ms. */
  toMs: number | null;
} & Filters;

/** Filters came with two releases; an operation without any is of the generation 0. */
export type FilterGeneration = 0 | 1 | 2;

/**
 * The number under which a shard's operations with filters of a generation are stored. Dispatchers of an earlier release look for
 * operations by the numbers that they know, so they leave these to others.
 */
export const narrowerShard = (shard: number, generation: FilterGeneration): number =>
  generation === 0 ? shard : -1 - shard - (generation - 1) * SHARDS;

/** The numbers of the shards, and those of their operations with a narrower filter. */
export const withNarrower = (shards: readonly number[]): number[] =>
  shards.flatMap((shard) => ([0, 1, 2] as const).map((generation) => narrowerShard(shard, generation)));

/** Operations of an account and environment that may run at once. */
export const OPERATIONS_RUNNING_MAX = 10;

/** Schedules that an operation on chosen ones may name. */
export const OPERATION_IDS_MAX = 1_000;
