import type { Opening, OwnedConnection, Place } from "./accounts.ts";
import { Allowance } from "./allowance.ts";
import { Answers } from "./answers.ts";
import { KeepAlive } from "./keep-alive.ts";

/** One origin: this process's connections to it, and what it knows of it. Who waits for them is in `admission/waiters.ts`. */
export class Origin {
  readonly key: string;
  /** Connections on which nothing was sent yet. */
  readonly unused: OwnedConnection[] = [];
  /** Connections kept alive after an answer; the last used one is last. */
  readonly warm: OwnedConnection[] = [];
  /** Connections with a request, and when it began, monotonic ms; the oldest first. */
  readonly busy = new Map<OwnedConnection, number>();
  readonly opening = new Set<Opening>();
  /** The accounts that its connections count for, by id. */
  readonly places = new Map<string, Place>();
  readonly allowance = new Allowance();
  readonly answers = new Answers();
  readonly keepAlive = new KeepAlive();

  constructor(key: string) {
    this.key = key;
  }

  /** How many connections are without a request. */
  get idle(): number {
    return this.unused.length + this.warm.length;
  }

  /** How many connections are open. */
  get open(): number {
    return this.idle + this.busy.size;
  }

  /** How many connections are open or being opened. */
  get connections(): number {
    return this.open + this.opening.size;
  }

  /** Whether the oldest request on the wire takes longer than usual. */
  isSlow(nowMs: number): boolean {
    const oldest = this.busy.values().next().value;
    return oldest !== undefined && nowMs - oldest > this.answers.slowAfterMs;
  }

  /** Removes a connection without a request from its list. */
  dropIdle(connection: OwnedConnection): void {
    for (const list of [this.warm, this.unused]) {
      const at = list.lastIndexOf(connection);
      if (at >= 0) list.splice(at, 1);
    }
  }
}
