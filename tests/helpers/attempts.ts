import type postgres from "postgres";
import { type AttemptRecord, recordAttempts } from "#db/queries/attempts/record.ts";
import { ON_TIME_WITHIN_MS, offsetBucket } from "#domain/punctuality.ts";

export type TestAttempt = Partial<
  Pick<AttemptRecord, "outcome" | "statusCode" | "errorText" | "latencyMs" | "isPublic">
> & {
  /** The status that the schedule gets: `succeeded` after 2xx, otherwise `failed`. */
  status?: AttemptRecord["status"];
  attemptedAt: Date;
  /** Moves `fire_at`, and the creation before it, so that the attempt is this late (or early), ms. */
  offsetMs?: number;
};

/**
 * One attempt of a waiting schedule (UUID), as a dispatcher leaves it: claimed at that instant and recorded by the real
 * statement. When `outcome` is absent it follows from `statusCode`, which is 200 by default.
 */
export async function recordTestAttempt(sql: postgres.Sql, id: string, given: TestAttempt): Promise<void> {
  const { attemptedAt, offsetMs } = given;
  const statusCode = given.statusCode === undefined ? 200 : given.statusCode;
  const isDelivered = statusCode !== null && statusCode >= 200 && statusCode < 300;
  const outcome = given.outcome ?? (isDelivered ? "delivered" : statusCode === null ? "unreachable" : "rejected");
  const status = given.status ?? (isDelivered ? "succeeded" : "failed");
  const fireAt = offsetMs === undefined ? null : new Date(attemptedAt.getTime() - offsetMs);
  const [claimed] = await sql`
    UPDATE schedules SET status = 'firing', version = version + 1, attempts = attempts + 1, claimed_at = now(),
      claim_deadline = now(), early_fire = early_fire OR ${(offsetMs ?? 0) < 0}, fire_at = coalesce(${fireAt}, fire_at),
      created_at = least(created_at, ${fireAt}::timestamptz - interval '1 ms')
    WHERE id = ${id} AND status IN ('scheduled', 'failed') RETURNING version, attempts, fire_at`;
  await sql`
    UPDATE schedule_requests r SET created_at = s.created_at FROM schedules s WHERE s.id = r.schedule_id AND r.schedule_id = ${id}`;
  if (!claimed) throw new Error(`expected a schedule that waits: ${id}`);
  const latenessMs = attemptedAt.getTime() - claimed.fire_at.getTime();
  const written = await recordAttempts(sql, [
    {
      scheduleId: id,
      version: Number(claimed.version),
      attempt: claimed.attempts,
      outcome,
      statusCode,
      latencyMs: given.latencyMs ?? 5,
      errorText: given.errorText ?? "",
      attemptedAtMs: attemptedAt.getTime(),
      timing: { lateMs: latenessMs, claimMs: 1, waitMs: 0, connectMs: null, firstByteMs: 4 },
      via: null,
      status,
      nextAttemptAtMs: status === "failed" ? Date.now() + 3_600_000 : null,
      endReason: null,
      failures: isDelivered ? 0 : 1,
      interruptions: outcome === "interrupted" ? 1 : 0,
      offsetBucket: offsetBucket(latenessMs),
      onTime: latenessMs <= ON_TIME_WITHIN_MS,
      isPublic: given.isPublic ?? true,
    },
  ]);
  if (written.length !== 1) throw new Error(`the attempt was not recorded: ${id}`);
}
