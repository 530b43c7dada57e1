import { CONNECTIONS } from "../tuning/connections.ts";

/** What is known of how fast one origin answers. */
export class Answers {
  /** How many there have been. */
  count = 0;
  /** How many answers and new connections there have been: both show that the origin is there. */
  signs = 0;
  /** When the last one came, monotonic ms. */
  lastAtMs = Number.NEGATIVE_INFINITY;
  /** Average time from request to status line, ms; before the first answer, the shortest time that connecting took. */
  latencyMs = Number.NaN;
  /** Average confirmed latency, ms: without the time that answers may have waited in sockets of this busy process. */
  confirmedMs = 0;
  /** The quickest answer of the second that ended last, ms; NaN when there was none. */
  quickestMs = Number.NaN;
  /** Answers per millisecond in the period that `paceAt` measured last. */
  pacePerMs = 0;
  /** The round trip to it, ms; null while it is unknown. */
  roundTripMs: number | null = null;
  /** The quickest answer of the current second, ms; NaN when there was none. */
  #quickestNowMs = Number.NaN;
  /** Base latency, ms: the quickest answer with no more requests at once than a fast origin gets connections. */
  #baseMs = Number.NaN;
  #paceFrom = 0;
  #paceSinceMs = Number.NEGATIVE_INFINITY;

  /** A request on the wire for longer than this takes longer than usual, ms. */
  get slowAfterMs(): number {
    return Math.max(CONNECTIONS.slowMs, CONNECTIONS.slowFactor * (this.latencyMs || 0));
  }

  /**
   * Whether even the quickest answer takes long, and not because the origin has so many requests at once. The average is
   * not used: it is also long when this process is busy and reads answers late.
   */
  get areSteadilySlow(): boolean {
    return this.quickestMs >= CONNECTIONS.slowMs && !(this.quickestMs > CONNECTIONS.overloadFactor * this.#baseMs);
  }

  /** Records a new connection. */
  noteConnected({ connectMs, roundTripMs }: { connectMs: number; roundTripMs: number | null }): void {
    this.signs++;
    this.roundTripMs = roundTripMs;
    if (this.count > 0) return;
    this.latencyMs = Number.isNaN(this.latencyMs) ? connectMs : Math.min(this.latencyMs, connectMs);
  }

  /** Records an answer: its latency until it was read, and its confirmed latency (before it arrived), `confirmedMs`. */
  note({ latencyMs, confirmedMs }: { latencyMs: number; confirmedMs: number }, nowMs: number): void {
    const isFirst = this.count === 0;
    this.latencyMs = isFirst ? latencyMs : this.latencyMs * 0.9 + latencyMs * 0.1;
    this.confirmedMs = isFirst ? confirmedMs : this.confirmedMs * 0.9 + confirmedMs * 0.1;
    this.lastAtMs = nowMs;
    this.count++;
    this.signs++;
    if (!(this.#quickestNowMs <= latencyMs)) this.#quickestNowMs = latencyMs;
  }

  /** Called once a second. `isCrowded`: there are more requests at once than a fast origin gets connections. */
  age(isCrowded: boolean): void {
    this.quickestMs = this.#quickestNowMs;
    this.#quickestNowMs = Number.NaN;
    const isRising = isCrowded && this.quickestMs > this.#baseMs;
    this.#baseMs = isRising ? Math.min(this.#baseMs * CONNECTIONS.baseRise, this.quickestMs) : this.quickestMs;
  }

  /** Answers per millisecond of late, measured anew when the last period is over. */
  paceAt(nowMs: number): number {
    const forMs = nowMs - this.#paceSinceMs;
    if (forMs >= CONNECTIONS.pacePeriodMs) {
      this.pacePerMs = (this.count - this.#paceFrom) / forMs;
      this.#paceFrom = this.count;
      this.#paceSinceMs = nowMs;
    }
    return this.pacePerMs;
  }
}
