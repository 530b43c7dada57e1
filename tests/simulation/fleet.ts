import pino from "pino";
import { vi } from "vitest";
import { type Config, readConfig } from "#config.ts";
import type { Dispatcher } from "#dispatcher/dispatcher.ts";
import { secretAad } from "#domain/associated-data.ts";
import { seal } from "#domain/cipher.ts";
import { generateSigningSecret } from "#domain/signing.ts";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";
import { COMPUTE_MS } from "./computing.ts";
import { SimulatedServer, type SimulatedSql } from "./database.ts";
import { FleetTables } from "./fleet-tables.ts";
import { Ledger } from "./ledger.ts";
import { Store, type StoredAccount } from "./store.ts";
import { Targets } from "./targets.ts";
import { Actor, World } from "./world.ts";

type Fn = (sql: SimulatedSql, ...args: never[]) => unknown;

/** The fleet that the replaced modules serve. One at a time. */
let serving: Simulation | undefined;

const current = (): Simulation => {
  if (!serving) throw new Error("no simulation runs");
  return serving;
};

/**
 * Replaces what a dispatcher reaches the world by: the statements, its connections to the database and to targets, the
 * precise timer and the thread of error texts. All stages, and what decides among them, are the real ones. Signing takes time.
 */
function replaceModules(): void {
  const replace = (path: string, own: Record<string, unknown>) =>
    vi.doMock(path, async (original) => ({ ...(await original<object>()), ...own }));
  const queries = (path: string, own: Record<string, Fn>) => replace(path, own);
  queries("#db/queries/fleet/database-clock.ts", {
    readDatabaseClock: (sql) => sql.execute("clock", 0, (store) => store.now()),
  });
  queries("#db/queries/schedules/due.ts", {
    readDueById: (sql, ids: string[], untilMs: number) =>
      sql.execute("read", ids.length, (store) => store.readDueById(ids, untilMs)),
  });
  queries("#db/queries/schedules/due-lanes.ts", {
    findComingLanes: (sql, ...args: Parameters<Store["findComingLanes"]>) =>
      sql.execute("read", 100, (store) => store.findComingLanes(...args)),
    readDueLanes: (sql, ...args: Parameters<Store["readDueLanes"]>) =>
      sql.execute("read", 100, (store) => store.readDueLanes(...args)),
    readEntries: (sql, ...args: Parameters<Store["readEntries"]>) =>
      sql.execute("read", args[0].length, (store) => store.readEntries(...args)),
    readDueOfLanes: (sql, ...args: Parameters<Store["readDueOfLanes"]>) =>
      sql.execute(
        "read",
        args[0].reduce((rows, { limit }) => rows + Math.min(limit, 20), 0),
        (store) => store.readDueOfLanes(...args),
      ),
    findLanesWithMore: (sql, ...args: Parameters<Store["findLanesWithMore"]>) =>
      sql.execute("read", args[0].length, (store) => store.findLanesWithMore(...args)),
    raiseLanes: (sql, ...args: Parameters<Store["raiseLanes"]>) =>
      sql.execute("other", args[0].length, (store) => store.raiseLanes(args[0])),
    auditLanes: (sql) =>
      sql.execute("other", 0, (store) => {
        const { missing, late } = store.auditLanes();
        if (missing + late > 0) current().faults.push(`${missing} lanes have no entry, ${late} one that is too late`);
        return { missing, late, next: null };
      }),
  });
  queries("#db/queries/schedules/claim.ts", {
    claimSchedules: (
      sql,
      id: string,
      epochs: ReadonlyMap<number, number>,
      wanted: Parameters<Store["claim"]>[2],
      step: number,
      beat: number | null,
    ) =>
      sql.execute("claim", wanted.length, (store) =>
        store.claim(id, current().tables.owns(id, epochs, beat), wanted, step),
      ),
  });
  queries("#db/queries/schedules/release.ts", {
    releaseSchedules: (sql, id: string, claims: Parameters<Store["release"]>[1]) =>
      sql.execute("other", claims.length, (store) =>
        store.release(id, claims, (shard) => current().tables.isOthers(id, shard)),
      ),
  });
  queries("#db/queries/schedules/expired-claims.ts", {
    readExpiredClaims: (sql, ...args: Parameters<Store["readExpiredClaims"]>) =>
      sql.execute("other", 0, (store) => store.readExpiredClaims(...args)),
  });
  queries("#db/queries/attempts/record.ts", {
    recordAttempts: (sql, ...args: Parameters<Store["record"]>) =>
      sql.execute("record", args[0].length, (store) => store.record(...args)),
  });
  queries("#db/queries/fleet/standing.ts", {
    readStanding: (sql, id: string) => sql.execute("other", 0, () => current().tables.standing(id)),
  });
  queries("#db/queries/fleet/shard-leases.ts", {
    sendHeartbeat: (sql, ...args: Parameters<FleetTables["beat"]>) =>
      sql.execute("beat", 0, () => current().tables.beat(...args)),
    takeShards: (sql, ...args: Parameters<FleetTables["take"]>) =>
      sql.execute("other", 16, () => current().tables.take(...args)),
    releaseShards: (sql, ...args: Parameters<FleetTables["release"]>) =>
      sql.execute("other", 16, () => current().tables.release(...args)),
    stopDispatcher: (sql, id: string) => sql.execute("other", 0, () => current().tables.stop(id)),
  });
  queries("#db/queries/fleet/ended-processes.ts", { readProcesses: async () => [], storeEnded: async () => {} });
  queries("#db/queries/listen/read-listeners.ts", { readListenersOfAll: async () => [] });
  queries("#db/queries/listen/sweep.ts", { sweepListening: async () => 0 });
  replace("#db/primaries.ts", { readPrimaries: async () => [] });
  replace("#db/listen.ts", { listen: (options: Listening) => current().listen(options) });
  replace("#dispatcher/runtime/ticker.ts", {
    Ticker: SimulatedTicker,
    monotonicNow: () => current().world.monotonic(),
  });
  replace("#dispatcher/recording/error-texts.ts", { ErrorTexts: NoTexts });
  replace("#dispatcher/databases.ts", { connectDatabases: () => current().databases() });
  vi.doMock("#domain/signing.ts", async (original) => {
    const real = await original<typeof import("#domain/signing.ts")>();
    return {
      ...real,
      signRequest: (...args: Parameters<typeof real.signRequest>) => {
        current().world.compute(COMPUTE_MS.prepare);
        return real.signRequest(...args);
      },
    };
  });
  vi.doMock("#dispatcher/openers.ts", async (original) => {
    const real = await original<typeof import("#dispatcher/openers.ts")>();
    return {
      createOpeners: (...args: Parameters<typeof real.createOpeners>) => {
        const { world, targets } = current();
        const actor = world.current() as Actor;
        const opener = { resolving: 0, open: (origin: string) => targets.open(origin, actor) };
        return { ...real.createOpeners(...args), opener };
      },
    };
  });
}

