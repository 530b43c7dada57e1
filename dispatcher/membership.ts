import { hostname } from "node:os";
import type { Logger } from "pino";
import type { Config } from "#config.ts";
import type { Database } from "#db/client.ts";
import { readPrimaries } from "#db/primaries.ts";
import { EndedProcesses } from "./ended-processes.ts";
import { Heartbeats } from "./heartbeats.ts";
import type { Clock } from "./runtime/clock.ts";
import { processName } from "./runtime/process-name.ts";
import { type ShardRates, Shards } from "./shards.ts";

type Deps = {
  base: { id: string; databases: { leases: Database }; clock: Clock; log: Logger };
  config: Pick<Config, "databaseDirectUrl">;
  rates: ShardRates;
  version: string;
};

/** What makes this process a member of the fleet: its heartbeats and its shards. */
export function createMembership({ base, config, rates, version }: Deps) {
  const { id, clock, log } = base;
  const database = base.databases.leases;
  const me = { id, host: hostname(), pid: process.pid, version, process: processName() };
  const heartbeats = new Heartbeats({
    database,
    me,
    findPrimaries: () => readPrimaries(config.databaseDirectUrl),
    onHold: (why) => (why === null ? log.info("the hold has ended") : log.warn(why)),
  });
  const endedProcesses = new EndedProcesses({ database, log });
  return {
    heartbeats,
    endedProcesses,
    shards: new Shards({ database, me, heartbeats, clock, wall: () => Date.now(), rates }),
  };
}
