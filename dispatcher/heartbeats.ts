import type { Database } from "#db/client.ts";
import type { Runner } from "#db/literals.ts";
import { beginHold, endHold } from "#db/queries/fleet/holds.ts";
import { type BeatingDispatcher, sendHeartbeat } from "#db/queries/fleet/shard-leases.ts";
import { hasDueWork, readStanding } from "#db/queries/fleet/standing.ts";
import { describeHold, findsOwnHeartbeat, type Incarnation, judgeDatabase, type Mark } from "#domain/incarnation.ts";

const DEADLINE_MS = 2_000;

export type Member = { id: string; host: string; pid: number; version: string; process?: string | null };

type Deps = {
  database: Database;
  me: Member;
  /** Finds the primaries behind the hosts of the database's address. Asked once, before the first heartbeat. */
  findPrimaries: () => Promise<Mark[]>;
  /** Called when a hold is found, with a sentence that says why, and with null when it has ended. */
  onHold: (why: string | null) => void;
};

/** A heartbeat that was stored: the fleet with the shards of this dispatcher, and the database that took it. */
export type Heartbeat = { fleet: Awaited<ReturnType<typeof sendHeartbeat>>; incarnation: Incarnation };

/** What a heartbeat tells besides that the dispatcher lives. */
type Told = Pick<BeatingDispatcher, "skewMs" | "recoveredToMs" | "openFromMs">;

/**
 * Sends the heartbeats of a dispatcher, each after a look at whether this database continues the one that the dispatcher
 * knows. A restored database, or a former primary, still has schedules that were sent already: it gets no heartbeat but a
 * hold, until an operator chooses.
 */
export class Heartbeats {
  readonly #deps: Deps;
  /** The last heartbeat that was acknowledged. */
  #known: Mark | null = null;
  #primaries: Mark[] | undefined;
  #held: string | null = null;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Why nothing may be claimed, as a sentence; null when there is no hold. */
  held(): string | null {
    return this.#held;
  }

  /** Sends a heartbeat, which renews the leases of the dispatcher. Returns null, and stores none, while there is a hold. */
  async send(told: Told): Promise<Heartbeat | null> {
    this.#primaries ??= await this.#deps.findPrimaries();
    const found = await this.#deps.database.run(DEADLINE_MS, ({ sql }) => sql.begin((tx) => this.#beat(tx, told)));
    const held = typeof found === "string" ? found : null;
    if (held !== this.#held) this.#deps.onHold(held);
    this.#held = held;
    if (typeof found === "string") return null;
    const { fleet, incarnation } = found;
    this.#primaries = [];
    if (fleet.beatAtMs !== null) this.#known = { atMs: fleet.beatAtMs, ...incarnation };
    return found;
  }

  // One transaction, so that all of it happens in one database: two connections of a pool may lead to two.
  async #beat(tx: Runner, told: Told): Promise<Heartbeat | string> {
    const { me } = this.#deps;
    const { standing, hold } = await readStanding(tx, me.id);
    if (hold) {
      if (hold.reason !== "restored" || !findsOwnHeartbeat(this.#known, standing)) return describeHold(hold);
      await endHold(tx, hold.id, { choice: "continued" });
    } else {
      const verdict = judgeDatabase(this.#known, standing, this.#primaries);
      if (verdict === "older_timeline" || (verdict === "restored" && (await hasDueWork(tx)))) {
        await beginHold(tx, verdict, standing.nowMs);
        return describeHold({ reason: verdict, newestBeatAtMs: standing.newest?.atMs ?? null });
      }
    }
    return { fleet: await sendHeartbeat(tx, { ...me, ...told }), incarnation: standing.current };
  }
}
