import type { Holdings } from "../delivery/holdings.ts";
import { createOrigin, isIdle, type Origin } from "./origin.ts";

/** What is known of an origin, how fast it answers and how far away it is, is kept for this long after its last use. */
const REMEMBERED_MS = 600_000;
/** So many idle origins are remembered at most. */
const REMEMBERED_MAX = 10_000;

/** The origins that a process knows. Work that comes again and again looks at the active ones alone. */
export class Origins {
  readonly #holdings: Readonly<Holdings>;
  readonly #monotonic: () => number;
  readonly #origins = new Map<string, Origin>();
  /** Those that something may be to be done for. */
  readonly #active = new Set<Origin>();
  readonly #pressed = new Set<Origin>();
  readonly #withIdle = new Set<Origin>();
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
    const origin = this.#origins.get(key) ?? this.#create(key);
    if (!origin.isActive) {
      origin.isActive = true;
      this.#idle.delete(origin);
      this.#active.add(origin);
    }
    return origin;
  }

  /** The origins that something may be to be done for. */
  get active(): ReadonlySet<Origin> {
    return this.#active;
  }

  /** The origins where something waits for more connections than they may have. */
  get pressed(): ReadonlySet<Origin> {
    return this.#pressed;
  }

  /** The origins that may have idle connections, the one that has been without longest last. */
  get withIdle(): ReadonlySet<Origin> {
    return this.#withIdle;
  }

  /** Notes whether something waits for more connections to `origin` than it may have. */
  press(origin: Origin, isPressed: boolean): void {
    if (origin.isPressed === isPressed) return;
    origin.isPressed = isPressed;
    if (isPressed) this.#pressed.add(origin);
    else this.#pressed.delete(origin);
  }

  /** Notes whether `origin` may have idle connections. */
  noteIdle(origin: Origin, mayHave: boolean): void {
    if (origin.mayHaveIdle === mayHave) return;
    origin.mayHaveIdle = mayHave;
    if (mayHave) this.#withIdle.add(origin);
    else this.#withIdle.delete(origin);
  }

  /** How many deliveries were let through to be claimed and have no connection to `origin` yet. */
  reserved({ key }: Origin): number {
    return (this.#holdings.reservedByOrigin.get(key) ?? 0) + (this.#holdings.reservedNewByOrigin.get(key) ?? 0);
  }

  /** Those of them that need a new connection. */
  reservedNew({ key }: Origin): number {
    return this.#holdings.reservedNewByOrigin.get(key) ?? 0;
  }

  /** Sets idle origins aside; forgets those that have been idle for ten minutes, or the longest when there are too many. */
  setIdleAside(): void {
    const now = this.#monotonic();
    for (const origin of this.#active) {
      if (!isIdle(origin, this.reserved(origin))) continue;
      origin.isActive = false;
      this.#active.delete(origin);
      this.press(origin, false);
      this.noteIdle(origin, false);
      this.#idle.set(origin, now);
    }
    for (const [origin, sinceMs] of this.#idle) {
      if (now - sinceMs <= REMEMBERED_MS && this.#idle.size <= REMEMBERED_MAX) return;
      this.#idle.delete(origin);
      this.#origins.delete(origin.key);
    }
  }

  /** How many origins there is something to do for, how many idle ones are remembered, and how many of these at most. */
  figures(): { active: number; remembered: number; rememberedMax: number } {
    return { active: this.#active.size, remembered: this.#idle.size, rememberedMax: REMEMBERED_MAX };
  }

  #create(key: string): Origin {
    const origin = createOrigin(key);
    this.#origins.set(key, origin);
    return origin;
  }

  /** All that are known. */
  all(): Iterable<Origin> {
    return this.#origins.values();
  }
}
