import type { DeadNotice } from "#domain/death-notices.ts";
import { newId } from "#domain/ids.ts";
import type { QuotaNotice } from "#domain/quota-notices.ts";
import type { Sql } from "../../client.ts";

type NewNotice = { accountId: string; nowMs: number } & (
  | { kind: "dead"; content: DeadNotice }
  | { kind: "quota"; content: QuotaNotice }
);

/**
 * Stores a notice, which may be sent at once. Stores nothing when the account has a notice of the same quota level and
 * month.
 */
export async function insertNotice(sql: Sql, { accountId, kind, content, nowMs }: NewNotice): Promise<void> {
  const { period, level } = kind === "quota" ? content : { period: null, level: null };
  await sql`
    INSERT INTO notices (id, account_id, kind, content, period, level, created_at, next_try_at)
    VALUES (${newId(nowMs)}, ${accountId}, ${kind}, ${JSON.stringify(content)}::text::jsonb, ${period}::text,
      ${level}::smallint, ${instantOf(sql, nowMs)}, ${instantOf(sql, nowMs)})
    ON CONFLICT DO NOTHING`;
}

/** An instant from epoch ms. */
export const instantOf = (sql: Sql, ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`;
