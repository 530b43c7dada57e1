import { DatabaseUnavailable } from "#db/client.ts";
import { COMPUTE_MS } from "./computing.ts";
import type { Store } from "./store.ts";
import type { Actor, World } from "./world.ts";

/** What a statement costs the server: ms, and ms for each row. Measured beside the bench's burst on two cores. */
const COSTS = {
  clock: [0.1, 0],
  beat: [2, 0],
  read: [1, 0.004],
  claim: [1, 0.025],
  record: [2, 0.06],
  other: [1, 0.02],
} as const;

export type StatementKind = keyof typeof COSTS;

const ROUND_TRIP_MS = 0.2;

/** What a network does to a part of a process's statements: keeps them, keeps their answers, or refuses them. */
type Cut = { mode: "hold" | "hold-replies" | "reset"; share: number; forMs: number; isReset: boolean };

/** How long a connection keeps a statement before the server has it, and its answer, ms; and which of the two it loses then. */
type Held = { statementMs?: number; answerMs?: number; loses?: "statement" | "answer" };

/** The handle that the real queries would get as `sql`. */
export type SimulatedSql = {
  /** Runs `effect` as one statement about `rows` rows, at the instant of its commit. */
  execute<T>(kind: StatementKind, rows: number, effect: (store: Store) => T): Promise<T>;
  begin<T>(work: (tx: SimulatedSql) => Promise<T>): Promise<T>;
};

/** A server that runs a few statements at once, and the connections of dispatchers to it. */
export class SimulatedServer {
  readonly #world: World;
  readonly store: Store;
  /** Statements that run at once. */
  readonly #cores: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  /** How many times slower than usual, by kind of statement: a held snapshot slows reads and claims. */
  slowness: Partial<Record<StatementKind, number>> = {};
  /** Whether nobody can reach it. */
  isAway = false;
  /** What a connection does with a statement. */
  held: (kind: StatementKind) => Held = () => ({});
  readonly #cuts: (Cut & { actor: Actor; untilMs: number })[] = [];
  statements = 0;

  constructor(world: World, store: Store, cores = 2) {
    this.#world = world;
    this.store = store;
    this.#cores = cores;
  }

  /** Cuts a process off from the server, for `forMs`. Afterwards what was kept arrives, or is lost where the connections are reset. */
  cut(actor: Actor, cut: Cut): void {
    this.#cuts.push({ ...cut, actor, untilMs: this.#world.elapsedMs() + cut.forMs });
  }

  /** How long a notification to `actor` is kept, ms. */
  noticeHeldMs(actor: Actor): number {
    return Math.max(...this.#cutsOf(actor).map(({ untilMs }) => untilMs - this.#world.elapsedMs()), 0);
  }

  /**
   * A pool of connections, as `connect` of the database's client gives. A call that passes its deadline, or is given up, ends
   * the connections of the pool with all calls on them, and others are opened.
   */
  pool(connectionsMax: number) {
    let connections = new Connections(connectionsMax);
    return {
      run: async <T>(
        deadlineMs: number,
        work: (handles: { sql: SimulatedSql }) => Promise<T>,
        signal?: AbortSignal,
      ): Promise<T> => {
        const own = connections;
        const discard = () => {
          if (connections === own) connections = new Connections(connectionsMax);
          own.end();
        };
        const timer = this.#world.after(deadlineMs, discard);
        signal?.addEventListener("abort", discard);
        try {
          return await Promise.race([own.use(() => work({ sql: this.#sql() })), own.ended]);
        } finally {
          timer.isCancelled = true;
          signal?.removeEventListener("abort", discard);
        }
      },
      close: async () => {},
    };
  }

  #cutsOf(actor: Actor | null) {
    return this.#cuts.filter((cut) => cut.actor === actor && cut.untilMs > this.#world.elapsedMs());
  }

  #heldOf(kind: StatementKind, actor: Actor | null): Held {
    const cut = this.#cutsOf(actor).find(({ share }) => this.#world.random() < share);
    if (!cut) return this.held(kind);
    const ms = cut.untilMs - this.#world.elapsedMs();
    if (cut.mode === "reset") return { loses: "statement" };
    if (cut.mode === "hold") return { statementMs: ms, ...(cut.isReset && { loses: "statement" }) };
    return { answerMs: ms, ...(cut.isReset && { loses: "answer" }) };
  }

  #sql(): SimulatedSql {
    const sql: SimulatedSql = {
      execute: (kind, rows, effect) => this.#execute(kind, rows, effect),
      begin: (work) => work(sql),
    };
    return sql;
  }

  async #execute<T>(kind: StatementKind, rows: number, effect: (store: Store) => T): Promise<T> {
    this.statements++;
    const actor = this.#world.current();
    const { statementMs = 0, answerMs = 0, loses } = this.#heldOf(kind, actor);
    await this.#world.wait(ROUND_TRIP_MS / 2 + statementMs);
    if (this.isAway || loses === "statement") {
      await this.#world.wait(50);
      throw new DatabaseUnavailable(new Error("ECONNREFUSED"), "unreachable");
    }
    // The server goes on with a statement whose client has ended.
    const result = await new Promise<T>((resolve, reject) => {
      const begin = () => {
        this.#running++;
        const [base, each] = COSTS[kind];
        const ms = (base + each * rows) * (this.slowness[kind] ?? 1) * (0.7 + 0.6 * this.#world.random());
        this.#world.after(
          ms,
          () => {
            this.#running--;
            this.#waiting.shift()?.();
            let answer: () => void;
            try {
              const value = effect(this.store);
              answer = () => resolve(value);
            } catch (error) {
              answer = () => reject(error);
            }
            this.#world.after(ROUND_TRIP_MS / 2 + answerMs, answer, actor);
          },
          null,
        );
      };
      this.#world.as(null, () => {
        if (this.#running < this.#cores) begin();
        else this.#waiting.push(() => this.#world.as(null, begin));
      });
    });
    if (loses === "answer") throw new DatabaseUnavailable(new Error("ECONNRESET"), "unreachable");
    this.#world.compute(rowsIn(result) * COMPUTE_MS.row);
    return result;
  }
}

/** How many rows an answer has. */
function rowsIn(answer: unknown): number {
  if (Array.isArray(answer)) return answer.length;
  const parts = typeof answer === "object" && answer !== null ? Object.values(answer) : [];
  return parts.reduce((rows, part) => rows + (Array.isArray(part) ? part.length : 0), 0);
}

/** Connections that work waits for, until they end. */
class Connections {
  #free: number;
  readonly #waiting: (() => void)[] = [];
  readonly #end = Promise.withResolvers<never>();
  /** Rejects when they end. */
  readonly ended = this.#end.promise;

  constructor(count: number) {
    this.#free = count;
    this.ended.catch(() => {});
  }

  async use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }

  end(): void {
    this.#waiting.length = 0;
    this.#end.reject(new DatabaseUnavailable(new Error("deadline"), "unreachable"));
  }
}
