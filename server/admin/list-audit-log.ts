import { listActs } from "#db/queries/accounts/audit-log.ts";
import { AppError } from "#domain/errors.ts";
import { decodeId, encodeId } from "#domain/ids.ts";
import { accountIdOrThrow } from "./account-id.ts";
import type { Admin } from "./admin.ts";

const LIMIT = 50;
const LIMIT_MAX = 200;

/**
 * One page of the audit log, newest first; of one account if `accountId` (`acc_…`) is given. `after` is `next` of the
 * previous page. Throws NOT_FOUND for a malformed id.
 */
export async function listAuditLog(
  admin: Admin,
  {
    accountId,
    after,
    limit = LIMIT,
  }: { accountId?: string | undefined; after?: string | undefined; limit?: number | undefined },
) {
  const subjectId = accountId === undefined ? undefined : accountIdOrThrow(accountId);
  const from = after === undefined ? undefined : decodeId("aud", after);
  if (from === null) throw new AppError("NOT_FOUND", "There is no such audit log entry.");
  const rowsMax = Math.min(Math.max(limit, 1), LIMIT_MAX);
  const rows = await admin.query(({ db }) => listActs(db, { subjectId, after: from, limit: rowsMax + 1 }));
  const page = rows.slice(0, rowsMax);
  const items = page.map(({ id, at, actor, actorId, actorEmail, subjectId: subject, subjectEmail, ...act }) => ({
    id: encodeId("aud", id),
    at: at.toISOString(),
    actor: { kind: actor, accountId: actorId && encodeId("acc", actorId), email: actorEmail },
    subject: { accountId: encodeId("acc", subject), email: subjectEmail },
    ...act,
  }));
  return { items, next: rows.length > rowsMax ? (items.at(-1)?.id ?? null) : null };
}
