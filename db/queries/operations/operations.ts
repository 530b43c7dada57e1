import { and, count, desc, eq, gt, sql } from "drizzle-orm";
import { hasFilters } from "#domain/filters.ts";
import { newId } from "#domain/ids.ts";
import {
  type FilterGeneration,
  narrowerShard,
  OPERATIONS_RUNNING_MAX,
  type OperationAction,
  type OperationFilter,
} from "#domain/operations.ts";
import type { Db, DbOrTx } from "../../orm.ts";
import { pgArray } from "../../pg-array.ts";
import { accounts } from "../../schema/accounts.ts";
import { operations } from "../../schema/operations.ts";
import { schedules } from "../../schema/schedules.ts";
import { isOwnedBy } from "../accounts/owned-by.ts";
import type { Tenant } from "../accounts/tenant.ts";
import { lockName } from "../lock-name.ts";
import { cursorRow, type Page, type PageCursor, pageOf } from "../page.ts";

/** What every read of an operation selects. */
const operationColumns = {
  id: operations.id,
  action: operations.action,
  status: operations.status,
  filter: operations.filter,
  total: operations.total,
  totalCapped: operations.totalCapped,
  acted: operations.acted,
  leftAlone: operations.leftAlone,
  errorCode: operations.errorCode,
  acceptedAt: operations.acceptedAt,
  updatedAt: operations.updatedAt,
  endedAt: operations.endedAt,
};

export type OperationRow = Pick<typeof operations.$inferSelect, keyof typeof operationColumns>;

export type NewOperation = {
  action: OperationAction;
  idempotencyKey: string | null;
  /** Empty without an idempotency key. */
  requestHash: Buffer;
  /** How many matched, counted up to 10,000. */
  total: number;
  totalCapped: boolean;
} & ({ filter: OperationFilter; scheduleIds: null } | { filter: null; scheduleIds: readonly string[] });

export type Acceptance =
  | { outcome: "accepted" | "replayed"; operation: OperationRow; mismatch: boolean }
  | { outcome: "inactive" | "too many running" }
  | { outcome: "too many today"; waitS: number };

/**
 * Accepts an operation, or finds the one that has its idempotency key. An operation that matches nothing is done at
 * once. At most ten of an account and environment run, and at most `perDay` are accepted within 24 hours; concurrent
 * calls do not exceed that either.
 */
export async function acceptOperation(
  db: Db,
  tenant: Tenant,
  perDay: number,
  wanted: NewOperation,
): Promise<Acceptance> {
  return db.transaction(async (tx) => {
    const lock = `operations ${tenant.accountId} ${tenant.env}`;
    await lockName(tx, lock);
    const known = wanted.idempotencyKey === null ? undefined : await findByKey(tx, tenant, wanted.idempotencyKey);
    if (known) {
      const { requestHash, ...operation } = known;
      return { outcome: "replayed", operation, mismatch: !requestHash.equals(wanted.requestHash) };
    }
    const running = await tx.$count(operations, and(isOwnedBy(operations, tenant), eq(operations.status, "running")));
    if (running >= OPERATIONS_RUNNING_MAX) return { outcome: "too many running" };
    const waitS = await secondsToNext(tx, tenant, perDay);
    if (waitS > 0) return { outcome: "too many today", waitS };
    const operation = await insert(tx, tenant, wanted, await findKnown(tx, tenant, wanted));
    return operation ? { outcome: "accepted", operation, mismatch: false } : { outcome: "inactive" };
  });
}

// Rounded up, as each created_at is, so that no schedule created before has a later instant.
const ACCEPTED_AT = sql`date_trunc('milliseconds', clock_timestamp() + interval '999 microseconds')`;

// The oldest of `perDay` operations is the next to become older than a day.
async function secondsToNext(tx: DbOrTx, tenant: Tenant, perDay: number): Promise<number> {
  const dayAgo = sql`(clock_timestamp() - interval '1 day')`;
  const [full] = await tx
    .select({ waitS: sql<number>`ceil(extract(epoch FROM ${operations.acceptedAt} - ${dayAgo}))::integer` })
    .from(operations)
    .where(and(isOwnedBy(operations, tenant), gt(operations.acceptedAt, dayAgo)))
    .orderBy(desc(operations.acceptedAt))
    .offset(perDay - 1)
    .limit(1);
  return full ? Math.max(1, full.waitS) : 0;
}

