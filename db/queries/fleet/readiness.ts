import { DISPATCHER_ALIVE_MS } from "#domain/timing.ts";
import type { Sql } from "../../client.ts";
import { beatingDispatchers } from "./beats.ts";

/** Whether any dispatcher is alive: it has not stopped, and its last heartbeat is recent. */
export async function hasLivingDispatcher(sql: Sql): Promise<boolean> {
  const alive = await sql`
    SELECT FROM ${beatingDispatchers(sql, DISPATCHER_ALIVE_MS)} d
    WHERE stopped_at IS NULL AND beat_at > clock_timestamp() - ${DISPATCHER_ALIVE_MS} * interval '1 millisecond' LIMIT 1`;
  return alive.length > 0;
}
