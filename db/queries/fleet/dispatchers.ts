import { DISPATCHER_ALIVE_MS, SHARD_LEASE_MS } from "#domain/timing.ts";
import type { Sql } from "../../client.ts";
import { beatingDispatchers } from "./beats.ts";

export type FleetMember = {
  id: string;
  host: string;
  pid: number;
  version: string;
  /** Epoch ms. */
  startedAtMs: number;
  beatAtMs: number;
  beatAgeMs: number;
  isAlive: boolean;
  skewMs: number | null;
  shards: number;
};

/** The dispatchers that sent a heartbeat within an hour and did not stop in good order, oldest first. */
export async function readFleet(sql: Sql): Promise<FleetMember[]> {
  return sql<FleetMember[]>`
    SELECT d.id, d.host, d.pid, d.version, d.skew_ms AS "skewMs",
      (extract(epoch FROM d.started_at) * 1000)::float8 AS "startedAtMs",
      (extract(epoch FROM d.beat_at) * 1000)::float8 AS "beatAtMs",
      age.ms AS "beatAgeMs", age.ms < ${DISPATCHER_ALIVE_MS} AS "isAlive",
      (SELECT count(*)::int FROM shards s WHERE s.owner = d.id AND clock_timestamp() <
        CASE WHEN d.renews THEN d.beat_at + ${SHARD_LEASE_MS} * interval '1 millisecond' ELSE s.lease_until END) AS shards
    FROM ${beatingDispatchers(sql, 3_600_000)} d
    CROSS JOIN LATERAL (SELECT round(extract(epoch FROM clock_timestamp() - d.beat_at) * 1000)::int AS ms) age
    WHERE d.stopped_at IS NULL AND d.beat_at > now() - interval '1 hour'
    ORDER BY d.started_at, d.id LIMIT 1000`;
}
