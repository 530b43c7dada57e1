import { formatInstant, instantOrNull } from "#domain/instant.ts";
import type { Sql } from "../../client.ts";
import type { Tenant } from "../accounts/tenant.ts";
import { lockNameIn } from "../lock-name.ts";
import type { RecurrenceRow } from "./find.ts";
import { type LockedAccount, lockAccount } from "./lock-account.ts";

/** Occurrences that were cancelled, and those that are being sent. `firstUnsentMs`: the earliest instant that had not left, epoch ms. */
export type TakenBack = { taken: number; inFlight: number; firstUnsentMs: number | null };

/**
 * Runs a change of recurrences in one transaction. Rows are locked in the order of a dispatcher's step: the account, the
 * recurrence, the count of its lane, its schedules. Undefined when the account is not active. With `isDry` all is undone.
 */
export async function changeRecurrences<T>(
  sql: Sql,
  tenant: Tenant,
  { isDry = false }: { isDry?: boolean },
  work: (tx: Sql, account: LockedAccount) => Promise<T>,
): Promise<T | undefined> {
  try {
    const done = await sql.begin(async (begun) => {
      const tx = begun as unknown as Sql;
      const account = await lockAccount(tx, tenant);
      if (account === undefined) return undefined;
      const result = await work(tx, account);
      if (isDry) throw new Undone(result);
      return result;
    });
    return done as T | undefined;
  } catch (error) {
    if (error instanceof Undone) return error.result as T;
    throw error;
  }
}

/** Rolls a transaction back whose result is wanted. */
class Undone extends Error {
  readonly result: unknown;

  constructor(result: unknown) {
    super("undone");
    this.result = result;
  }
}

/**
 * Lets one transaction at a time give this account and environment another recurrence. Returns how many there are.
 */
export async function lockCount(tx: Sql, { accountId, env }: Tenant): Promise<number> {
  await lockNameIn(tx, `recurrences ${accountId} ${env}`);
  const [row] = await tx`
    SELECT count(*)::integer AS n FROM recurrences WHERE account_id = ${accountId} AND env = ${env}`;
  return row?.n ?? 0;
}

/** Takes back what a recurrence (UUID), whose row is locked, has made. */
export async function takeBack(tx: Sql, { accountId, env }: Tenant, id: string): Promise<TakenBack> {
  const [row] = await tx`
    SELECT taken, in_flight, extract(epoch FROM first_unsent)::float8 * 1000 AS first_ms
    FROM take_back_occurrences(${accountId}::uuid, ${env}, ${id}::uuid)`;
  const firstMs: number | null = row?.first_ms ?? null;
  return { taken: row?.taken, inFlight: row?.in_flight, firstUnsentMs: firstMs && Math.round(firstMs) };
}

/**
 * The earliest instant, epoch ms, of the occurrences that `takeBack` has just taken back and whose time had come: from `fromMs`
 * on, without those that their owner had moved, which no longer stand for their instants. Null without any.
 */
export async function firstDueTakenBack(
  tx: Sql,
  { accountId, env }: Tenant,
  id: string,
  { fromMs, shareMs }: { fromMs: number; shareMs: number },
): Promise<number | null> {
  const [row] = await tx`
    SELECT extract(epoch FROM min(r.occurrence_at))::float8 * 1000 AS ms
    FROM schedule_requests r JOIN schedules s ON s.id = r.schedule_id
    WHERE r.account_id = ${accountId} AND r.env = ${env} AND r.recurrence_id = ${id} AND r.idempotency_key IS NULL
      AND r.occurrence_at BETWEEN ${formatInstant(fromMs)}::timestamptz AND clock_timestamp()
      AND s.status = 'cancelled' AND s.attempts = 0 AND s.ended_at >= date_trunc('milliseconds', now())
      AND s.fire_at = r.occurrence_at + ${shareMs}::float8 * interval '1 millisecond'`;
  const ms: number | null = row?.ms ?? null;
  return ms && Math.round(ms);
}

/** What a PUT stores; `madeUntilMs` (epoch ms): occurrences are made of the instants after it. */
export type StoredRecurrence = Omit<
  RecurrenceRow,
  "status" | "pausedUntilMs" | "pauseNote" | "leftOut" | "createdAtMs" | "updatedAtMs" | "nowMs"
> & {
  origin: string;
  sealed: Buffer | null;
  madeUntilMs: number;
  /** The release of the IANA zone data of this process. */
  zoneData: string;
  leadMs: number;
  createdBy: string;
};

