/**
 * One queue for each party. Parties take turns, so one with many entries does not delay one with few. Holds at most
 * `max` entries, and `perPartyMax` of one party.
 */
export class FairWaiting<T> {
  readonly #max: number;
  readonly #perPartyMax: number;
  /** In the order of turns: the first party is next. */
  readonly #queues = new Map<string, T[]>();
  #size = 0;

  constructor({ max, perPartyMax }: { max: number; perPartyMax: number }) {
    this.#max = max;
    this.#perPartyMax = perPartyMax;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Adds an entry of `party`. Returns the entry that found no place: `one` itself when its party has `perPartyMax`; the
   * last entry of the largest party when there are more than `max`.
   */
  add(party: string, one: T): T | undefined {
    const queue = this.#queues.get(party);
    if ((queue?.length ?? 0) >= this.#perPartyMax) return one;
    if (queue) queue.push(one);
    else this.#queues.set(party, [one]);
    this.#size++;
    if (this.#size <= this.#max) return undefined;
    return this.#removeLast(this.#largestParty());
  }

  /** Removes and returns the first entry of the party whose turn it is. */
  next(): T | undefined {
    const [turn] = this.#queues;
    if (turn === undefined) return undefined;
    const [party, queue] = turn;
    const first = queue.shift();
    this.#queues.delete(party);
    if (queue.length > 0) this.#queues.set(party, queue);
    this.#size--;
    return first;
  }

  /** Removes an entry; does nothing when it is not waiting. */
  remove(party: string, one: T): void {
    const queue = this.#queues.get(party);
    const at = queue?.indexOf(one) ?? -1;
    if (!queue || at < 0) return;
    queue.splice(at, 1);
    if (queue.length === 0) this.#queues.delete(party);
    this.#size--;
  }

  #largestParty(): string {
    let largest = "";
    let most = 0;
    for (const [party, { length }] of this.#queues) {
      if (length > most) [largest, most] = [party, length];
    }
    return largest;
  }

  #removeLast(party: string): T | undefined {
    const last = this.#queues.get(party)?.at(-1);
    if (last !== undefined) this.remove(party, last);
    return last;
  }
}
