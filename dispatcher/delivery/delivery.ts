import type { Dispatcher } from "undici";
import type { ClaimedSchedule } from "#db/queries/schedules/claim.ts";
import type { DueSchedule } from "#db/queries/schedules/due.ts";
import type { ATTEMPT_CARRIERS } from "#domain/attempt-outcome.ts";
import type { DeliveryOutcome } from "#domain/settle-attempt.ts";
import type { ConnectFailure, Connection } from "./connection.ts";
import type { DeliveryState } from "./states.ts";

/**
 * One attempt to deliver one schedule, as this process knows it. Only `Deliveries` writes `state`. Each other field
 * that changes has one writer, which its comment names.
 */
export type Delivery = DueSchedule & {
  readonly lane: string;
  /** The origin of its target. `origin` is where its connections go: there, or to the account's listeners. */
  readonly targetOrigin: string;
  /** Account and origin. The bound on connections of one account to one origin counts by it. */
  place: string;
  /** Who carries it instead of a connection to its target. Written by the routes, as are `origin` and `place`. */
  via: (typeof ATTEMPT_CARRIERS)[number] | null;
  /** When its request is to leave, by the database's clock, ms: its due time, or earlier with early firing. */
  readonly sendAtMs: number;
  state: DeliveryState;
  /**
   * Whether it needs a connection that nothing was sent on: it is a retry, or its connection was closed. Written by the
   * exchange.
   */
  needsNewConnection: boolean;
  /**
   * When it was enqueued, or may be claimed if that is later, by the database's clock, ms; null when it was due by then.
   * Written by the due queue.
   */
  enqueuedAtMs: number | null;
  /** How long after its due time it waited for a slot of its lane, ms. Written by the rate lanes. */
  waitMs: number;
  /** When its slot becomes free, monotonic ms. A slot is handed on shortly before. Written by the rate lanes. */
  slotFromMs: number;
  /**
   * When it may leave, by the database's clock, ms: its instant, or later if its slot is free later. Written by the
   * rate lanes and the send queue.
   */
  leaveAtMs: number;
  /** The version that its claim gives the row; set when the statement is sent. Written by the claimer. */
  claimVersion: number;
  /** Written by the claimer. */
  claim: Claim | null;
  /**
   * Written by the preparer. The exchange drops the body once it is sent, the releases drop a request that is not sent.
   */
  request: PreparedRequest | null;
  /** Why there is no connection. Written by the connections. */
  failure: ConnectFailure | null;
  /** The connection it is sent on. Written by the connections. */
  connection: Connection | null;
  /** How it ended. Written by `Deliveries.end`. */
  result: AttemptResult | null;
  /** Its retry, if that is due soon. Written by the recorder. */
  retry: DueSchedule | null;
};

/** A claim that succeeded. */
export type Claim = {
  row: ClaimedSchedule;
  /** When the claim was sent, monotonic ms. The attempt's deadline counts from here. */
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

/** How an attempt ended, for the record. Times are by the database's clock, ms. */
export type AttemptResult = {
  outcome: DeliveryOutcome;
  /** When the first byte went to a connected socket; null when none did. */
  attemptedAtMs: number | null;
  finishedAtMs: number;
  /** The start of the response's body, for a rejected attempt; one character (U+0000 to U+00FF) for each byte. */
  body: string;
  /** The response's Content-Type, "" when it has none. */
  contentType: string;
  connectMs: number | null;
  firstByteMs: number | null;
};

/** A delivery of `due`, to leave `earlyMs` ahead of its due time. */
export function newDelivery(due: DueSchedule, earlyMs: number, state: DeliveryState): Delivery {
  return {
    ...due,
    lane: laneKey(due),
    targetOrigin: due.origin,
    place: placeOf(due.accountId, due.origin),
    via: null,
    sendAtMs: due.dueAtMs - earlyMs,
    state,
    needsNewConnection: due.isRetry,
    enqueuedAtMs: null,
    waitMs: 0,
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
  const { id, shard, accountId, env, targetOrigin, path, bytes, accountActive, plan, cpsLimit, expiresAtMs } = delivery;
  return {
    id,
    version,
    shard,
    accountId,
    env,
    dueAtMs,
    early: false,
    isRetry: true,
    origin: targetOrigin,
    path,
    bytes,
    accountActive,
    plan,
    cpsLimit,
    expiresAtMs,
  };
}

/** One account at one origin. */
export const placeOf = (accountId: string, origin: string): string => `${accountId} ${origin}`;

/** A lane is one account in one environment. */
export const laneKey = (due: { accountId: string; env: string }): string => `${due.accountId}:${due.env}`;

/** Due order: the earlier delivery leaves first. Ties are ordered by id, which is the order of creation. */
export function leavesBefore(a: Delivery, b: Delivery): boolean {
  return a.sendAtMs < b.sendAtMs || (a.sendAtMs === b.sendAtMs && a.id < b.id);
}

/** Turn rules for queues of deliveries: the due time, and the order within a group. */
export const DUE_ORDER = { dueMs: ({ sendAtMs }: Delivery): number => sendAtMs, before: leavesBefore };

/** The claim of a delivery in a state that holds one. */
export function claimOf(delivery: Delivery): Claim {
  if (!delivery.claim) throw new Error(`a delivery in state "${delivery.state}" has no claim`);
  return delivery.claim;
}
