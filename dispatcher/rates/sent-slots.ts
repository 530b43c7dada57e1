/** A little over the second that the contract counts in: a slot is free again only when a whole second is over. */
const SLOT_MS = 1_001;
const COMPACT_AFTER = 1_024;

/** A slot whose request was sent. `untilMs` is when its second is over, monotonic ms. */
export type SentSlot = { lane: string; shard: number; untilMs: number; free: () => void };

/**
 * Slots of all lanes whose request was sent, in the order of their first bytes. Each is handed on some milliseconds
 * before its second is over, so that the next request of the lane is claimed by then.
 */
export class SentSlots {
  readonly #monotonic: () => number;
  #slots: SentSlot[] = [];
  /** The first one whose second is not over, and the first one that was not handed on. */
  #first = 0;
  #firstHeld = 0;
  /** Its request may still be about to be written. */
  #latest: SentSlot | undefined;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /**
   * The first byte leaves in this turn of the event loop; `free` gives the slot back. Its second counts from when the
   * write is over, since a busy machine may hold the process up before it: from the next first byte of this turn, or from
   * the end of the turn.
   */
  add({ free, lane, shard }: Omit<SentSlot, "untilMs">): void {
    if (this.#latest) this.#begin();
    else queueMicrotask(() => this.#begin());
    this.#latest = { untilMs: this.#monotonic() + SLOT_MS, free, lane, shard };
    this.#slots.push(this.#latest);
  }

  /** Takes out the slots whose second is over within `leadMs`, for `handOn`; returns when the next one is, monotonic ms. */
  handOn(leadMs: number, handOn: (slot: SentSlot) => void): number {
    const now = this.#monotonic();
    for (let next = this.#slots[this.#firstHeld]; next && next.untilMs - leadMs <= now; ) {
      this.#firstHeld++;
      handOn(next);
      next = this.#slots[this.#firstHeld];
    }
    this.#forget(now);
    return (this.#slots[this.#firstHeld]?.untilMs ?? Number.POSITIVE_INFINITY) - leadMs;
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

  /** How many of each lane were not handed on. */
  countHeld(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { lane } of this.#slots.slice(this.#firstHeld)) counts.set(lane, (counts.get(lane) ?? 0) + 1);
    return counts;
  }

  /** The write of the latest is over. */
  #begin(): void {
    if (this.#latest) this.#latest.untilMs = this.#monotonic() + SLOT_MS;
    this.#latest = undefined;
  }

  #forget(now: number): void {
    while (this.#first < this.#firstHeld && (this.#slots[this.#first] as SentSlot).untilMs <= now) this.#first++;
    if (this.#first > COMPACT_AFTER && this.#first * 2 > this.#slots.length) {
      this.#slots = this.#slots.slice(this.#first);
      this.#firstHeld -= this.#first;
      this.#first = 0;
    }
  }
}
