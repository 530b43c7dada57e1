import { makeNotice } from "#domain/death-notices.ts";
import type { Sql } from "../../client.ts";
import { lockDeathGroup, writeDeathGroup } from "./death-groups.ts";
import { insertNotice, instantOf } from "./insert.ts";

/**
 * Makes the notice of one death group that is due. Skips groups whose last notice is not sent yet; their deaths go into
 * the next one. When the account no longer wants notices, deletes its group instead. Returns false when no group was
 * due.
 */
export async function makeDeadNotice(sql: Sql, nowMs: number): Promise<boolean> {
  return sql.begin(async (begun) => {
    const tx = begun as unknown as Sql;
    const [due] = await tx`
      SELECT g.account_id, a.status = 'active' AND a.notices AS is_wanted
      FROM death_groups g JOIN accounts a ON a.id = g.account_id
      WHERE g.due_at <= ${instantOf(tx, nowMs)}
        AND NOT EXISTS (SELECT FROM notices n WHERE n.account_id = g.account_id AND n.kind = 'dead' AND n.outcome IS NULL)
      ORDER BY g.due_at LIMIT 1 FOR UPDATE OF g SKIP LOCKED`;
    if (!due) return false;
    if (!due.is_wanted) {
      await tx`DELETE FROM death_groups WHERE account_id = ${due.account_id}`;
      return true;
    }
    const { notice, group } = makeNotice(await lockDeathGroup(tx, due.account_id), nowMs);
    if (notice) await insertNotice(tx, { accountId: due.account_id, kind: "dead", content: notice, nowMs });
    await writeDeathGroup(tx, due.account_id, group);
    return true;
  });
}
