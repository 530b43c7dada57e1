import type { Config } from "#config.ts";
import { type ConnectionCounts, readConnectionCounts } from "#db/queries/fleet/connection-counts.ts";
import { type Check, type Finding, failure, ok, warning } from "../check.ts";

/** Those of a web process for counts of calls, and of a dispatcher for all that has no setting (docs/own-database.md). */
const WEB_OTHERS = 1;
const DISPATCHER_OTHERS = 10;
/** Two more of each process while it starts. */
const STARTING = 2;

export const connections: Check = {
  name: "connections",
  needs: ["settings", "database"],
  run: async ({ read, config }) => judgeConnections(await read(readConnectionCounts), needsOf(config as Config)),
};

/** The most connections that a web process and a dispatcher have with these settings. */
export function needsOf({ webConnections, dispatcherConnections, stripe }: Config): {
  web: number;
  dispatcher: number;
} {
  const sum = (pools: object) => Object.values(pools).reduce((total: number, n: number) => total + n, 0);
  return {
    web: sum(webConnections) + WEB_OTHERS,
    dispatcher: sum(dispatcherConnections) + DISPATCHER_OTHERS + (stripe ? 1 : 0),
  };
}

type Limit = { used: number; max: number; raise: string };

/** A web process and a dispatcher more must find room, since each is replaced by a new one before it ends. */
export function judgeConnections(counts: ConnectionCounts, needs: { web: number; dispatcher: number }): Finding {
  const limits: Limit[] = [
    { used: counts.used, max: counts.serverMax, raise: "max_connections" },
    ...limit(counts.databaseUsed, counts.databaseMax, "the CONNECTION LIMIT of the database"),
    ...limit(counts.roleUsed, counts.roleMax, "the CONNECTION LIMIT of the role"),
  ];
  const tightest = limits.reduce((a, b) => (b.max - b.used < a.max - a.used ? b : a));
  const left = Math.max(tightest.max - tightest.used, 0);
  const wanted = needs.web + needs.dispatcher + 2 * STARTING;
  const found = `${tightest.used} of ${tightest.max} are used, ${left} left; a web process has up to ${needs.web}, a dispatcher ${needs.dispatcher}`;
  const todo = `Raise ${tightest.raise}, lower the pools (docs/settings.md), or end other clients`;
  if (left < STARTING) return failure(found, `${todo}: no process could start now.`);
  return left < wanted ? warning(found, `${todo}: one more of each needs ${wanted}.`) : ok(found);
}

const limit = (used: number, max: number | null, raise: string): Limit[] =>
  max === null ? [] : [{ used, max, raise }];
