import type { DeliveryOptions } from "#domain/delivery-options.ts";
import type { ErrorCode } from "#domain/errors.ts";
import type { FireTime } from "#domain/fire-time.ts";
import { formatInstant } from "#domain/instant.ts";
import type { PlanName } from "#domain/plans.ts";
import type { RequestOptions } from "#domain/request-fields.ts";
import type { ScheduleStatus } from "#domain/states.ts";
import { NOTIFY_HORIZON_MS } from "#domain/timing.ts";
import type { Sql } from "../../client.ts";
import type { Tenant } from "../accounts/tenant.ts";

export type NewSchedule = RequestOptions & {
  /** UUID. */
  id: string;
  fireTime: FireTime;
  targetUrl: string;
  origin: string;
  method: string;
  sealed: Buffer | null;
  payloadSizeBytes: number;
  idempotencyKey: string | null;
  /** Empty without an idempotency key: there is nothing to compare. */
  requestHash: Buffer;
  /** UUID. */
  replayOf: string | null;
  /**
   * What the caller found wrong with the request, or null. The checks of account, idempotency key and time come before
   * it.
   */
  rejection: ErrorCode | null;
  /** It needs no room in the quota, and takes none: the replay of a `dead` one. */
  isUncounted?: boolean;
};

export type Creation =
  | {
      outcome: "created" | "replayed";
      id: string;
      fireAtMs: number;
      status: ScheduleStatus;
      overLimit: boolean;
      /** The idempotency key is known, and its request was another one. */
      mismatch: boolean;
    }
  /** `expired`: it would be so before its time. */
  | { outcome: "inactive" | "stale" | "past" | "expired" | "rejected" | "quota" };

export type CreationLimits = {
  limit: number;
  /** Schedules a month above which nothing is created. */
  graceLimit: number;
  /** The plan's default, used when neither the request nor the account sets it. */
  earlyFire: boolean;
  /** The cached credential: API key (UUID; null: none) and plan. When it no longer holds, the outcome is `stale`. */
  cached?: { keyId: string | null; plan: PlanName } | undefined;
  /** Who creates it (`creatorOf`); absent for an operation. */
  createdBy?: string;
};

/**
 * Creates one schedule, or finds the one that has its idempotency key, in one round trip. The checks come in this
 * order: account, idempotency key, time, expiry, the caller's rejection, quota.
 */
export async function createSchedule(
  sql: Sql,
  tenant: Tenant,
  limits: CreationLimits,
  schedule: NewSchedule,
): Promise<Creation> {
  const [row] = await sql`
    SELECT outcome, id, status, over_limit, mismatch, extract(epoch FROM fire_at)::float8 * 1000 AS fire_at_ms
    FROM create_schedule(
      ${storedArguments(sql, tenant, limits, schedule)}, p_replay_of => ${schedule.replayOf}::uuid,
      p_is_counted => ${!schedule.isUncounted}::boolean)`;
  if (!row) throw new Error("create_schedule returned no row");
  if (row.outcome !== "created" && row.outcome !== "replayed") return { outcome: row.outcome };
  return {
    outcome: row.outcome,
    id: row.id,
    fireAtMs: Math.round(row.fire_at_ms),
    status: row.status,
    overLimit: row.over_limit,
    mismatch: row.mismatch,
  };
}

/** The arguments of create_schedule that put_schedule has too. */
export function storedArguments(
  sql: Sql,
  { accountId, env }: Tenant,
  { cached, createdBy, ...limits }: CreationLimits,
  { fireTime, ...schedule }: Omit<NewSchedule, "replayOf" | "isUncounted">,
) {
  return sql`
    p_account => ${accountId}::uuid, p_env => ${env}, p_id => ${schedule.id}::uuid,
    p_fire_at => ${"atMs" in fireTime ? formatInstant(fireTime.atMs) : null}::timestamptz,
    p_fire_in_ms => ${"inMs" in fireTime ? fireTime.inMs : null}::bigint, p_early => ${schedule.earlyFire}::boolean,
    p_early_default => ${limits.earlyFire}::boolean, p_target_url => ${schedule.targetUrl}, p_origin => ${schedule.origin},
    p_method => ${schedule.method}, p_sealed => ${schedule.sealed}::bytea,
    p_payload_size => ${schedule.payloadSizeBytes}::integer, p_idempotency_key => ${schedule.idempotencyKey}::text,
    p_request_hash => ${schedule.requestHash}::bytea, p_rejection => ${schedule.rejection}::text,
    p_quota => ${limits.limit}::integer, p_grace => ${limits.graceLimit}::integer,
    p_notify_horizon_ms => ${NOTIFY_HORIZON_MS}, p_key => ${cached?.keyId ?? null}::uuid,
    p_plan => ${cached?.plan ?? null}::text, p_created_by => ${createdBy ?? null}::uuid,
    p_delivery => ${deliveryText(schedule.delivery)}::text::jsonb`;
}

/** Delivery options as the functions take them. */
export const deliveryText = (delivery: DeliveryOptions | null): string | null => delivery && JSON.stringify(delivery);