/** Stores a recurrence, in place of the one that has its key and id. One that is paused stays so; any other is active then. */
export async function storeRecurrence(tx: Sql, { accountId, env }: Tenant, one: StoredRecurrence): Promise<void> {
  await tx`
    INSERT INTO recurrences (
      id, account_id, env, shard, key, name, cron, timezone, on_clock_change, overlap, catch_up, spread_ms, ends_at,
      target_url, origin, method, sealed, payload_size_bytes, early_fire, request_hash, delivery, made_until, open_from,
      zone_data, lead_ms, next_step_at, created_by)
    SELECT ${one.id}, a.id, ${env}, a.shard, ${one.key}, ${one.name}, ${one.cron}, ${one.zone}, ${one.onClockChange},
      ${one.overlap}, ${one.catchUp}, ${one.spreadMs}::integer, ${instantOrNull(one.endsAtMs)}::timestamptz, ${one.targetUrl},
      ${one.origin}, ${one.method}, ${one.sealed}::bytea, ${one.payloadSizeBytes}::integer, ${one.earlyFire}::boolean,
      ${one.requestHash}::bytea, ${one.delivery && JSON.stringify(one.delivery)}::text::jsonb,
      ${instantOrNull(one.madeUntilMs)}::timestamptz, ${instantOrNull(one.madeUntilMs)}::timestamptz, ${one.zoneData}, ${one.leadMs}::integer, clock_timestamp(),
      ${one.createdBy}::uuid
    FROM accounts a WHERE a.id = ${accountId}
    ON CONFLICT (id) DO UPDATE SET
      (name, cron, timezone, on_clock_change, overlap, catch_up, spread_ms, ends_at, target_url, origin, method, sealed,
        payload_size_bytes, early_fire, request_hash, delivery, made_until, zone_data, lead_ms, created_by)
      = ROW (excluded.name, excluded.cron, excluded.timezone, excluded.on_clock_change, excluded.overlap, excluded.catch_up,
        excluded.spread_ms, excluded.ends_at, excluded.target_url, excluded.origin, excluded.method, excluded.sealed,
        excluded.payload_size_bytes, excluded.early_fire, excluded.request_hash, excluded.delivery, excluded.made_until,
        excluded.zone_data, excluded.lead_ms, excluded.created_by),
      status = CASE recurrences.status WHEN 'paused' THEN 'paused' ELSE 'active' END,
      next_step_at = CASE recurrences.status WHEN 'paused' THEN recurrences.next_step_at ELSE excluded.next_step_at END,
      open_from = least(recurrences.open_from, excluded.open_from), failures = 0, version = recurrences.version + 1,
      updated_at = clock_timestamp()`;
}

/** Pauses a recurrence (UUID) that is not ended, whose row is locked; `untilMs`: until this instant, epoch ms. */
export async function pauseLocked(
  tx: Sql,
  id: string,
  { note, untilMs }: { note: string | null; untilMs: number | null },
): Promise<void> {
  const until = instantOrNull(untilMs);
  await tx`
    UPDATE recurrences SET status = 'paused', pause_note = ${note}, paused_until = ${until}::timestamptz,
      next_step_at = ${until}::timestamptz, failures = 0,
      -- An instant that has come may be due later, by its share of the spread.
      made_until = least(made_until, clock_timestamp() - spread_ms * interval '1 millisecond'),
      open_from = least(open_from, clock_timestamp() - spread_ms * interval '1 millisecond'),
      version = version + 1, updated_at = clock_timestamp()
    WHERE id = ${id}`;
}

/** Makes a recurrence (UUID) active that is paused, whose row is locked: it goes on with the instants after `madeUntilMs`. */
export async function resumeLocked(tx: Sql, id: string, madeUntilMs: number): Promise<void> {
  const from = instantOrNull(madeUntilMs);
  await tx`
    UPDATE recurrences SET status = 'active', pause_note = NULL, paused_until = NULL, next_step_at = clock_timestamp(),
      made_until = ${from}::timestamptz, open_from = least(open_from, ${from}::timestamptz), failures = 0,
      version = version + 1, updated_at = clock_timestamp()
    WHERE id = ${id} AND status = 'paused'`;
}

export async function deleteLocked(tx: Sql, id: string): Promise<void> {
  await tx`DELETE FROM recurrences WHERE id = ${id}`;
}
