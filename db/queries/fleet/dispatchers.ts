import { DISPATCHER_ALIVE_MS } from "#domain/timing.ts";
import type { Sql } from "../../client.ts";

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
      (SELECT count(*)::int FROM shards s WHERE s.owner = d.id AND s.lease_until > clock_timestamp()) AS shards
    FROM dispatchers d
    CROSS JOIN LATERAL (SELECT round(extract(epoch FROM clock_timestamp() - d.beat_at) * 1000)::int AS ms) age
    WHERE d.stopped_at IS NULL AND d.beat_at > now() - interval '1 hour'
    ORDER BY d.started_at, d.id LIMIT 1000`;
}
