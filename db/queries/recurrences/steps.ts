import type { Row } from "postgres";
import { instantOrNull } from "#domain/instant.ts";
import type { RecurrenceRule } from "#domain/recurrence-facts.ts";
import { LEFT_OUT_MAX, type LeftOut } from "#domain/recurrence-step.ts";
import type { Sql } from "../../client.ts";
import { pgArray, pgTextArray } from "../../pg-array.ts";
import type { Tenant } from "../accounts/tenant.ts";
import { type LockedAccount, lockAccount } from "./lock-account.ts";

/** A recurrence that is due for a step, as it was locked. */
export type DueRecurrence = RecurrenceRule & {
  sealed: Buffer | null;
  madeUntilMs: number;
  leadMs: number;
  createdBy: string;
};

/** The result of a step. `nextStepAtMs` is null when the recurrence has ended. */
export type SteppedTo = {
  id: string;
  madeUntilMs: number;
  nextStepAtMs: number | null;
  /** How many occurrences were made. */
  made: number;
  leftOut: LeftOut[];
};

/** `behindS`: for how long the first of its recurrences has waited for its step, s. */
type DueTenant = Tenant & { behindS: number };

/**
 * The accounts and environments with recurrences of the given shards that are due for a step, the most urgent first: those whose
 * occurrences are held go ahead of those that make occurrences for later.
 */
export async function findDueTenants(sql: Sql, shards: readonly number[], tenantsMax: number): Promise<DueTenant[]> {
  return sql<DueTenant[]>`
    SELECT account_id AS "accountId", env, extract(epoch FROM clock_timestamp() - min(next_step_at))::float8 AS "behindS"
    FROM (
      SELECT account_id, env, next_step_at, ${urgency(sql)} AS urgency FROM recurrences
      WHERE shard = ANY (${pgArray(shards)}::text::smallint[]) AND next_step_at <= clock_timestamp()
      ORDER BY urgency LIMIT ${DUE_MAX}) due
    GROUP BY account_id, env ORDER BY min(urgency) LIMIT ${tenantsMax}`;
}

/** A held occurrence fires two seconds after its step is due, any other 90 s or more. */
const urgency = (sql: Sql) =>
  sql`next_step_at + CASE overlap WHEN 'skip' THEN interval '0' ELSE interval '1 minute' END`;

const DUE_MAX = 1_000;

/**
 * Runs a step of an account's due recurrences in one transaction: `work` makes their occurrences, and its results move them
 * on. Their rows are locked meanwhile; those that somebody else has locked come later. At most `countMax`, and as many as have
 * `bytesMax` of content together, but one at least. Returns how many were stepped: none when the account is inactive, whose
 * recurrences then wait for it.
 */
export async function stepTenant(
  sql: Sql,
  tenant: Tenant,
  { countMax, bytesMax }: { countMax: number; bytesMax: number },
  work: (tx: Sql, due: DueRecurrence[], account: LockedAccount) => Promise<SteppedTo[]>,
): Promise<number> {
  return sql.begin(async (begun) => {
    const tx = begun as unknown as Sql;
    const account = await lockAccount(tx, tenant);
    if (account === undefined) {
      await postponeWhileInactive(tx, tenant);
      return 0;
    }
    const due = await lockDue(tx, tenant, countMax, bytesMax);
    if (due.length === 0) return 0;
    await moveOn(tx, await work(tx, due, account));
    return due.length;
  });
}

async function lockDue(tx: Sql, { accountId, env }: Tenant, countMax: number, bytesMax: number) {
  const rows = await tx`
    WITH due AS (
      SELECT id, sum(coalesce(octet_length(sealed), 0)) OVER w AS bytes, row_number() OVER w AS n FROM recurrences
      WHERE account_id = ${accountId} AND env = ${env} AND next_step_at <= clock_timestamp()
      WINDOW w AS (ORDER BY ${urgency(tx)}, id) ORDER BY ${urgency(tx)}, id LIMIT ${countMax}
    )
    SELECT ${columns(tx)} FROM recurrences
    WHERE id = ANY (ARRAY(SELECT id FROM due WHERE n = 1 OR bytes <= ${bytesMax})) AND next_step_at <= clock_timestamp()
    FOR UPDATE SKIP LOCKED`;
  return rows.map(readDue);
}

