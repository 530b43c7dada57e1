import { type FleetMember, readFleet } from "#db/queries/fleet/dispatchers.ts";
import { SHARDS } from "#domain/shard-share.ts";
import type { Admin } from "./admin.ts";

/** The dispatchers with a heartbeat within the last hour, with their shards, and the number of shards without a lease. */
export async function readDispatchers(admin: Admin): Promise<{ dispatchers: FleetMember[]; shardsUnowned: number }> {
  const dispatchers = await admin.query(({ sql }) => readFleet(sql));
  return { dispatchers, shardsUnowned: SHARDS - dispatchers.reduce((sum, { shards }) => sum + shards, 0) };
}
