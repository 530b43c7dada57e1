import { INTAKE } from "../tuning/intake.ts";

/** Counts the deliveries that leave in each step of 25 ms, to know the size of a burst. */
export class BurstLoad {
  readonly #rows = new Map<number, number>();

  /** Counts a delivery that leaves at `sendAtMs`. */
  add(sendAtMs: number): void {
    const bucket = bucketOf(sendAtMs);
    this.#rows.set(bucket, (this.#rows.get(bucket) ?? 0) + 1);
  }

  /**
   * Returns a function that tells how many deliveries are at work together with one that leaves at an instant: those that
   * leave at most `spanMs` before or after it, or the fullest step from `fromMs` until `untilMs`, whose work begins sooner.
   * It remembers its results, so use it for one round.
   */
  beside(spanMs: number, fromMs: number, untilMs: number): (instantMs: number) => number {
    const known = new Map<number, number>();
    let fullest: number | undefined;
    return (instantMs) => {
      const step = bucketOf(instantMs);
      let rows = known.get(step);
      if (rows === undefined) {
        fullest ??= this.#fullest(fromMs, untilMs);
        rows = Math.max(this.#around(instantMs, spanMs), fullest);
        known.set(step, rows);
      }
      return rows;
    };
  }

  #around(instantMs: number, spanMs: number): number {
    let rows = 0;
    const last = bucketOf(instantMs + spanMs);
    for (let bucket = bucketOf(instantMs - spanMs); bucket <= last; bucket++) rows += this.#rows.get(bucket) ?? 0;
    return rows;
  }

  #fullest(fromMs: number, untilMs: number): number {
    let most = 0;
    for (let bucket = bucketOf(fromMs); bucket <= bucketOf(untilMs); bucket++) {
      most = Math.max(most, this.#rows.get(bucket) ?? 0);
    }
    return most;
  }

  forget(beforeMs: number): void {
    for (const bucket of this.#rows.keys()) if (bucket < bucketOf(beforeMs)) this.#rows.delete(bucket);
  }
}

const bucketOf = (ms: number): number => Math.floor(ms / INTAKE.loadStepMs);