/** A recurrence (UUID) of which this transaction makes the first occurrences; it has locked the row. */
export async function lockForStep(tx: Sql, id: string): Promise<DueRecurrence> {
  const [row] = await tx`SELECT ${columns(tx)} FROM recurrences WHERE id = ${id} FOR UPDATE`;
  if (row === undefined) throw new Error(`recurrence ${id} is gone, although its row was locked`);
  return readDue(row);
}

const columns = (tx: Sql) => tx`
  ${ruleColumns(tx)}, sealed, extract(epoch FROM made_until)::float8 * 1000 AS "madeUntilMs", lead_ms AS "leadMs",
  created_by AS "createdBy"`;

/** The rule of a recurrence and what it sends, without the content. */
export const ruleColumns = (sql: Sql) => sql`
  id, key, status, cron, timezone AS zone, on_clock_change AS "onClockChange", overlap, catch_up AS "catchUp",
  spread_ms AS "spreadMs", extract(epoch FROM ends_at)::float8 * 1000 AS "endsAtMs", target_url AS "targetUrl", method,
  early_fire AS "earlyFire", delivery`;

function readDue(row: Row): DueRecurrence {
  const { madeUntilMs, endsAtMs } = row;
  return {
    ...(row as DueRecurrence),
    madeUntilMs: Math.round(madeUntilMs),
    endsAtMs: endsAtMs === null ? null : Math.round(endsAtMs),
  };
}

/** Stores how far recurrences have come, whose rows this transaction has locked. */
export async function moveOn(tx: Sql, steps: readonly SteppedTo[]): Promise<void> {
  const instants = (of: (step: SteppedTo) => number | null) => pgArray(steps.map((step) => instantOrNull(of(step))));
  await tx`
    UPDATE recurrences r SET made_until = s.made_until, next_step_at = s.next_step_at, failures = 0,
      open_from = coalesce(
        (SELECT m.occurrence_at FROM schedule_requests m JOIN schedules o ON o.id = m.schedule_id
          WHERE m.account_id = r.account_id AND m.env = r.env AND m.recurrence_id = r.id AND m.occurrence_at >= r.open_from
            AND o.status IN ('scheduled', 'failed', 'firing')
          ORDER BY m.occurrence_at LIMIT 1),
        s.made_until),
      status = CASE WHEN s.next_step_at IS NULL THEN 'ended' ELSE 'active' END, paused_until = NULL, pause_note = NULL,
      left_out = CASE WHEN s.left_out = '[]' THEN r.left_out ELSE (
        SELECT jsonb_agg(e.entry ORDER BY e.n) FROM (
          SELECT entry, n FROM jsonb_array_elements(r.left_out || s.left_out) WITH ORDINALITY AS l(entry, n)
          ORDER BY n DESC LIMIT ${LEFT_OUT_MAX}) e) END
    FROM unnest(
      ${pgArray(steps.map(({ id }) => id))}::text::uuid[], ${instants((step) => step.madeUntilMs)}::text::timestamptz[],
      ${instants((step) => step.nextStepAtMs)}::text::timestamptz[],
      ${pgTextArray(steps.map(({ leftOut }) => JSON.stringify(leftOut)))}::text::jsonb[])
      AS s(id, made_until, next_step_at, left_out)
    WHERE r.id = s.id`;
}

/** Has the due recurrences of an inactive account wait until it is activated (`wakeSteps`), or for an hour: then they are looked at again. */
async function postponeWhileInactive(tx: Sql, { accountId, env }: Tenant): Promise<void> {
  await tx`
    UPDATE recurrences SET next_step_at = clock_timestamp() + interval '1 hour'
    WHERE account_id = ${accountId} AND env = ${env} AND next_step_at <= clock_timestamp()`;
}

/** Has the recurrences of an account (UUID) that has become active, but those paused now, take a step at once; the caller has locked its row. */
export async function wakeSteps(tx: Sql, accountId: string): Promise<void> {
  await tx`
    UPDATE recurrences SET next_step_at = clock_timestamp()
    WHERE account_id = ${accountId} AND next_step_at > clock_timestamp()
      AND (status = 'active' OR status = 'paused' AND paused_until <= clock_timestamp())`;
}

/** Has the due recurrences of an account, whose step failed, wait: two seconds, then four, up to some four minutes. */
export async function postponeSteps(sql: Sql, { accountId, env }: Tenant): Promise<void> {
  await sql`
    UPDATE recurrences SET failures = least(failures + 1, 8),
      next_step_at = clock_timestamp() + 2 ^ least(failures + 1, 8) * interval '1 second'
    WHERE account_id = ${accountId} AND env = ${env} AND next_step_at <= clock_timestamp()`;
}
