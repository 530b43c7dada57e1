import type { Destination } from "#domain/associated-data.ts";
import { decodeId } from "#domain/ids.ts";
import { openRequest, unpackRequest } from "#domain/sealed-request.ts";
import type { Api, TestCaller } from "./api.ts";

/** The UUID of a schedule's public id. */
export const uuidOf = (textId: string): string => decodeId("sch", textId) as string;

/** The stored headers and payload of a schedule in plain text; null when they were erased. */
export async function plaintextOf(api: Api, textId: string) {
  const [row] =
    await api.sql`SELECT schedule_id AS id, account_id AS "accountId", env, method, target_url AS "targetUrl", sealed
    FROM schedule_requests WHERE schedule_id = ${uuidOf(textId)}`;
  if (row?.sealed === null) return null;
  const { headers, payload } = unpackRequest(
    openRequest(api.config.keyRing, row?.sealed, row as unknown as Destination),
  );
  return { headers, payload: payload.toString() };
}

/** Erases headers and payload of a schedule, as retention does once it has been terminal for long. */
export async function eraseContent(api: Api, textId: string): Promise<void> {
  const id = uuidOf(textId);
  await api.sql`UPDATE schedule_requests SET sealed = NULL, erased_at = now() WHERE schedule_id = ${id}`;
  await api.sql`UPDATE schedules SET payload_size_bytes = 0, sealed_bytes = 0 WHERE id = ${id}`;
}

/** How many schedules the account has created; undefined before the first. */
export async function createdBy(api: Api, { accountId }: TestCaller): Promise<number | undefined> {
  return (await api.sql`SELECT sum(scheduled)::int AS n FROM usage WHERE account_id = ${accountId}`)[0]?.n;
}
