import type { Sql } from "../../client.ts";

/**
 * The channel of the notifications for web processes. The payload is the id (UUID) of the account that has an exchange
 * that waits, or that is over. Nothing depends on them: a process with a stream also polls.
 */
export async function readListenChannel(sql: Sql): Promise<string> {
  const [row] = await sql`SELECT listen_channel() AS channel`;
  return row?.channel;
}
