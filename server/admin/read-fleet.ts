import { type FleetMember, readFleet } from "#db/queries/fleet/dispatchers.ts";
import { SHARDS } from "#domain/shard-share.ts";
import type { Admin } from "./admin.ts";

/**
 * The dispatchers that gave a sign of life within an hour, with their shards and heartbeats, and how many shards nobody
 * has a lease on.
 */
export async function readDispatchers(admin: Admin): Promise<{ dispatchers: FleetMember[]; shardsUnowned: number }> {
  const dispatchers = await admin.query(({ sql }) => readFleet(sql));
  return { dispatchers, shardsUnowned: SHARDS - dispatchers.reduce((sum, { shards }) => sum + shards, 0) };
}
