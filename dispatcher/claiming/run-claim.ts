import { type Database, DatabaseUnavailable, type Sql } from "#db/client.ts";
import { type ClaimedSchedule, claimSchedules, claimSchedulesAgain } from "#db/queries/schedules/claim.ts";
import type { Delivery } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";
import { STATEMENTS } from "../tuning/statements.ts";
import type { ClaimCost } from "./claim-cost.ts";
import type { Statement } from "./lane-order.ts";

/**
 * Fixed by the size of a version: its steps repeat after this many statements. By then no answer of the earlier statement can still
 * arrive.
 */
const STEPS = 2 ** 20;

/** What a database must have for a claim in it: the epochs of shards, and the last heartbeat that was acknowledged. */
export type ClaimFence = { epochsOf(shards: number[]): Map<number, number>; beat(): number | null };

type Deps = {
  /** Gives calls at the same time connections of their own. */
  database: Database;
  dispatcherId: string;
  shards: ClaimFence;
  clock: Pick<Time, "monotonic">;
  cost: ClaimCost;
  /** Statements at the same time, without repeats. `database` has a connection more. */
  inFlightMax: number;
};

/** `lost` are the deliveries whose rows were not claimed. Those of `unknown` may be claimed or not: an answer was lost. */
export type ClaimResult = { lost: Delivery[]; unknown: Delivery[] };

type Claimed = (rows: ClaimedSchedule[]) => void;
/** `moved` are the ids of rows that neither statement can claim any more. */
type Answer = { claimed: ClaimedSchedule[]; moved: string[] };
type Ask = (...claim: Parameters<typeof claimSchedules>) => Promise<Answer>;
type Call = { batch: readonly Delivery[]; step: number; signal: AbortSignal };

/**
 * Sends claim statements. One whose answer does not come, or is lost, is repeated on another connection, since its own may be
 * stuck. All of them give a row the same version, so that it does not matter which of them has claimed it, and the first
 * answer that has a row counts. A row that is missing from one answer may be claimed by a statement that has not ended, so
 * nobody reads it again until all have. When the answers have all rows, a statement that has still not ended is given up, and
 * its connection replaced.
 */
export class ClaimStatements {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Claims the deliveries of a statement. `onClaimed` gets the claimed rows, each once, as soon as an answer has them. */
  async run({ n, batch }: Statement, onClaimed: Claimed): Promise<ClaimResult> {
    const { clock, cost, inFlightMax } = this.#deps;
    const startedAtMs = clock.monotonic();
    const waitMs = cost.repeatedAfterMs(batch.length);
    // Each statement raises the version by a step of its own, so the version identifies the statement.
    const step = ((n - 1) % STEPS) + 1;
    for (const delivery of batch) delivery.claimVersion = delivery.version + step;
    const answers = new Answers(batch, onClaimed);
    const stuck = new AbortController();
    const tookMs = () => clock.monotonic() - startedAtMs;
    const call = { batch, step, signal: stuck.signal };

    const sent: Promise<boolean>[] = [];
    for (
      let leftMs = STATEMENTS.deadlineMs;
      leftMs > 0 && sent.length <= inFlightMax;
      leftMs = STATEMENTS.deadlineMs - tookMs()
    ) {
      const isFirst = sent.length === 0;
      const answered = this.#send(isFirst ? claimOnce : claimSchedulesAgain, call, leftMs).then((answer) => {
        if (isFirst && answer) cost.learn(tookMs(), batch.length);
        return answers.take(answer);
      });
      sent.push(answered);
      if (await within(Promise.race([answered, answers.areComplete]), waitMs)) break;
    }
    const all = Promise.all(sent).then((areAnswered) => areAnswered.every(Boolean));
    const isKnown = await Promise.race([answers.areComplete, all]);
    const timer = setTimeout(() => stuck.abort(), waitMs);
    all.catch(() => {}).finally(() => clearTimeout(timer));
    return answers.result(isKnown);
  }

  /** Returns null when the answer was lost. The fences are those of this moment. */
  async #send(ask: Ask, { batch, step, signal }: Call, deadlineMs: number): Promise<Answer | null> {
    const { database, dispatcherId, shards } = this.#deps;
    const epochs = shards.epochsOf(batch.map(({ shard }) => shard));
    const beat = shards.beat();
    try {
      const work = ({ sql }: { sql: Sql }) => ask(sql, dispatcherId, epochs, batch.map(requestOf), step, beat);
      return await database.run(deadlineMs, work, signal);
    } catch (error) {
      if (error instanceof DatabaseUnavailable) return null;
      throw error;
    }
  }
}

const claimOnce: Ask = async (...claim) => ({ claimed: await claimSchedules(...claim), moved: [] });

/** What the answers to a statement and to its repeats have said so far. */
class Answers {
  /** The deliveries that no answer has. */
  readonly #open: Map<string, Delivery>;
  readonly #lost: Delivery[] = [];
  readonly #onClaimed: Claimed;
  readonly #complete = Promise.withResolvers<true>();

  constructor(batch: readonly Delivery[], onClaimed: Claimed) {
    this.#open = new Map(batch.map((delivery) => [delivery.id, delivery]));
    this.#onClaimed = onClaimed;
  }

  /** Resolves when each delivery is in an answer. */
  get areComplete(): Promise<true> {
    return this.#complete.promise;
  }

  /** Takes an answer, or null for one that was lost. Returns whether it has come. */
  take(answer: Answer | null): boolean {
    if (!answer) return false;
    const claimed = answer.claimed.filter(({ id }) => this.#open.delete(id));
    if (claimed.length > 0) this.#onClaimed(claimed);
    this.#lost.push(...answer.moved.flatMap((id) => this.#open.get(id) ?? []));
    for (const id of answer.moved) this.#open.delete(id);
    if (this.#open.size === 0) this.#complete.resolve(true);
    return true;
  }

  /** `isKnown`: each statement that was sent has been answered, or nothing is open. */
  result(isKnown: boolean): ClaimResult {
    const open = [...this.#open.values()];
    return isKnown ? { lost: [...this.#lost, ...open], unknown: [] } : { lost: this.#lost, unknown: open };
  }
}

/** What `answer` gives within `ms`, or undefined. When this process was held up, an answer that has arrived is read first. */
async function within<T>(answer: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => setImmediate(() => resolve(undefined)), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

const requestOf = ({ id, version, shard, dueAtMs, sendAtMs }: Delivery) => ({
  ...{ id, version, shard },
  earlyMs: dueAtMs - sendAtMs,
});
