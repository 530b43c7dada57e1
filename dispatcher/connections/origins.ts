import type { Holdings } from "../delivery/holdings.ts";
import { createOrigin, isIdle, type Origin, type Reserved } from "./origin.ts";

/** What is known of an origin, how fast it answers and how far away it is, is kept for this long after its last use. */
const REMEMBERED_MS = 600_000;

/** The origins that a process knows. Work that comes again and again looks at the active ones alone. */
export class Origins {
  readonly #holdings: Readonly<Holdings>;
  readonly #monotonic: () => number;
  readonly #origins = new Map<string, Origin>();
  /** Those that something may be to be done for. */
  readonly #active = new Set<Origin>();
  /** The others, with since when they have been idle, monotonic ms, the longest first. */
  readonly #idle = new Map<Origin, number>();

  constructor(deps: { holdings: Readonly<Holdings>; monotonic: () => number }) {
    this.#holdings = deps.holdings;
    this.#monotonic = deps.monotonic;
  }

  /** What is known of this origin, if anything is. */
  get(key: string): Origin | undefined {
    return this.#origins.get(key);
  }

  /** The origin of this key, which is active from now on. */
  originOf(key: string): Origin {
    let origin = this.#origins.get(key);
    if (!origin) {
      origin = createOrigin(key);
      this.#origins.set(key, origin);
    }
    this.#idle.delete(origin);
    this.#active.add(origin);
    return origin;
  }

  /** The origins that something may be to be done for. */
  get active(): ReadonlySet<Origin> {
    return this.#active;
  }

  /** What is reserved at an origin. */
  reservedAt({ key }: Origin): Reserved {
    const { reservedByOrigin, reservedNewByOrigin } = this.#holdings;
    return { any: reservedByOrigin.get(key) ?? 0, forNew: reservedNewByOrigin.get(key) ?? 0 };
  }

  /** Sets idle origins aside, and forgets those that have been idle for ten minutes. */
  setIdleAside(): void {
    const now = this.#monotonic();
    for (const origin of this.#active) {
      if (!isIdle(origin, this.reservedAt(origin))) continue;
      this.#active.delete(origin);
      this.#idle.set(origin, now);
    }
    for (const [origin, sinceMs] of this.#idle) {
      if (now - sinceMs <= REMEMBERED_MS) return;
      this.#idle.delete(origin);
      this.#origins.delete(origin.key);
    }
  }

  all(): Iterable<Origin> {
    return this.#origins.values();
  }
}
