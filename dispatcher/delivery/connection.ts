import type { Client } from "undici";

/** One socket with the HTTP client on it. It carries one request at a time. */
export type Connection = {
  client: Client;
  origin: string;
  /** Name resolution, TCP and TLS, ms. */
  connectMs: number;
  /** TCP alone: one round trip, ms. */
  roundTripMs: number;
  /** Monotonic ms. */
  openedAtMs: number;
  /** Whether a request was begun on it. */
  used: boolean;
  broken: boolean;
  /** Called once, when the socket is gone. */
  onBroken: (() => void) | undefined;
  /** Gets what arrives, before it is parsed. */
  onBytes: ((chunk: Buffer) => void) | undefined;
  destroy(): void;
};

/** Why there is no connection: the target's fault (`blocked`, `unreachable`), or a reason of our own (`local`). */
export type ConnectFailure = { kind: "blocked" | "unreachable" | "local"; error: string };

/** The socket was gone before the request was written: another one may carry it. */
export class ConnectionGone extends Error {
  constructor() {
    super("the connection was closed before the request was written");
  }
}

/** The outcome of an attempt that got no connection. */
export function outcomeOf({ kind, error }: ConnectFailure) {
  return { kind: kind === "blocked" ? "blocked" : "unreachable", error } as const;
}
