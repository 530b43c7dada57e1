import type { ConnectFailure } from "../delivery/connection.ts";
import type { Origin } from "./origin.ts";

/** Gets the result of opening a connection. */
export interface PoolListener {
  opened(origin: Origin): void;
  failed(origin: Origin, failure: ConnectFailure): void;
  /** Account `id` has one connection less that is open, or being opened. */
  freed(id: string): void;
}
