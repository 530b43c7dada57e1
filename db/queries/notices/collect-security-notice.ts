import { sql } from "drizzle-orm";
import { newId } from "#domain/ids.ts";
import { SECURITY_NOTICE_INTERVAL_MS, TOLD_EVENTS_MAX, type ToldEvent } from "#domain/security-events.ts";
import type { DbOrTx } from "../../orm.ts";

/**
 * Adds an event to the account's security notice that waits for its first try, or makes one. A notice may be sent at
 * once, but no sooner than 15 minutes after the last, so that a hundred new keys cause few mails. Call it in the
 * transaction of the act: the mail is sent if and only if the act commits, and a failing mail provider fails no act.
 */
export async function collectSecurityNotice(
  tx: DbOrTx,
  accountId: string,
  event: Omit<ToldEvent, "atMs">,
): Promise<void> {
  const told = sql`(${JSON.stringify(event)}::text::jsonb || jsonb_build_object('atMs', round(extract(epoch FROM now.at) * 1000)))`;
  await tx.execute(sql`
    WITH now AS MATERIALIZED (SELECT clock_timestamp() AS at)
    INSERT INTO notices AS n (id, account_id, kind, content, created_at, next_try_at)
    SELECT ${newId(Date.now())}::uuid, ${accountId}::uuid, 'security',
      jsonb_build_object('events', jsonb_build_array(${told}), 'others', 0), now.at,
      greatest(now.at, (
        SELECT max(greatest(created_at, ended_at)) FROM notices WHERE account_id = ${accountId} AND kind = 'security'
      ) + ${SECURITY_NOTICE_INTERVAL_MS}::integer * interval '1 millisecond')
    FROM now
    ON CONFLICT (account_id) WHERE kind = 'security' AND attempts = 0 AND outcome IS NULL DO UPDATE SET content =
      CASE WHEN jsonb_array_length(n.content -> 'events') < ${TOLD_EVENTS_MAX}::integer
        THEN jsonb_set(n.content, '{events}', (n.content -> 'events') || (excluded.content -> 'events'))
        ELSE jsonb_set(n.content, '{others}', to_jsonb((n.content ->> 'others')::integer + 1)) END`);
}
