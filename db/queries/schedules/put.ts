import type { ScheduleStatus } from "#domain/states.ts";
import type { Sql } from "../../client.ts";
import type { Tenant } from "../accounts/tenant.ts";
import { type CreationLimits, type NewSchedule, storedArguments } from "./create.ts";

/** A schedule that is to have its idempotency key, whoever has it now. */
export type PutRequest = Omit<NewSchedule, "replayOf" | "idempotencyKey" | "isUncounted"> & {
  idempotencyKey: string;
  /**
   * The schedule (UUID) that was seen to have the key, or null. It is changed in place where it is also the request's `id`,
   * and loses the key to a new one otherwise.
   */
  holder: string | null;
  /** With a duration as `fireTime`: the time is at most this long after the schedule's creation, ms. */
  maxDelayMs: number | null;
};

export type Put =
  | {
      outcome: "created" | "changed";
      id: string;
      fireAtMs: number;
      status: ScheduleStatus;
      overLimit: boolean;
      /** The schedule (UUID) that has lost the key. */
      replaces: string | null;
    }
  /** Nothing was changed. `endsAtMs`: when its attempt ends at the latest. */
  | { outcome: "firing"; endsAtMs: number }
  /** `moved`: the key has another holder by now, or the holder another status. */
  | { outcome: "moved" | "inactive" | "stale" | "past" | "expired" | "rejected" | "quota" };

/**
 * Stores a schedule under an idempotency key, in one round trip: as a new one, or in place of the request of the one that
 * has the key. The checks come in the order of `createSchedule`.
 */
export async function putSchedule(sql: Sql, tenant: Tenant, limits: CreationLimits, put: PutRequest): Promise<Put> {
  const [row] = await sql`
    SELECT outcome, id, status, over_limit, replaces, extract(epoch FROM fire_at)::float8 * 1000 AS fire_at_ms,
      extract(epoch FROM ends_at)::float8 * 1000 AS ends_at_ms
    FROM put_schedule(
      ${storedArguments(sql, tenant, limits, put)}, p_holder => ${put.holder}::uuid,
      p_max_delay_ms => ${put.maxDelayMs}::bigint)`;
  if (!row) throw new Error("put_schedule returned no row");
  if (row.outcome === "firing") return { outcome: row.outcome, endsAtMs: row.ends_at_ms };
  if (row.outcome !== "created" && row.outcome !== "changed") return { outcome: row.outcome };
  return {
    outcome: row.outcome,
    id: row.id,
    fireAtMs: Math.round(row.fire_at_ms),
    status: row.status,
    overLimit: row.over_limit,
    replaces: row.replaces,
  };
}
