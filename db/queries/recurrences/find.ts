import type { Row } from "postgres";
import type { RecurrenceFacts } from "#domain/recurrence-facts.ts";
import type { RecurrenceStatus } from "#domain/recurrence-step.ts";
import type { Sql } from "../../client.ts";
import type { Tenant } from "../accounts/tenant.ts";
import { type Page, type PageCursor, pageOf } from "../page.ts";
import { ruleColumns } from "./steps.ts";

/** A recurrence as its owner sees it; `nowMs` is by the database's clock. */
export type RecurrenceRow = RecurrenceFacts & { requestHash: Buffer };

/** The recurrence that has a key; undefined when there is none. */
export async function findRecurrence(sql: Sql, tenant: Tenant, key: string): Promise<RecurrenceRow | undefined> {
  const [row] = await sql`SELECT ${columns(sql)} FROM recurrences WHERE ${isOfKey(sql, tenant, key)} LIMIT 1`;
  return row && readRow(row);
}

/** The sealed request of a recurrence (UUID), and what it is bound to; undefined when there is none. */
export async function findSealedRequest(
  sql: Sql,
  { accountId, env }: Tenant,
  recurrenceId: string,
): Promise<{ id: string; method: string; targetUrl: string; sealed: Buffer | null } | undefined> {
  const [row] = await sql<{ id: string; method: string; targetUrl: string; sealed: Buffer | null }[]>`
    SELECT id, method, target_url AS "targetUrl", sealed FROM recurrences
    WHERE account_id = ${accountId} AND env = ${env} AND id = ${recurrenceId} LIMIT 1`;
  return row;
}

/** As `findRecurrence`, and locks its row to the end of the transaction. */
export async function lockRecurrence(tx: Sql, tenant: Tenant, key: string): Promise<RecurrenceRow | undefined> {
  const [row] = await tx`SELECT ${columns(tx)} FROM recurrences WHERE ${isOfKey(tx, tenant, key)} LIMIT 1 FOR UPDATE`;
  return row && readRow(row);
}

/** A page of recurrences, the newest first; `after` is the cursor of the last row of the page before. */
export async function listRecurrences(
  sql: Sql,
  { accountId, env }: Tenant,
  { status, after, limit, offset }: RecurrenceSearch,
): Promise<Page<RecurrenceRow>> {
  const isWanted = sql`
    account_id = ${accountId} AND env = ${env} ${status === undefined ? sql`` : sql`AND status = ${status}`}`;
  const isAfter = after
    ? sql`AND (created_at, id) < (${new Date(after.atMs).toISOString()}::timestamptz, ${after.id}::uuid)`
    : sql``;
  const rows = await sql`
    SELECT ${columns(sql)} FROM recurrences WHERE ${isWanted} ${isAfter}
    ORDER BY created_at DESC, id DESC LIMIT ${limit + 1} OFFSET ${offset}`;
  const [counted] = await sql`SELECT count(*)::integer AS n FROM recurrences WHERE ${isWanted}`;
  const page = pageOf(rows.map(readRow), limit, ({ createdAtMs, id }) => ({ atMs: createdAtMs, id }));
  return { ...page, total: counted?.n ?? 0, totalCapped: false };
}

type RecurrenceSearch = {
  status?: RecurrenceStatus | undefined;
  after?: PageCursor | undefined;
  limit: number;
  offset: number;
};

const isOfKey = (sql: Sql, { accountId, env }: Tenant, key: string) =>
  sql`account_id = ${accountId} AND env = ${env} AND key = ${key}`;

const ms = (sql: Sql, instant: string) => sql`extract(epoch FROM ${sql(instant)})::float8 * 1000`;

const columns = (sql: Sql) => sql`
  ${ruleColumns(sql)}, name, payload_size_bytes AS "payloadSizeBytes", request_hash AS "requestHash",
  left_out AS "leftOut", pause_note AS "pauseNote", ${ms(sql, "paused_until")} AS "pausedUntilMs",
  ${ms(sql, "created_at")} AS "createdAtMs", ${ms(sql, "updated_at")} AS "updatedAtMs",
  extract(epoch FROM clock_timestamp())::float8 * 1000 AS "nowMs"`;

const INSTANTS = ["endsAtMs", "pausedUntilMs", "createdAtMs", "updatedAtMs", "nowMs"] as const;

function readRow(row: Row): RecurrenceRow {
  const whole = INSTANTS.map((name) => [name, row[name] === null ? null : Math.round(row[name])]);
  return { ...row, ...Object.fromEntries(whole) } as RecurrenceRow;
}
