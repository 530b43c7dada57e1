/** A little over the second that the contract counts in: a slot is free again only when a whole second is over. */
const SLOT_MS = 1_001;
const COMPACT_AFTER = 1_024;

type SentSlot = { free: () => void; lane: string; shard: number };

/** Slots of all lanes whose request was sent, in the order of their first bytes. Each is freed a second after its own. */
export class SentSlots {
  readonly #monotonic: () => number;
  #slots: (SentSlot & { untilMs: number })[] = [];
  #first = 0;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** The first byte left now. */
  add({ free, lane, shard }: SentSlot): void {
    this.#slots.push({ untilMs: this.#monotonic() + SLOT_MS, free, lane, shard });
  }

  /** Frees what is over; returns when the next one is, monotonic ms. */
  freeExpired(): number {
    const now = this.#monotonic();
    for (let next = this.#slots[this.#first]; next && next.untilMs <= now; next = this.#slots[this.#first]) {
      this.#first++;
      next.free();
    }
    if (this.#first > COMPACT_AFTER && this.#first * 2 > this.#slots.length) {
      this.#slots = this.#slots.slice(this.#first);
      this.#first = 0;
    }
    return this.#slots[this.#first]?.untilMs ?? Number.POSITIVE_INFINITY;
  }

  /** How many of each lane of a shard are not over. */
  countOf(shard: number): Record<string, number> {
    const counts: Record<string, number> = {};
    const now = this.#monotonic();
    for (const one of this.#slots.slice(this.#first)) {
      if (one.shard === shard && one.untilMs > now) counts[one.lane] = (counts[one.lane] ?? 0) + 1;
    }
    return counts;
  }

  /** How many of each lane are not freed. */
  countByLane(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { lane } of this.#slots.slice(this.#first)) counts.set(lane, (counts.get(lane) ?? 0) + 1);
    return counts;
  }
}
