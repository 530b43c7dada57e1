import type { Dispatcher } from "undici";
import type { ClaimedSchedule } from "#db/queries/schedules/claim.ts";
import type { DueSchedule } from "#db/queries/schedules/due.ts";
import type { DeliveryOutcome } from "#domain/settle-attempt.ts";
import type { ConnectFailure, Connection } from "./connection.ts";
import type { DeliveryState } from "./states.ts";

/**
 * One attempt to deliver one schedule, as this process knows it. `Deliveries` alone writes `state`; each other field that
 * changes has one writer, which is named.
 */
export type Delivery = DueSchedule & {
  readonly lane: string;
  /** Account and origin: bounds of connections count by it. */
  readonly place: string;
  /** When its request is to leave, by the database's clock, ms: its due time, or ahead of it when it fires early. */
  readonly sendAtMs: number;
  state: DeliveryState;
  /** When the due queue looks at it next, ms. Written by the due queue. */
  wakeAtMs: number;
  /** Nothing may have been sent on its connection before: it is a retry, or its connection was gone. Written by the exchange. */
  needsNewConnection: boolean;
  /** How long it waited, after it was due, for its turn under the account's rate, ms. Written by the rate lanes. */
  waitMs: number;
  /** Frees its slot in p-queue. Written by the rate lanes. */
  freeSlot: (() => void) | null;
  /** When its slot is free, monotonic ms: a slot is handed on a little before. Written by the rate lanes. */
  slotFromMs: number;
  /** When it may leave, by the database's clock, ms: its instant, or later when its slot is free. Written by the rate lanes and the send queue. */
  leaveAtMs: number;
  /** The version that its claim gives the row, from when the statement is sent. Written by the claimer. */
  claimVersion: number;
  /** Written by the claimer. */
  claim: Claim | null;
  /** Written by the preparer; the exchange drops the body once it is sent, the releases what is not sent. */
  request: PreparedRequest | null;
  /** Why there is no connection. Written by the connections. */
  failure: ConnectFailure | null;
  /** The connection it is sent on. Written by the connections. */
  connection: Connection | null;
  /** How it ended. Written by `Deliveries.end`. */
  result: AttemptResult | null;
  /** The retry that follows, when it is due soon. Written by the recorder. */
  retry: DueSchedule | null;
};

/** A claim that succeeded. */
export type Claim = {
  row: ClaimedSchedule;
  /** When the claim was sent, monotonic ms: the attempt's deadline counts from it. */
  startedAtMs: number;
  /** How long the claim took, ms. */
  durationMs: number;
};

/** What is written to the socket. */
export type PreparedRequest = {
  method: Dispatcher.HttpMethod;
  path: string;
  headers: string[];
  body: Buffer | null;
};

/** How an attempt ended, for the record. Times by the database's clock, ms. */
export type AttemptResult = {
  outcome: DeliveryOutcome;
  /** First byte handed to a connected socket; null when there was none. */
  attemptedAtMs: number | null;
  finishedAtMs: number;
  /** Start of the response's body, of a rejected attempt. */
  body: string;
  connectMs: number | null;
  firstByteMs: number | null;
};

/** A delivery of `due`, to leave `earlyMs` ahead of its due time. */
export function newDelivery(due: DueSchedule, earlyMs: number, state: DeliveryState): Delivery {
  return {
    ...due,
    lane: laneKey(due),
    place: `${due.accountId} ${due.origin}`,
    sendAtMs: due.dueAtMs - earlyMs,
    state,
    wakeAtMs: Number.NaN,
    needsNewConnection: due.isRetry,
    waitMs: 0,
    freeSlot: null,
    slotFromMs: Number.NEGATIVE_INFINITY,
    leaveAtMs: due.dueAtMs - earlyMs,
    claimVersion: Number.NaN,
    claim: null,
    request: null,
    failure: null,
    connection: null,
    result: null,
    retry: null,
  };
}

/** The schedule of `delivery` with its retry, due at `dueAtMs`. */
export function retryOf(delivery: Delivery, version: number, dueAtMs: number): DueSchedule {
  const { id, shard, accountId, env, origin, bytes, accountActive, plan, cpsLimit } = delivery;
  return {
    ...{ id, version, shard, accountId, env, dueAtMs, early: false, isRetry: true },
    ...{ origin, bytes, accountActive, plan, cpsLimit },
  };
}

/** A lane is one account in one environment. */
export const laneKey = (due: { accountId: string; env: string }): string => `${due.accountId}:${due.env}`;

/** Due order: the earlier one leaves first; ties by id, which is the order of creation. */
export function leavesBefore(a: Delivery, b: Delivery): boolean {
  return a.sendAtMs < b.sendAtMs || (a.sendAtMs === b.sendAtMs && a.id < b.id);
}

/** Of a queue in which deliveries take turns: the order within a group, and what its turn depends on. */
export const DUE_ORDER = { dueMs: ({ sendAtMs }: Delivery): number => sendAtMs, before: leavesBefore };

/** The claim of a delivery in a state that holds one. */
export function claimOf(delivery: Delivery): Claim {
  if (!delivery.claim) throw new Error(`a delivery in state "${delivery.state}" has no claim`);
  return delivery.claim;
}
