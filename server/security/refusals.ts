import type { RefusedCredential } from "#db/queries/accounts/security-events.ts";

/** The shortest time between two writes about one credential, ms. */
const PAUSE_MS = 10_000;
/** The most credentials about which something waits. Refusals of further ones are not recorded. */
const CREDENTIALS_MAX = 1_000;

/**
 * Records refusals of credentials that belong to an account, in the background and grouped: the first at once by `write`,
 * those of the next ten seconds together. So a caller who hammers with a revoked key causes few writes, one at a time.
 */
export class Refusals {
  readonly #write: (refused: RefusedCredential) => Promise<void>;
  readonly #pauseMs: number;
  /** By credential, from its first write on: what was refused since. */
  readonly #waiting = new Map<string, RefusedCredential | undefined>();

  constructor(write: (refused: RefusedCredential) => Promise<void>, pauseMs = PAUSE_MS) {
    this.#write = write;
    this.#pauseMs = pauseMs;
  }

  /** Counts one refusal; the network and browser of the last one are kept. */
  record(refused: Omit<RefusedCredential, "times">): void {
    const { subjectId } = refused;
    if (this.#waiting.has(subjectId)) {
      const times = (this.#waiting.get(subjectId)?.times ?? 0) + 1;
      this.#waiting.set(subjectId, { ...refused, times });
    } else if (this.#waiting.size < CREDENTIALS_MAX) {
      this.#waiting.set(subjectId, undefined);
      this.#writeThenRest({ ...refused, times: 1 });
    }
  }

  #writeThenRest(refused: RefusedCredential): void {
    const rest = () => void setTimeout(() => this.#rested(refused.subjectId), this.#pauseMs).unref();
    this.#write(refused).then(rest, rest);
  }

  #rested(subjectId: string): void {
    const refused = this.#waiting.get(subjectId);
    if (refused === undefined) {
      this.#waiting.delete(subjectId);
      return;
    }
    this.#waiting.set(subjectId, undefined);
    this.#writeThenRest(refused);
  }
}
