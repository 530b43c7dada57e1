import { type Delivery, leavesBefore } from "../delivery/delivery.ts";
import { MinHeap } from "../runtime/min-heap.ts";

/** The deliveries of one account. `turn` is its entry in the order of turns that counts. */
type Account = { place: string; heap: MinHeap<Delivery>; servedAtMs: number; turn: Turn | null };

/** An account is due at the later of its head's due time and its last turn, ms by the database's clock. */
type Turn = { account: Account; tagMs: number };

/**
 * Who waits for a connection to one origin before the claim. Accounts take turns, so that one that may have no more
 * connections, or has much that is overdue, holds up no other. Within an account the one that is due first goes first.
 */
export class WaitingQueue {
  readonly #accounts = new Map<string, Account>();
  /** Entries that no longer count stay until they are first. */
  readonly #turns = new MinHeap<Turn>((a, b) => a.tagMs < b.tagMs);
  #size = 0;

  /** How many wait; one that was removed counts until it is its account's first. */
  get size(): number {
    return this.#size;
  }

  push(delivery: Delivery): void {
    const account = this.#accountOf(delivery.place);
    account.heap.push(delivery);
    this.#size++;
    if (account.heap.peek() === delivery) this.#line(account);
  }

  /** The one whose turn it is, of those that `mayGo` lets through. */
  peek(mayGo: (delivery: Delivery) => boolean): Delivery | undefined {
    const account = this.#next(mayGo);
    if (account?.turn) this.#turns.push(account.turn);
    return account?.heap.peek();
  }

  /** Takes out the one whose turn it is at `nowMs`, of those that `mayGo` lets through. */
  take(nowMs: number, mayGo: (delivery: Delivery) => boolean): Delivery | undefined {
    const account = this.#next(mayGo);
    if (!account) return undefined;
    const delivery = this.#pop(account);
    account.servedAtMs = nowMs;
    this.#line(account);
    return delivery;
  }

  /** Takes out all that wait. */
  clear(): Delivery[] {
    const all = [...this.#accounts.values()].flatMap(({ heap }) => heap.clear());
    this.#accounts.clear();
    this.#turns.clear();
    this.#size = 0;
    return all.filter(isWaiting);
  }

  /** How many wait, without those that were removed; looks at each. */
  count(): number {
    return [...this.#accounts.values()].reduce((n, { heap }) => n + heap.count(isWaiting), 0);
  }

  #accountOf(place: string): Account {
    let account = this.#accounts.get(place);
    if (!account) {
      account = { place, heap: new MinHeap<Delivery>(leavesBefore), servedAtMs: Number.NEGATIVE_INFINITY, turn: null };
      this.#accounts.set(place, account);
    }
    return account;
  }

  /** The account whose turn it is, of those whose first delivery `mayGo` lets through. Its entry is taken out. */
  #next(mayGo: (delivery: Delivery) => boolean): Account | undefined {
    const passed: Turn[] = [];
    let found: Account | undefined;
    while (!found) {
      const turn = this.#turns.pop();
      if (!turn) break;
      const { account } = turn;
      if (account.turn !== turn) continue;
      if (this.#dropRemoved(account)) {
        this.#line(account);
        continue;
      }
      if (mayGo(account.heap.peek() as Delivery)) found = account;
      else passed.push(turn);
    }
    for (const turn of passed) this.#turns.push(turn);
    return found;
  }

  /** Drops what was removed from the head of an account; says whether its head has changed. */
  #dropRemoved(account: Account): boolean {
    let changed = false;
    for (let head = account.heap.peek(); head && !isWaiting(head); head = account.heap.peek()) {
      this.#pop(account);
      changed = true;
    }
    return changed;
  }

  #pop(account: Account): Delivery | undefined {
    this.#size--;
    return account.heap.pop();
  }

  /** Gives an account its place in the order of turns, by its head; one without any leaves. */
  #line(account: Account): void {
    const head = account.heap.peek();
    account.turn = head ? { account, tagMs: Math.max(head.sendAtMs, account.servedAtMs) } : null;
    if (account.turn) this.#turns.push(account.turn);
    else this.#accounts.delete(account.place);
  }
}

const isWaiting = ({ state }: Delivery): boolean => state === "awaiting connection";
