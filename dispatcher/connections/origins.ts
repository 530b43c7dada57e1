import type { Holdings } from "../delivery/holdings.ts";
import { Origin } from "./origin.ts";

/** Bounds memory: how long after their last use idle origins are remembered, ms, and how many. */
const REMEMBERED_MS = 600_000;
const REMEMBERED_MAX = 10_000;

/** The origins that this process knows. Periodic work looks only at the active ones. */
export class Origins {
  readonly #holdings: Readonly<Holdings>;
  readonly #monotonic: () => number;
  readonly #origins = new Map<string, Origin>();
  /** Origins that may need work. */
  readonly #active = new Set<Origin>();
  readonly #withIdle = new Set<Origin>();
  /** The other origins, with since when they have been idle, monotonic ms; the longest idle first. */
  readonly #idle = new Map<Origin, number>();

  constructor(deps: { holdings: Readonly<Holdings>; monotonic: () => number }) {
    this.#holdings = deps.holdings;
    this.#monotonic = deps.monotonic;
  }

  /** The origin of this key, if it is known. */
  get(key: string): Origin | undefined {
    return this.#origins.get(key);
  }

  /** The origin of this key, which is active from now on. */
  originOf(key: string): Origin {
    const origin = this.#origins.get(key) ?? this.#create(key);
    if (!this.#active.has(origin)) {
      this.#idle.delete(origin);
      this.#active.add(origin);
    }
    return origin;
  }

  /** The origins that may need work. */
  get active(): ReadonlySet<Origin> {
    return this.#active;
  }

  /** The origins that may have idle connections, in the order in which they got them. */
  get withIdle(): ReadonlySet<Origin> {
    return this.#withIdle;
  }

  /** Ends the pauses after failures to connect: what this machine lacked is back. */
  endPauses(): void {
    const nowMs = this.#monotonic();
    for (const origin of this.#active) origin.allowance.endPause(nowMs);
  }

  /** Notes whether `origin` may have idle connections. */
  noteIdle(origin: Origin, mayHave: boolean): void {
    if (mayHave) this.#withIdle.add(origin);
    else this.#withIdle.delete(origin);
  }

  /** How many deliveries were admitted to their claim and have no connection to the origin yet. */
  reserved({ key }: Origin): number {
    return (this.#holdings.reservedByOrigin.get(key) ?? 0) + (this.#holdings.reservedNewByOrigin.get(key) ?? 0);
  }

  /** How many of them need a new connection. */
  reservedNew({ key }: Origin): number {
    return this.#holdings.reservedNewByOrigin.get(key) ?? 0;
  }

  /**
   * Marks origins as idle that have no connections and that nothing `wants`. Drops those that have been idle for ten minutes, or
   * longest when there are too many.
   */
  setIdleAside(wants: (origin: Origin) => boolean): void {
    const now = this.#monotonic();
    for (const origin of this.#active) {
      if (origin.connections > 0 || wants(origin)) continue;
      this.#active.delete(origin);
      this.noteIdle(origin, false);
      this.#idle.set(origin, now);
    }
    for (const [origin, sinceMs] of this.#idle) {
      if (now - sinceMs <= REMEMBERED_MS && this.#idle.size <= REMEMBERED_MAX) return;
      this.#idle.delete(origin);
      this.#origins.delete(origin.key);
    }
  }

  /** How many origins are active, how many idle ones are remembered, and the bound of these. */
  figures(): { active: number; remembered: number; rememberedMax: number } {
    return { active: this.#active.size, remembered: this.#idle.size, rememberedMax: REMEMBERED_MAX };
  }

  #create(key: string): Origin {
    const origin = new Origin(key);
    this.#origins.set(key, origin);
    return origin;
  }

  /** All known origins. */
  all(): Iterable<Origin> {
    return this.#origins.values();
  }
}
