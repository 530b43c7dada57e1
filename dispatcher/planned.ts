import type { DueSchedule } from "#db/queries/due-schedules.ts";

/** A schedule that falls due soon, as this process knows it: its row is untouched until it is claimed. */
export type Planned = DueSchedule & {
  lane: string;
  /** Account and origin: what bounds of connections count by. */
  place: string;
  /** When its request is to leave, by the database's clock, ms: its due time, or ahead of it when it fires early. */
  sendAtMs: number;
  earlyMs: number;
  /** When it is to be looked at next, ms. */
  wakeAtMs: number;
  /** A retry goes over a connection that nothing was sent on before. */
  fresh: boolean;
  /** Admitted to its origin, without a connection yet. */
  admitted: boolean;
  /** Counts against the connections of its account, from its admission to the end of its request. */
  placed: boolean;
  /** Left the plan: claimed by a later version, lost with its shard, or done. */
  gone: boolean;
  /** How long it waited for its turn under the account's rate after it was due, ms. */
  waitMs: number;
  /** Frees its slot of the lane; the slot of a request that was sent is kept until a second after its first byte. */
  leaveLane: (() => void) | null;
};

/** The earlier one leaves first; ties by id, which is the order of creation. */
export function leavesBefore(a: Planned, b: Planned): boolean {
  return a.sendAtMs < b.sendAtMs || (a.sendAtMs === b.sendAtMs && a.id < b.id);
}
