import { vi } from "vitest";
import { COMPUTE_MS } from "./computing.ts";
import type { SimulatedSql } from "./database.ts";
import type { Simulation } from "./fleet.ts";
import type { FleetTables } from "./fleet-tables.ts";
import type { Store } from "./store.ts";
import type { Actor } from "./world.ts";

type Fn = (sql: SimulatedSql, ...args: never[]) => unknown;

/** The installation that the replaced modules serve. One at a time. */
let serving: Simulation | undefined;

/** Has the replaced modules serve this installation. */
export function serve(simulation: Simulation | undefined): void {
  serving = simulation;
}

const current = (): Simulation => {
  if (!serving) throw new Error("no simulation runs");
  return serving;
};

/**
 * Replaces what a dispatcher reaches the world by: the statements, its connections to the database and to targets, the
 * precise timer and the thread of error texts. All stages, and what decides among them, are the real ones. Signing takes time.
 */
export function replaceModules(): void {
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
  const claims =
    (kind: "claim" | "claimAgain"): Fn =>
    (
      sql,
      id: string,
      epochs: ReadonlyMap<number, number>,
      wanted: Parameters<Store["claim"]>[2],
      step: number,
      beat: number | null,
    ) =>
      sql.execute("claim", wanted.length, (store) =>
        store[kind](id, current().tables.owns(id, epochs, beat), wanted, step),
      );
  queries("#db/queries/schedules/claim.ts", {
    claimSchedules: claims("claim"),
    claimSchedulesAgain: claims("claimAgain"),
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

export type Listening = { onNotice: (payload: string) => void; onListening: () => void };

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
