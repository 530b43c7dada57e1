import type { Dispatcher } from "undici";
import type { ClaimedSchedule } from "#db/queries/schedules/claim.ts";
import type { Reading } from "../runtime/confirmed-latency.ts";

/** The attempt that a request belongs to. `startedAtMs`: monotonic ms, from which its deadline counts. */
export type CarriedAttempt = { claim: { row: ClaimedSchedule; startedAtMs: number } | null };

/** What carries requests: a Client of undici, which needs to know nothing of the attempt, or a listener. */
export type Carrier = {
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler, attempt: CarriedAttempt): boolean;
};

/** One socket with an HTTP client on it, or the way to a listener. It carries one request at a time. */
export type Connection = {
  client: Carrier;
  origin: string;
  /** Name resolution, TCP and TLS, ms. */
  connectMs: number;
  /** TCP alone: one round trip, ms. */
  roundTripMs: number;
  /** Monotonic ms. */
  openedAtMs: number;
  /** Whether a request was ever begun on it. */
  used: boolean;
  /** How many more requests its target takes on it, as far as that is known. Written by the exchange. */
  requestsLeft: number;
  /** When its last answer ended, monotonic ms; NaN before the first. Written by the pool. */
  answeredAtMs: number;
  /** Whether the socket can no longer be used. */
  readonly broken: boolean;
  /** Whether bytes have arrived that the socket does not know of, such as the end of the connection. */
  readonly hasUnread: boolean;
  /** When what was read last had arrived; undefined where it is read as it arrives. */
  readonly reading: Reading | undefined;
  /** The first error of the socket. Later ones only follow from it. */
  readonly error: Error | undefined;
  /** Called once, when the socket is gone. */
  onBroken: (() => void) | undefined;
  /** Gets the received bytes and returns those that are parsed. */
  onBytes: ((chunk: Buffer) => Buffer) | undefined;
  destroy(): void;
};

/**
 * Why there is no connection because of this machine. `forMs`: for how long there has been none, ms. `among`: how many
 * origins or names fail like this one.
 */
export type LocalFailure = { kind: "local"; error: string; forMs: number; among: number };

/** Why there is no connection: because of the target (`blocked`, `unreachable`) or of this machine (`local`). */
export type ConnectFailure = { kind: "blocked" | "unreachable"; error: string } | LocalFailure;

/** The socket was closed before the request was written. Another one may carry the request. */
export class ConnectionGone extends Error {
  constructor() {
    super("the connection was closed before the request was written");
  }
}

/** The target has sent what this process does not go on to read. The message says what, and is the attempt's error text. */
export class RefusedBytes extends Error {}

/** A listener did not deliver the request. The message is the attempt's error text. */
export class ListenerFailed extends Error {
  constructor(reason: string) {
    super(`unreachable: ${reason}`);
  }
}

/** The outcome of an attempt that got no connection. */
export function outcomeOf({ kind, error }: ConnectFailure) {
  return { kind: kind === "blocked" ? "blocked" : "unreachable", error } as const;
}