type Listening = { onNotice: (payload: string) => void; onListening: () => void };

/** Wakes at the instants that it is asked for, a little late as a thread does. */
class SimulatedTicker {
  readonly #onWake: () => void;
  readonly #planned = new Set<number>();

  constructor(onWake: () => void) {
    this.#onWake = onWake;
  }

  wakeAt(instant: number): void {
    const { world } = current();
    const key = Math.round(instant * 50);
    if (this.#planned.has(key)) return;
    this.#planned.add(key);
    world.after(instant - world.monotonic() + 0.02, () => {
      this.#planned.delete(key);
      this.#onWake();
    });
  }

  instants = () => 0;
  close = async () => {};
}

class NoTexts {
  of = async (outcomes: readonly unknown[]) => outcomes.map(() => "");
  close = async () => {};
}

export type Member = { actor: Actor; dispatcher: Dispatcher | null };

/** A simulated installation: accounts and their schedules, targets, a database, and any number of real dispatchers. */
export class Simulation {
  readonly world: World;
  readonly store: Store;
  readonly server: SimulatedServer;
  readonly tables: FleetTables;
  readonly targets: Targets;
  readonly ledger: Ledger;
  readonly members: Member[] = [];
  /** What a judge need not ask for: what dispatchers logged as errors, counters that differ, wrong lanes. */
  readonly faults: string[] = [];
  readonly #settings: Record<string, string>;
  readonly #uninstall: () => void;
  #startDispatcher: typeof import("#dispatcher/dispatcher.ts").startDispatcher | undefined;
  #accounts = 0;
  #memoryMost = 0;

  constructor(seed: number, settings: Record<string, string> = {}) {
    this.world = new World(seed);
    this.store = new Store(() => this.world.now());
    this.server = new SimulatedServer(this.world, this.store);
    this.tables = new FleetTables(this.store);
    this.ledger = new Ledger(this.world);
    this.targets = new Targets(this.world, this.ledger);
    this.#settings = settings;
    replaceModules();
    serving = this;
    this.#uninstall = this.world.install();
    this.#watchMemory();
  }

