/** The shortest time between two writes of one group, ms. */
const PAUSE_MS = 10_000;
/** The most groups that are remembered. Records of further groups are dropped. */
const GROUPS_MAX = 1_000;

type Group<Item> = { last: Item; times: number } | undefined;

/**
 * Records what callers can repeat at will, in the background and grouped by `keyOf`: the first of a group at once by
 * `write`, those of the next ten seconds in one write, with the last of them and their number. So a caller who hammers
 * causes few writes, one at a time.
 */
export class GroupedRecords<Item> {
  readonly #keyOf: (item: Item) => string;
  readonly #write: (last: Item, times: number) => Promise<void>;
  /** By key: the last record since the group's latest write, and how many there were; undefined when none. */
  readonly #groups = new Map<string, Group<Item>>();

  constructor(keyOf: (item: Item) => string, write: (last: Item, times: number) => Promise<void>) {
    this.#keyOf = keyOf;
    this.#write = write;
  }

  record(item: Item): void {
    const key = this.#keyOf(item);
    if (this.#groups.has(key)) {
      this.#groups.set(key, { last: item, times: (this.#groups.get(key)?.times ?? 0) + 1 });
    } else if (this.#groups.size < GROUPS_MAX) {
      this.#groups.set(key, undefined);
      this.#writeThenRest(key, item, 1);
    }
  }

  #writeThenRest(key: string, last: Item, times: number): void {
    const rest = () => void setTimeout(() => this.#rested(key), PAUSE_MS).unref();
    this.#write(last, times).then(rest, rest);
  }

  #rested(key: string): void {
    const group = this.#groups.get(key);
    if (group === undefined) {
      this.#groups.delete(key);
      return;
    }
    this.#groups.set(key, undefined);
    this.#writeThenRest(key, group.last, group.times);
  }
}
