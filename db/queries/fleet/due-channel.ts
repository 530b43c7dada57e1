import type { Sql } from "../../client.ts";

/** The channel of the notifications of this installation. */
export async function readDueChannel(sql: Sql): Promise<string> {
  const [row] = await sql`SELECT due_channel() AS channel`;
  return row?.channel;
}
