import type { Database } from "#db/client.ts";
import type { Runner } from "#db/literals.ts";
import { beginHold, endHold } from "#db/queries/fleet/holds.ts";
import { type BeatingDispatcher, sendHeartbeat } from "#db/queries/fleet/shard-leases.ts";
import { hasPendingWork, readStanding } from "#db/queries/fleet/standing.ts";
import {
  describeHold,
  endsHold,
  type Incarnation,
  judgeDatabase,
  type KnownHeartbeat,
  type Mark,
} from "#domain/incarnation.ts";

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
  #known: KnownHeartbeat | null = null;
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
    const { beatAtMs } = fleet;
    if (beatAtMs !== null) this.#known = { ...incarnation, atMs: beatAtMs, formerAtMs: this.#known?.atMs ?? beatAtMs };
    return found;
  }

  // One transaction, so that all of it happens in one database: two connections of a pool may lead to two.
  async #beat(tx: Runner, told: Told): Promise<Heartbeat | string> {
    const { me } = this.#deps;
    const known = this.#known;
    const { standing, hold, isWhole } = await readStanding(tx, me.id);
    if (!isWhole) return RESTORING;
    if (hold) {
      if (hold.reason !== "restored" || !endsHold(known, standing, hold.newestBeatAtMs)) return describeHold(hold);
      await endHold(tx, hold.id, { choice: "continued" });
    } else {
      const verdict = judgeDatabase(known, standing, this.#primaries);
      if (verdict !== "continues" && (verdict !== "restored" || (await hasPendingWork(tx)))) {
        const reason = verdict === "lost" ? "restored" : verdict;
        const newestBeatAtMs = newestOf(standing.newest, verdict === "lost" ? known : null);
        await beginHold(tx, reason, { readAtMs: standing.nowMs, newestBeatAtMs });
        return describeHold({ reason, newestBeatAtMs });
      }
    }
    return { fleet: await sendHeartbeat(tx, { ...me, ...told }), incarnation: standing.current };
  }
}

const newestOf = (a: Mark | null, b: Mark | null) => (a && b ? Math.max(a.atMs, b.atMs) : ((a ?? b)?.atMs ?? null));

const RESTORING = "Nothing is sent: this database is being restored (it has tables without their primary keys).";
