import { SHARDS } from "#domain/shard-share.ts";

/** What a dispatcher holds at the moment; read when metrics are scraped. */
export type Figures = {
  /** Schedules in memory that fall due within the horizon. */
  planned: number;
  /** Schedules that wait for a slot of their lane. */
  waiting: number;
  /** Claimed requests that have not left. */
  unsent: number;
  /** Requests on the wire without an outcome. */
  underWay: number;
  /** Outcomes that are not written yet. */
  unrecorded: number;
  lanes: number;
  /** Connections to targets that are open or being opened. */
  connections: number;
  /** Shards that this dispatcher delivers for. */
  owned: number;
  /** 1 while a hold keeps it from claiming, otherwise 0. */
  held: number;
  /** 1 while deliveries wait because its machine has no network, name servers or sockets, otherwise 0. */
  ownFault: number;
  /** How far this process's clock is ahead of the database's, ms; NaN until it is known. */
  skewMs: number;
};

/** Name and help of the gauge of each figure. */
export const GAUGES: Record<keyof Figures, [name: string, help: string]> = {
  planned: ["planned", "Schedules in memory that fall due soon."],
  waiting: ["queue_depth", "Due schedules that wait for a slot of their account's rate."],
  unsent: ["claimed_unsent", "Claimed requests that have not left."],
  underWay: ["in_flight", "Requests on the wire without an outcome."],
  unrecorded: ["unrecorded", "Outcomes that are not written yet."],
  lanes: ["lanes", "Lanes (an account in an environment) with something to send."],
  connections: ["connections", "Connections to targets that are open or being opened."],
  owned: ["shards_owned", `Shards of the ${SHARDS} that this dispatcher delivers for.`],
  held: ["held", "1 while nothing is sent until an operator has chosen with npm run reconcile, otherwise 0."],
  ownFault: [
    "own_fault",
    "1 while deliveries wait because this machine has no network, name servers or sockets, otherwise 0.",
  ],
  skewMs: ["clock_skew_seconds", "How far this process's clock is ahead of the database's."],
};