/** The chosen schedules that exist now, in their order; null for a filter. Other ids are left out for good. */
async function findKnown(tx: DbOrTx, { accountId, env }: Tenant, { scheduleIds }: NewOperation) {
  if (scheduleIds === null) return null;
  const rows = await tx
    .select({ id: schedules.id })
    .from(schedules)
    .where(
      and(
        sql`${schedules.id} = ANY (${pgArray(scheduleIds)}::text::uuid[])`,
        eq(schedules.accountId, accountId),
        eq(schedules.env, env),
      ),
    );
  const known = new Set(rows.map(({ id }) => id));
  return scheduleIds.filter((id) => known.has(id));
}

// FOR SHARE waits for a transaction that deletes the account, so that nothing is accepted after it.
async function insert(
  tx: DbOrTx,
  tenant: Tenant,
  wanted: NewOperation,
  known: readonly string[] | null,
): Promise<OperationRow | undefined> {
  const [account] = await tx
    .select({ shard: accounts.shard })
    .from(accounts)
    .where(and(eq(accounts.id, tenant.accountId), eq(accounts.status, "active")))
    .for("share");
  if (!account) return undefined;
  const unknown = (wanted.scheduleIds?.length ?? 0) - (known?.length ?? 0);
  const isNothing = wanted.total === unknown && !wanted.totalCapped;
  const [row] = await tx
    .insert(operations)
    .values({
      id: newId(Date.now()),
      ...tenant,
      shard: narrowerShard(account.shard, generationOf(wanted.filter)),
      action: wanted.action,
      status: isNothing ? "done" : "running",
      filter: wanted.filter,
      scheduleIds: known && sql`${pgArray(known)}::text::uuid[]`,
      leftAlone: unknown > 0 ? { not_found: unknown } : {},
      total: wanted.total,
      totalCapped: wanted.totalCapped,
      idempotencyKey: wanted.idempotencyKey,
      requestHash: wanted.requestHash,
      acceptedAt: ACCEPTED_AT,
      updatedAt: ACCEPTED_AT,
      nextStepAt: ACCEPTED_AT,
      endedAt: isNothing ? ACCEPTED_AT : null,
    })
    .returning(operationColumns);
  return row;
}

function generationOf(filter: OperationFilter | null): FilterGeneration {
  if (filter === null || !hasFilters(filter)) return 0;
  return filter.recurrence === undefined ? 1 : 2;
}

async function findByKey(tx: DbOrTx, tenant: Tenant, key: string) {
  const [row] = await tx
    .select({ ...operationColumns, requestHash: operations.requestHash })
    .from(operations)
    .where(and(isOwnedBy(operations, tenant), eq(operations.idempotencyKey, key)))
    .limit(1);
  return row;
}

/** One operation by its UUID; undefined when it belongs to another account or environment. */
export async function findOperation(db: DbOrTx, tenant: Tenant, id: string): Promise<OperationRow | undefined> {
  const [row] = await db
    .select(operationColumns)
    .from(operations)
    .where(and(eq(operations.id, id), isOwnedBy(operations, tenant)))
    .limit(1);
  return row;
}

/**
 * Stops a running operation: waits for the step in progress, and no further step begins. Undefined when there is no
 * such operation or it has ended.
 */
export async function stopRunningOperation(db: DbOrTx, tenant: Tenant, id: string): Promise<OperationRow | undefined> {
  const [row] = await db
    .update(operations)
    .set({
      status: "stopped",
      scheduleIds: NO_IDS,
      endedAt: sql`clock_timestamp()`,
      updatedAt: sql`clock_timestamp()`,
    })
    .where(and(eq(operations.id, id), isOwnedBy(operations, tenant), eq(operations.status, "running")))
    .returning(operationColumns);
  return row;
}

// An operation that has ended needs its ids no more: a thousand take 16 KB. For a filter they are null.
const NO_IDS = sql`CASE WHEN ${operations.scheduleIds} IS NOT NULL THEN '{}'::uuid[] END`;

export type OperationPage = Page<OperationRow>;

/** A page of operations, the newest first; `after` is the cursor of the last row of the page before. */
export async function listOperations(
  db: DbOrTx,
  tenant: Tenant,
  { limit, offset, after }: { limit: number; offset: number; after?: PageCursor | undefined },
): Promise<OperationPage> {
  const found = await db
    .select(operationColumns)
    .from(operations)
    .where(
      and(
        isOwnedBy(operations, tenant),
        after && sql`(${operations.acceptedAt}, ${operations.id}) < ${cursorRow(after)}`,
      ),
    )
    .orderBy(desc(operations.acceptedAt), desc(operations.id))
    .limit(limit + 1)
    .offset(offset);
  const [counted] = await db.select({ n: count() }).from(operations).where(isOwnedBy(operations, tenant));
  const page = pageOf(found, limit, ({ acceptedAt, id }) => ({ atMs: acceptedAt.getTime(), id }));
  return { ...page, total: counted?.n ?? 0, totalCapped: false };
}
