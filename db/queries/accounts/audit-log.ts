import { and, desc, eq, sql } from "drizzle-orm";
import { newId } from "#domain/ids.ts";
import type { DbOrTx } from "../../orm.ts";
import { accounts, auditLog } from "../../schema/index.ts";

/** Who does an act, and in which call. `accountId` (UUID) is null at the command line. */
export type Actor = { accountId: string | null; requestId: string | null };

export type Act = Pick<typeof auditLog.$inferInsert, "action" | "subjectId" | "before" | "after">;

/** Writes an act to the audit log. Call it in the transaction of the act. */
export async function recordAct(tx: DbOrTx, { accountId, requestId }: Actor, act: Act): Promise<void> {
  await tx.insert(auditLog).values({
    id: newId(Date.now()),
    actor: accountId === null ? "operator" : "admin",
    actorId: accountId,
    requestId,
    ...act,
  });
}

export type AuditRow = typeof auditLog.$inferSelect & { subjectEmail: string | null; actorEmail: string | null };

/**
 * The acts, latest first: of one account if `subjectId` (UUID) is given, from behind the act `after` (UUID), at most
 * `limit`. The e-mail addresses are the present ones; null where the account is erased.
 */
export async function listActs(
  db: DbOrTx,
  { subjectId, after, limit }: { subjectId?: string | undefined; after?: string | undefined; limit: number },
): Promise<AuditRow[]> {
  const emailOf = (id: typeof auditLog.subjectId | typeof auditLog.actorId) =>
    sql<string | null>`(SELECT email FROM ${accounts} WHERE ${accounts.id} = ${id} AND ${accounts.erasedAt} IS NULL)`;
  return db
    .select({
      id: auditLog.id,
      at: auditLog.at,
      actor: auditLog.actor,
      actorId: auditLog.actorId,
      action: auditLog.action,
      subjectId: auditLog.subjectId,
      before: auditLog.before,
      after: auditLog.after,
      requestId: auditLog.requestId,
      subjectEmail: emailOf(auditLog.subjectId),
      actorEmail: emailOf(auditLog.actorId),
    })
    .from(auditLog)
    .where(
      and(
        subjectId === undefined ? undefined : eq(auditLog.subjectId, subjectId),
        after === undefined
          ? undefined
          : sql`(${auditLog.at}, ${auditLog.id}) < (SELECT p.at, p.id FROM audit_log p WHERE p.id = ${after})`,
      ),
    )
    .orderBy(desc(auditLog.at), desc(auditLog.id))
    .limit(limit);
}
