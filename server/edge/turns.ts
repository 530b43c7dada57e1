import { FairWaiting } from "./fair-waiting.ts";
import type { LoopShare, Work } from "./loop-share.ts";
import type { Visitor } from "./visitor.ts";

/** A request that waits for its turn. `mayPass`: whether it now begins without counting toward the loop's share. */
export type Waiting = { work: Work; begin: () => void; mayPass: () => boolean };

/**
 * Lets requests begin one by one, party by party, as `share` allows. Accepted credentials have three in four turns, while
 * any of them wait.
 */
export class Turns {
  readonly #share: LoopShare;
  readonly #accepted = new FairWaiting<Waiting>(WAITING);
  readonly #others = new FairWaiting<Waiting>(WAITING);
  #turn = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(share: LoopShare) {
    this.#share = share;
  }

  /**
   * Begins `one` now or when it is its turn. Returns the request that found no place, if any, as `FairWaiting.add`
   * does: `one` itself or another.
   */
  take({ isAccepted, party }: Visitor, one: Waiting): Waiting | undefined {
    const crowdedOut = (isAccepted ? this.#accepted : this.#others).add(party, one);
    if (this.#timer === undefined) this.#run();
    return crowdedOut;
  }

  /** Removes `one` from the waiting requests. */
  leave({ isAccepted, party }: Visitor, one: Waiting): void {
    (isAccepted ? this.#accepted : this.#others).remove(party, one);
  }

  #run(): void {
    this.#timer = undefined;
    while (this.#size() > 0 && this.#share.mayBegin()) {
      const next = this.#next();
      if (next === undefined) return;
      if (!next.mayPass()) this.#share.begin(next.work);
      next.begin();
    }
    if (this.#size() > 0) this.#timer = setTimeout(() => this.#run(), LOOK_AGAIN_MS);
  }

  #size(): number {
    return this.#accepted.size + this.#others.size;
  }

  #next(): Waiting | undefined {
    this.#turn = (this.#turn + 1) % TURNS;
    const [first, second] = this.#turn === 0 ? [this.#others, this.#accepted] : [this.#accepted, this.#others];
    return first.next() ?? second.next();
  }
}

/** Maximum number of waiting requests, in each of the two queues and of one party. */
const WAITING = { max: 2_048, perPartyMax: 256 };

/** One turn in this many goes to requests without an accepted credential. */
const TURNS = 4;

const LOOK_AGAIN_MS = 1;
