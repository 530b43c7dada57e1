import pino from "pino";
import { type Config, readConfig } from "#config.ts";
import type { Database } from "#db/client.ts";
import { spreadCalls } from "#db/spread-calls.ts";
import type { Dispatcher } from "#dispatcher/dispatcher.ts";
import { secretAad } from "#domain/associated-data.ts";
import { seal } from "#domain/cipher.ts";
import { generateSigningSecret } from "#domain/signing.ts";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";
import { SimulatedServer } from "./database.ts";
import { FleetTables } from "./fleet-tables.ts";
import { Ledger } from "./ledger.ts";
import { type Listening, replaceModules, serve } from "./modules.ts";
import { Store, type StoredAccount } from "./store.ts";
import { Targets } from "./targets.ts";
import { Actor, World } from "./world.ts";

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
    serve(this);
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
    serve(undefined);
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

  /** Asks a process to stop, as SIGTERM does. It ends once it has. */
  terminate({ actor, dispatcher }: Member): void {
    const end = () => {
      actor.isEnded = true;
    };
    this.world.after(0, () => void (dispatcher?.stop() ?? Promise.resolve()).then(end), actor);
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
    const actor = world.current() as Actor;
    const hear = (payload: string) =>
      void world.after(0.3 + this.server.noticeHeldMs(actor), () => onNotice(payload), actor);
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
    const claims = spreadCalls(Array.from({ length: sizes.claims + 1 }, () => pool(1) as unknown as Database));
    return {
      ...{
        leases: pool(2),
        claims,
        records: pool(sizes.records),
        reads: pool(sizes.reads),
      },
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
