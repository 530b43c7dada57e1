/**
 * What waits, in one queue for each party. Parties take turns, so one with many does not delay one with few. Bounded: at
 * most `max` wait in all, and `perPartyMax` of one party.
 */
export class FairWaiting<T> {
  readonly #max: number;
  readonly #perPartyMax: number;
  /** In the order in which the parties have their turns. */
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
   * Adds what waits for `party`. Returns what cannot wait any longer: `one` itself when its party has too many; when too
   * many wait in all, the last of the party that has most.
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

  /** Takes the first of the party whose turn it is. */
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

  /** Removes what no longer wants to wait. */
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
