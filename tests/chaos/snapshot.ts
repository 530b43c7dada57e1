import type postgres from "postgres";
import type { Evidence } from "./evidence.ts";

/** Makes the database log every committed claim: who claimed, and when. */
export async function keepClaimLog(sql: postgres.Sql) {
  await sql.unsafe(`
    CREATE TABLE chaos_claims (
      schedule_id uuid, attempt integer, dispatcher_id uuid, claimed_at timestamptz, deadline timestamptz);
    CREATE FUNCTION chaos_note_claim() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO chaos_claims VALUES (NEW.id, NEW.attempts, NEW.claimed_by, NEW.claimed_at, NEW.claim_deadline);
      RETURN NULL;
    END $$;
    CREATE TRIGGER chaos_note_claim AFTER UPDATE ON schedules FOR EACH ROW
      WHEN (NEW.status = 'firing' AND OLD.status <> 'firing') EXECUTE FUNCTION chaos_note_claim();`);
}

/** The number of schedules that may still change by themselves. */
export async function countOpen(sql: postgres.Sql): Promise<number> {
  const [row] = await sql`SELECT count(*)::int AS n FROM schedules WHERE status IN ('scheduled', 'firing', 'failed')`;
  return row?.n;
}

/** Everything that the database holds of this run. */
export async function readSnapshot(sql: postgres.Sql): Promise<
  Pick<Evidence, "schedules" | "attempts" | "claims" | "recurrences" | "occurrences"> & {
    dispatchers: { id: string; pid: number }[];
  }
> {
  const schedules = await sql<Evidence["schedules"]>`
    SELECT id, status, extract(epoch FROM fire_at)::float8 * 1000 AS "fireAtMs", early_fire AS "earlyFire", attempts, failures, interruptions
    FROM schedules`;
  const attempts = await sql<Evidence["attempts"]>`
    SELECT schedule_id AS "scheduleId", attempt, outcome, status_code AS "statusCode",
      extract(epoch FROM attempted_at)::float8 * 1000 AS "attemptedAtMs", latency_ms AS "latencyMs"
    FROM attempts`;
  const claims = await sql<Evidence["claims"]>`
    SELECT schedule_id AS "scheduleId", attempt, dispatcher_id AS "dispatcherId",
      extract(epoch FROM claimed_at)::float8 * 1000 AS "claimedAtMs", extract(epoch FROM deadline)::float8 * 1000 AS "deadlineMs"
    FROM chaos_claims ORDER BY claimed_at`;
  const recurrences = await sql<Evidence["recurrences"]>`SELECT id, left_out AS "leftOut" FROM recurrences`;
  const occurrences = await sql<Evidence["occurrences"]>`
    SELECT schedule_id AS "scheduleId", recurrence_id AS "recurrenceId", target_url AS "targetUrl",
      extract(epoch FROM occurrence_at)::float8 * 1000 AS "occurrenceAtMs",
      extract(epoch FROM created_at)::float8 * 1000 AS "createdAtMs"
    FROM schedule_requests WHERE recurrence_id IS NOT NULL`;
  const dispatchers = await sql<{ id: string; pid: number }[]>`SELECT id, pid FROM dispatchers`;
  return {
    ...{ schedules: [...schedules], attempts: [...attempts], claims: [...claims] },
    ...{ recurrences: [...recurrences], occurrences: [...occurrences], dispatchers: [...dispatchers] },
  };
}
