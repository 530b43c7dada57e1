import { CONNECTIONS } from "../tuning/connections.ts";

/** How many connections one origin may have open, and from when on. */
export class Allowance {
  #connections: number = CONNECTIONS.fastOriginMax;
  /** The same, without those that hanging requests allow. */
  #grown: number = CONNECTIONS.fastOriginMax;
  /** The most requests at once since `#peakSinceMs`, monotonic ms, and in the half minute before that. */
  #peak = 0;
  #peakBefore = 0;
  #peakSinceMs = Number.NEGATIVE_INFINITY;
  #againAtMs = 0;

  /** How many connections may be open, given how many requests wait. */
  get connections(): number {
    return this.#connections;
  }

  /** The most requests on the wire at once, in the last 30 to 60 seconds. */
  get peak(): number {
    return Math.max(this.#peak, this.#peakBefore);
  }

  /** Raises it, for longer, to what a slow origin `needs`, at most `max`. */
  raise(needs: number, max: number): void {
    this.#grown = Math.max(this.#grown, Math.min(needs, max));
    this.#connections = Math.max(this.#connections, this.#grown);
  }

  /** Allows one more for each of `hanging` requests for now, up to `max` in all. */
  allowFor(hanging: number, max: number): void {
    this.#connections = Math.min(this.#grown + hanging, max);
  }

  /** Hanging requests no longer allow further connections. */
  settle(): void {
    this.#connections = this.#grown;
  }

  /** Notes how many requests are on the wire. */
  noteBusy(busy: number): void {
    if (busy > this.#peak) this.#peak = busy;
  }

  /** Called once a second with how many requests are on the wire: forgets peaks older than a minute, and what they had raised. */
  age(busy: number, nowMs: number): void {
    if (nowMs - this.#peakSinceMs >= CONNECTIONS.peakEachMs) {
      this.#peakBefore = this.#peak;
      this.#peak = busy;
      this.#peakSinceMs = nowMs;
    }
    this.#grown = Math.max(
      CONNECTIONS.fastOriginMax,
      Math.min(this.#grown, Math.ceil(this.peak * CONNECTIONS.peakFactor)),
    );
  }

  /** After a failure to connect: no connection is opened before `atMs`, monotonic ms. */
  pauseUntil(atMs: number): void {
    this.#againAtMs = atMs;
  }

  /** Ends such a pause. */
  endPause(nowMs: number): void {
    this.#againAtMs = Math.min(this.#againAtMs, nowMs);
  }

  /** Whether there is such a pause. */
  isPaused(nowMs: number): boolean {
    return nowMs < this.#againAtMs;
  }
}
