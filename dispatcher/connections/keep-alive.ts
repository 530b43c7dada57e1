import type { Connection } from "../delivery/connection.ts";
import { CONNECTIONS } from "../tuning/connections.ts";

type Rest = { timer: NodeJS.Timeout; then: (mayReuse: boolean) => void };

/**
 * Whether one origin keeps its connections open after an answer. Some close them without saying so. A request that is
 * written before that is noticed fails, and the target may have received it.
 */
export class KeepAlive {
  /** Whether a connection stayed open after an answer, and none was closed since. */
  #isKept = false;
  /** How long after its answer a connection was closed at most, ms; 0 when none was. */
  #closedAfterMs = 0;
  readonly #resting = new Map<Connection, Rest>();

  /**
   * An answer has ended on `connection`. Calls `then` when it is known whether another request may follow: where the
   * origin keeps connections open, after the event loop has read what waits in the sockets, otherwise after a rest.
   * Where it closes them, one at a time rests, to notice when that changes.
   */
  rest(connection: Connection, nowMs: number, then: (mayReuse: boolean) => void): void {
    connection.answeredAtMs = nowMs;
    if (this.#isKept) {
      setImmediate(() => this.#handOn(connection, then));
      return;
    }
    if (this.#closedAfterMs > 0 && this.#resting.size > 0) {
      then(false);
      return;
    }
    this.#restFor(Math.max(CONNECTIONS.restMs, 2 * this.#closedAfterMs), connection, then);
  }

  /** `connection` was closed, and not by this process. */
  closed(connection: Connection, nowMs: number): void {
    const afterMs = nowMs - connection.answeredAtMs;
    if (afterMs < CONNECTIONS.closesWithinMs) {
      this.#isKept = false;
      this.#closedAfterMs = Math.max(this.#closedAfterMs, afterMs, 1);
    }
    this.#end(connection, false);
  }

  /** Bytes that have not been read may be the end of the connection. */
  #handOn(connection: Connection, then: (mayReuse: boolean) => void): void {
    if (connection.hasUnread) this.#restFor(CONNECTIONS.restMs, connection, then);
    else then(true);
  }

  #restFor(restMs: number, connection: Connection, then: (mayReuse: boolean) => void): void {
    // Timers run before sockets are read, so look in the phase that follows.
    const look = () => setImmediate(() => this.#look(connection));
    this.#resting.set(connection, { timer: setTimeout(look, restMs), then });
  }

  /** A connection has rested. If it is open, the origin keeps them open, and none needs to rest any longer. */
  #look(connection: Connection): void {
    const rest = this.#resting.get(connection);
    if (!rest) return;
    if (connection.hasUnread) {
      this.#restFor(CONNECTIONS.restMs, connection, rest.then);
      return;
    }
    if (connection.broken) {
      this.#end(connection, false);
      return;
    }
    this.#isKept = true;
    for (const one of [...this.#resting.keys()].filter((one) => !one.hasUnread)) this.#end(one, true);
  }

  #end(connection: Connection, mayReuse: boolean): void {
    const rest = this.#resting.get(connection);
    if (!rest) return;
    this.#resting.delete(connection);
    clearTimeout(rest.timer);
    rest.then(mayReuse);
  }
}
