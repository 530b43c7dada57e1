import { performance } from "node:perf_hooks";

/** When a request began, monotonic ms, and how long the event loop had idled by then, ms. */
export type LatencyStart = { atMs: number; idleMs: number };

/**
 * When bytes were read from a socket, monotonic ms, how long the event loop had idled by then, and when the poll phase before had
 * begun in which any were read, ms.
 */
export type Reading = { atMs: number; idleMs: number; polledBeforeMs: number };

/**
 * Measures the confirmed latency of answers. The time from a request to the reading of its answer is longer than the
 * target's latency when the event loop is busy, because the answer waits in its socket. The answer had certainly not
 * arrived while the event loop was idle, nor when the last poll phase began in which answers were read.
 */
export class ConfirmedLatency {
  readonly #monotonic: () => number;
  /** When the first answer was read in the latest poll phase in which any was, and in the one before it. */
  #polledMs = Number.NEGATIVE_INFINITY;
  #polledBeforeMs = Number.NEGATIVE_INFINITY;
  #isPollNoted = false;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  start(): LatencyStart {
    return { atMs: this.#monotonic(), idleMs: performance.nodeTiming.idleTime };
  }

  /** Bytes are being read from a socket. */
  read(): Reading {
    this.#notePoll();
    const { idleTime: idleMs } = performance.nodeTiming;
    return { atMs: this.#monotonic(), idleMs, polledBeforeMs: this.#polledBeforeMs };
  }

  /** The confirmed latency, since `start`, of the answer that was read from its socket at `reading`, ms. */
  until(start: LatencyStart, reading = this.read()): number {
    return Math.max(reading.idleMs - start.idleMs, reading.polledBeforeMs - start.atMs, 0);
  }

  #notePoll(): void {
    if (this.#isPollNoted) return;
    this.#isPollNoted = true;
    this.#polledBeforeMs = this.#polledMs;
    this.#polledMs = this.#monotonic();
    setImmediate(() => {
      this.#isPollNoted = false;
    });
  }
}
