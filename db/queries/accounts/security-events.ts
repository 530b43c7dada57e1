import { count, desc, eq, sql } from "drizzle-orm";
import { newId } from "#domain/ids.ts";
import {
  type CallSource,
  isMailed,
  SECURITY_EVENTS_PER_KIND_MAX,
  type SecurityActor,
  type SecurityEventDetails,
  type SecurityEventKind,
} from "#domain/security-events.ts";
import type { DbOrTx } from "../../orm.ts";
import { securityEvents } from "../../schema/index.ts";
import { collectSecurityNotice } from "../notices/collect-security-notice.ts";
import { cursorRow, type Page, type PageCursor, pageOf } from "../page.ts";

export type NewSecurityEvent = CallSource & {
  accountId: string;
  kind: Exclude<SecurityEventKind, "credential_refused">;
  actor: SecurityActor;
  /** The key or session (UUID) with which it was done. */
  actorId?: string;
  /** The key or session (UUID) that it was done to. */
  subjectId?: string;
  details?: SecurityEventDetails;
  /** How many sessions ended at once. */
  times?: number;
};

/**
 * Writes an event to the account's security log, and adds it to the owner's next security notice if its kind is mailed.
 * Call it in the transaction of the act. An operator's act at the command line is not mailed.
 */
export async function recordSecurityEvent(tx: DbOrTx, event: NewSecurityEvent): Promise<void> {
  const { accountId, kind, actor, actorId = null, subjectId = null, details = {}, times = 1, ...source } = event;
  const now = sql`clock_timestamp()`;
  await insert(
    tx,
    { accountId, kind },
    sql`
    ${kind}::text, ${now}, ${now}, ${times}::integer, NULL::timestamptz, ${actor}::text, ${actorId}::uuid, ${subjectId}::uuid,
    ${JSON.stringify(details)}::text::jsonb, ${source.network}::text, ${source.userAgent}::text`,
  );
  if (isMailed(kind) && actor !== "operator") await collectSecurityNotice(tx, accountId, { kind, details, ...source });
}

export type RefusedCredential = CallSource & {
  accountId: string;
  /** The key or session (UUID). */
  subjectId: string;
  details: SecurityEventDetails;
};

/** Counts `times` refusals of a credential of an account that is not deleted: one row for each credential and hour. */
export async function recordRefusedCredential(db: DbOrTx, refused: RefusedCredential, times: number): Promise<void> {
  const { accountId, subjectId, details, network, userAgent } = refused;
  const now = sql`clock_timestamp()`;
  await insert(
    db,
    { accountId, kind: "credential_refused" },
    sql`'credential_refused', ${now}, ${now}, ${times}::integer, date_trunc('hour', ${now}, 'UTC'), NULL, NULL::uuid,
      ${subjectId}::uuid, ${JSON.stringify(details)}::text::jsonb, ${network}::text, ${userAgent}::text`,
    sql`ON CONFLICT (account_id, subject_id, hour) WHERE hour IS NOT NULL DO UPDATE SET
      times = least(e.times::bigint + excluded.times, 2147483647), last_at = excluded.last_at, details = excluded.details,
      network = excluded.network, user_agent = excluded.user_agent`,
  );
}

/**
 * Inserts an event, and deletes the oldest of its kind beyond the most that are kept. Nothing is written for a deleted
 * account, except that it was deleted: its lock keeps retention from erasing the account before this commits.
 */
async function insert(
  db: DbOrTx,
  { accountId, kind }: { accountId: string; kind: SecurityEventKind },
  values: ReturnType<typeof sql>,
  onConflict = sql``,
): Promise<void> {
  await db.execute(sql`
    WITH gone AS (
      DELETE FROM security_events WHERE id = ANY (ARRAY (
        SELECT id FROM security_events WHERE account_id = ${accountId} AND kind = ${kind}
        ORDER BY at DESC, id DESC OFFSET ${SECURITY_EVENTS_PER_KIND_MAX - 1}))
    )
    INSERT INTO security_events AS e (
      id, account_id, kind, at, last_at, times, hour, actor, actor_id, subject_id, details, network, user_agent)
    SELECT ${newId(Date.now())}::uuid, a.id, ${values} FROM accounts a
    WHERE a.id = ${accountId} AND (a.status <> 'deleted' OR ${kind}::text = 'account_deleted') FOR KEY SHARE ${onConflict}`);
}

export type SecurityEventRow = Pick<typeof securityEvents.$inferSelect, keyof typeof eventColumns>;

export type SecurityEventPage = Page<SecurityEventRow>;

/** One page of the security log of an account, the newest first. */
export async function listSecurityEvents(
  db: DbOrTx,
  accountId: string,
  { limit, offset, after }: { limit: number; offset: number; after?: PageCursor | undefined },
): Promise<SecurityEventPage> {
  const isBehind = after && sql`(${securityEvents.at}, ${securityEvents.id}) < ${cursorRow(after)}`;
  const found = await db
    .select(eventColumns)
    .from(securityEvents)
    .where(sql`${eq(securityEvents.accountId, accountId)} AND ${isBehind ?? sql`true`}`)
    .orderBy(desc(securityEvents.at), desc(securityEvents.id))
    .limit(limit + 1)
    .offset(offset);
  const [counted] = await db.select({ n: count() }).from(securityEvents).where(eq(securityEvents.accountId, accountId));
  const page = pageOf(found, limit, ({ at, id }) => ({ atMs: at.getTime(), id }));
  return { ...page, total: counted?.n ?? 0, totalCapped: false };
}

const eventColumns = {
  id: securityEvents.id,
  kind: securityEvents.kind,
  at: securityEvents.at,
  lastAt: securityEvents.lastAt,
  times: securityEvents.times,
  actor: securityEvents.actor,
  actorId: securityEvents.actorId,
  subjectId: securityEvents.subjectId,
  details: securityEvents.details,
  network: securityEvents.network,
  userAgent: securityEvents.userAgent,
};
