import { type Database, DatabaseUnavailable } from "#db/client.ts";
import type { DueSchedule } from "#db/queries/schedules/due.ts";
import { expireSchedules } from "#db/queries/schedules/expire.ts";
import { STATEMENTS } from "../tuning/statements.ts";
import type { ClaimFence } from "./run-claim.ts";

/** Bounds memory: schedules that wait to be made dead. No more is taken then, and their lanes are read again later. */
export const EXPIRED_MAX = 2_000;

type Expired = Pick<DueSchedule, "id" | "shard" | "dueAtMs">;

type Deps = {
  database: Database;
  dispatcherId: string;
  shards: ClaimFence;
  idsToRead: { add(ids: readonly string[]): void };
};

/** Makes schedules dead that were met after they had expired: no attempt of them begins any more. */
export class Expiries {
  readonly #deps: Deps;
  readonly #waiting = new Map<string, Expired>();
  #inFlight: readonly Expired[] = [];

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Takes a schedule that has expired. Returns false when there is no room for it. */
  add({ id, shard, dueAtMs }: Expired): boolean {
    if (this.count() >= EXPIRED_MAX && !this.#waiting.has(id)) return false;
    this.#waiting.set(id, { id, shard, dueAtMs });
    return true;
  }

  /** Makes a bounded number of them dead; what was not to be is read again. Returns how many. */
  async runOnce(): Promise<number> {
    if (this.#inFlight.length > 0 || this.#waiting.size === 0) return 0;
    const { database, dispatcherId, shards, idsToRead } = this.#deps;
    const batch = [...this.#waiting.values().take(STATEMENTS.rowsMax)];
    for (const { id } of batch) this.#waiting.delete(id);
    this.#inFlight = batch;
    const ids = batch.map(({ id }) => id);
    const epochs = shards.epochsOf(batch.map(({ shard }) => shard));
    const owner = { dispatcherId, epochs, beat: shards.beat() };
    try {
      const dead = new Set(await database.run(STATEMENTS.deadlineMs, ({ sql }) => expireSchedules(sql, owner, ids)));
      idsToRead.add(ids.filter((id) => !dead.has(id)));
      return dead.size;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      idsToRead.add(ids);
      return 0;
    } finally {
      this.#inFlight = [];
    }
  }

  /** The earliest due time of those that are here, epoch ms. */
  dueFromMs(): number {
    return Math.min(...[...this.#waiting.values(), ...this.#inFlight].map(({ dueAtMs }) => dueAtMs));
  }

  /** How many wait here. */
  count(): number {
    return this.#waiting.size + this.#inFlight.length;
  }
}
