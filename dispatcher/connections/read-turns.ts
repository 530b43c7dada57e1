import { CONNECTIONS } from "../tuning/connections.ts";

/** A connection from which bytes are read, for the account that it was opened for. */
export type Reader = {
  readonly accountId: string;
  /** Reads a few bytes. Returns whether more have arrived. */
  readSlice(): boolean;
};

/** The readers of one account. `usedMs`: beyond its rounds. `pausedUntilMs` is 0 when it is not paused. */
type Queue = { accountId: string; readers: Set<Reader>; usedMs: number; pausedUntilMs: number };

/**
 * Reads connections in short turns, so that no target keeps the event loop: a slice at a time, with a round robin of accounts by
 * the time that they take (deficit round robin). What is computed for a slice is done before the next one, since the client parses
 * what it has decrypted right behind it.
 */
export class ReadTurns {
  readonly #monotonic: () => number;
  readonly #cpuMs: () => number;
  /** Accounts that have readers waiting, or that are paused. */
  readonly #queues = new Map<string, Queue>();
  /** Those of them that may be read, in turns. */
  readonly #ready = new Set<Queue>();
  #spentMs = 0;
  /** The CPU time when this turn had used its time by the clock; undefined before. */
  #fromCpuMs: number | undefined;
  #isReading = false;
  #isTurnCounted = false;

  /** `cpuMs`: the CPU time of this process so far, ms. */
  constructor(monotonic: () => number, cpuMs = cpuMsOfProcess) {
    this.#monotonic = monotonic;
    this.#cpuMs = cpuMs;
  }

  /** `reader` has bytes: reads a slice at once when nothing else waits and there is time, otherwise in its turn. */
  ask(reader: Reader): void {
    const isFree = !this.#isReading && this.#ready.size === 0 && this.#hasTime();
    if (isFree && !this.#queues.has(reader.accountId)) this.#read(reader);
    else this.#wait(reader);
  }

  /** Notes that reading for an account has taken `ms` more than it ordinarily does. The account waits for it. */
  charge(accountId: string, ms: number): void {
    const queue = this.#queueOf(accountId);
    const nowMs = this.#monotonic();
    const isPaused = queue.pausedUntilMs > nowMs;
    queue.pausedUntilMs = Math.max(queue.pausedUntilMs, nowMs) + ms * CONNECTIONS.chargedPauseFactor;
    this.#ready.delete(queue);
    if (!isPaused) this.#resumeLater(queue, nowMs);
  }

  #queueOf(accountId: string): Queue {
    let queue = this.#queues.get(accountId);
    if (!queue) {
      queue = { accountId, readers: new Set(), usedMs: 0, pausedUntilMs: 0 };
      this.#queues.set(accountId, queue);
    }
    return queue;
  }

  #wait(reader: Reader): void {
    const queue = this.#queueOf(reader.accountId);
    queue.readers.add(reader);
    if (queue.pausedUntilMs === 0) this.#ready.add(queue);
    this.#countTurn();
  }

  #resumeLater(queue: Queue, nowMs: number): void {
    setTimeout(() => {
      const laterMs = this.#monotonic();
      if (queue.pausedUntilMs > laterMs) return this.#resumeLater(queue, laterMs);
      queue.pausedUntilMs = 0;
      this.#ready.add(queue);
      this.#dropIdle(queue);
      this.#readNext();
    }, queue.pausedUntilMs - nowMs).unref();
  }

  #read(reader: Reader): void {
    const startedAtMs = this.#monotonic();
    this.#isReading = true;
    this.#countTurn();
    if (reader.readSlice()) this.#wait(reader);
    // Behind what the client does with the slice, which is in the same queue.
    process.nextTick(this.#endRead, reader.accountId, startedAtMs);
  }

  readonly #endRead = (accountId: string, startedAtMs: number): void => {
    const tookMs = this.#monotonic() - startedAtMs;
    this.#spentMs += tookMs;
    this.#isReading = false;
    // An account of which nothing waits has no queue, and nothing to account for.
    const queue = this.#queues.get(accountId);
    if (queue) {
      queue.usedMs += tookMs;
      this.#dropIdle(queue);
    }
    this.#readNext();
  };

  #readNext(): void {
    if (this.#isReading || !this.#hasTime()) return;
    const queue = this.#next();
    if (!queue) return;
    const reader = queue.readers.values().next().value as Reader;
    queue.readers.delete(reader);
    this.#read(reader);
  }

  #hasTime(): boolean {
    if (this.#spentMs < CONNECTIONS.readTurnMs) return true;
    const cpuMs = this.#cpuMs();
    this.#fromCpuMs ??= cpuMs;
    return cpuMs - this.#fromCpuMs < CONNECTIONS.readTurnMs;
  }

  #dropIdle(queue: Queue): void {
    if (queue.readers.size > 0) return;
    this.#ready.delete(queue);
    if (queue.pausedUntilMs === 0) this.#queues.delete(queue.accountId);
  }

  /** The account whose round it is. One that has used its quantum goes behind the others, with what it used beyond that. */
  #next(): Queue | undefined {
    for (const queue of this.#ready) {
      if (queue.usedMs <= CONNECTIONS.readQuantumMs || this.#ready.size === 1) return queue;
      queue.usedMs -= CONNECTIONS.readQuantumMs;
      this.#ready.delete(queue);
      this.#ready.add(queue);
    }
    return undefined;
  }

  /** Begins the next turn once the event loop has been round. */
  #countTurn(): void {
    if (this.#isTurnCounted) return;
    this.#isTurnCounted = true;
    setImmediate(() => {
      this.#isTurnCounted = false;
      this.#spentMs = 0;
      this.#fromCpuMs = undefined;
      this.#readNext();
      if (this.#ready.size > 0) this.#countTurn();
    });
  }
}

/** Of all its threads: that of one thread is known to a millisecond or more. */
function cpuMsOfProcess(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
