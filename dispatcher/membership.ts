import { hostname } from "node:os";
import type { Logger } from "pino";
import type { Database } from "#db/client.ts";
import { Heartbeats } from "./heartbeats.ts";
import type { Clock } from "./runtime/clock.ts";
import { type ShardRates, Shards } from "./shards.ts";

type Deps = { id: string; version: string; database: Database; clock: Clock; rates: ShardRates; log: Logger };

/** What makes this process a member of the fleet: its heartbeats and its shards. */
export function createMembership({ id, version, database, clock, rates, log }: Deps) {
  const me = { id, host: hostname(), pid: process.pid, version };
  const heartbeats = new Heartbeats({
    database,
    me,
    onHold: (why) => (why === null ? log.info("the hold has ended") : log.warn(why)),
  });
  return { heartbeats, shards: new Shards({ database, me, heartbeats, clock, wall: () => Date.now(), rates }) };
}
