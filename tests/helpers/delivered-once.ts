import type postgres from "postgres";
import { expect } from "vitest";
import { pgArray } from "#db/pg-array.ts";
import { encodeId } from "#domain/ids.ts";
import type { Receiver } from "#scripts/lab/receiver.ts";
import { waitFor } from "./wait-for.ts";

/**
 * The ledger of a test whose receiver is the only target: expects that these schedules (UUIDs) and no others were sent, each once
 * and never early, and that each has one attempt, which says that it was delivered. Waits for that until `withinMs`.
 */
export async function expectDeliveredOnce(
  { sql, receiver }: { sql: postgres.Sql; receiver: Pick<Receiver, "requests"> },
  ids: readonly string[],
  withinMs?: number,
): Promise<void> {
  const succeeded = async () => {
    const [row] =
      await sql`SELECT count(*)::int AS n FROM schedules WHERE id = ANY (${pgArray(ids)}::text::uuid[]) AND status = 'succeeded'`;
    return row?.n === ids.length;
  };
  await waitFor("all are delivered and recorded", succeeded, withinMs);
  const sent = receiver.requests.map(({ headers }) => String(headers["webhook-id"])).sort();
  expect(sent).toEqual(ids.map((id) => encodeId("sch", id)).sort());
  const rows = await sql`
    SELECT s.offset_ms::int, s.attempts, a.attempt, a.outcome, a.status_code
    FROM schedules s JOIN attempts a ON a.schedule_id = s.id WHERE s.id = ANY (${pgArray(ids)}::text::uuid[])`;
  expect(rows).toHaveLength(ids.length);
  for (const row of rows) {
    expect(row).toMatchObject({ attempts: 1, attempt: 1, outcome: "delivered", status_code: 200 });
    expect(row.offset_ms).toBeGreaterThanOrEqual(0);
  }
}
