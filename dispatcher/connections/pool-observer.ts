import type { ConnectFailure } from "../delivery/connection.ts";
import type { Origin } from "./origin.ts";

/** Called with the result of opening a connection, and when connections are closed. */
export interface PoolObserver {
  opened(origin: Origin): void;
  failed(origin: Origin, failure: ConnectFailure): void;
  /** Account `id` may be able to have another connection: one of its connections was opened, failed or was closed. */
  freed(id: string): void;
}
