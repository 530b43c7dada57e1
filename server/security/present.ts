import type { SecurityEventRow } from "#db/queries/accounts/security-events.ts";
import { encodeId } from "#domain/ids.ts";

/** An event as its owner sees it. */
export function presentEvent({ id, kind, at, lastAt, times, details, subjectId, ...row }: SecurityEventRow) {
  const { keyName, env = null, provider = null, reason = null, scheduleId } = details;
  const isOfKey = subjectId !== null && keyName !== undefined && env !== null;
  return {
    id: encodeId("evt", id),
    kind,
    at: at.toISOString(),
    lastAt: lastAt.toISOString(),
    count: times,
    by: row.actor && {
      kind: row.actor,
      id: row.actorId && encodeId(row.actor === "api_key" ? "key" : "ses", row.actorId),
    },
    apiKey: isOfKey ? { id: encodeId("key", subjectId), name: keyName, env } : null,
    scheduleId: scheduleId === undefined ? null : encodeId("sch", scheduleId),
    sessionId: subjectId === null || isOfKey ? null : encodeId("ses", subjectId),
    env: isOfKey ? null : env,
    provider,
    reason,
    network: row.network,
    userAgent: row.userAgent,
  };
}