  get config(): Config {
    return readConfig({ ...SETTINGS, ...this.#settings });
  }

  /** The most schedules that a dispatcher ever had in memory, looked at four times a second. */
  get memoryMost(): number {
    return this.#memoryMost;
  }

  /** Brings the clocks of this process back. */
  close(): void {
    for (const { actor } of this.members) actor.isEnded = true;
    this.#uninstall();
    serving = undefined;
  }

  /** Runs for `durationMs` of the world's time. */
  async run(durationMs: number): Promise<void> {
    await this.world.run(durationMs);
  }

  /** Runs until every schedule has come to an end, at most `durationMs`. */
  async runToEnd(durationMs: number): Promise<void> {
    const endMs = this.world.elapsedMs() + durationMs;
    const isDone = () => [...this.store.schedules.values()].every(({ status }) => FINAL.includes(status));
    while (!isDone() && this.world.elapsedMs() < endMs) await this.run(1_000);
  }

  account(options: { plan?: "free" | "indie"; cpsLimit?: number; shard?: number } = {}): StoredAccount {
    const n = ++this.#accounts;
    const id = `02000000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;
    const { plan = "indie", cpsLimit = null, shard = Math.floor(this.world.random() * 64) } = options;
    const account: StoredAccount = {
      ...{ id, shard, plan, cpsLimit, isActive: true, activatedAtMs: Number.NEGATIVE_INFINITY },
      secret: seal(CONFIG.keyRing, Buffer.from(SECRET), secretAad(id, "live")).toString("base64"),
    };
    this.store.addAccount(account);
    return account;
  }

  /** Starts a dispatcher process. It is a member of the fleet from its first heartbeat on. */
  async start(name = `dispatcher ${this.members.length + 1}`): Promise<Member> {
    // Once, before the world runs: an import ends at any of its instants.
    this.#startDispatcher ??= (await import("#dispatcher/dispatcher.ts")).startDispatcher;
    const startDispatcher = this.#startDispatcher;
    const actor = new Actor(name);
    const member: Member = { actor, dispatcher: null };
    this.members.push(member);
    const begin = () =>
      void startDispatcher(this.config, { log: this.#log(name), version: "0.0.0" }).then(
        (dispatcher) => {
          member.dispatcher = dispatcher;
        },
        (error) => this.faults.push(`${name} did not start: ${error}`),
      );
    this.world.after(0, begin, actor);
    return member;
  }

  /** Ends a process at once, as SIGKILL does. */
  kill({ actor }: Member): void {
    actor.isEnded = true;
  }

  /** Has a process do nothing for `durationMs`, as SIGSTOP does. */
  freeze({ actor }: Member, durationMs: number): void {
    actor.busyUntilMs = Math.max(actor.busyUntilMs, this.world.elapsedMs() + durationMs);
  }

  /** Does `work` in `delayMs`, as somebody outside of the fleet. */
  later(delayMs: number, work: () => void): void {
    this.world.after(delayMs, work, null);
  }

  listen({ onNotice, onListening }: Listening) {
    const { world, store } = this;
    const actor = world.current();
    const hear = (payload: string) => void world.after(0.3, () => onNotice(payload), actor);
    store.listeners.add(hear);
    world.after(1, onListening);
    return {
      close: async () => {
        store.listeners.delete(hear);
      },
    };
  }

  databases() {
    const pool = (connections: number) => this.server.pool(connections);
    const sizes = CONFIG.dispatcherConnections;
    return {
      ...{ leases: pool(2), claims: pool(sizes.claims), records: pool(sizes.records), reads: pool(sizes.reads) },
      ...{ exchanges: pool(1), probe: pool(1), notices: IDLE, operations: IDLE, retention: IDLE },
      close: async () => {},
    };
  }

  #watchMemory(): void {
    for (const { dispatcher } of this.members)
      this.#memoryMost = Math.max(this.#memoryMost, dispatcher?.figures().planned ?? 0);
    this.later(250, () => this.#watchMemory());
  }

  #log(name: string): pino.Logger {
    const write = (line: string) => {
      const { level, msg, err } = JSON.parse(line) as {
        level: number;
        msg: string;
        err?: { message: string; stack?: string };
      };
      if (level >= 50) this.faults.push(`${name}: ${msg} ${err?.stack ?? ""}`);
    };
    return pino({ level: "error" }, { write });
  }
}

/** Jobs beside the sending path find nothing to do. */
const IDLE = {
  run: () => new Promise(() => {}),
  close: async () => {},
};

const FINAL = ["succeeded", "dead", "cancelled"];
const SETTINGS = {
  DATABASE_URL: "postgres://nobody@localhost/simulation",
  ENCRYPTION_KEYS,
  BASE_URL: "http://localhost:3000",
};
const CONFIG = readConfig(SETTINGS);
const SECRET = generateSigningSecret();
