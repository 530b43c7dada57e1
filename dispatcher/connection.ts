import type { Client } from "undici";

/** One socket with the HTTP client on it. It carries one request at a time. */
export type Connection = {
  client: Client;
  origin: string;
  /** Name resolution, TCP and TLS, ms. */
  connectMs: number;
  /** TCP alone: one round trip, ms. */
  roundTripMs: number;
  openedAtMs: number;
  used: boolean;
  broken: boolean;
  onBroken: (() => void) | undefined;
  /** Hears what arrives, before it is parsed. */
  onBytes: ((chunk: Buffer) => void) | undefined;
  destroy(): void;
};

export type OpenResult = { kind: "open"; connection: Connection } | ConnectFailure;

/** Why there is no connection: of the target (`blocked`, `unreachable`), or a reason of our own (`local`). */
export type ConnectFailure = { kind: "blocked" | "unreachable" | "local"; error: string };

/** The socket was gone before the request was written: another one may carry it. */
export class ConnectionGone extends Error {
  constructor() {
    super("the connection was closed before the request was written");
  }
}
