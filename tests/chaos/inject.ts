import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import { preciseNow } from "#scripts/lab/clock.ts";
import { HELD_TRANSACTIONS } from "../helpers/held-transactions.ts";
import type { Random } from "../helpers/random.ts";
import type { Cluster } from "./cluster.ts";
import type { Injected } from "./evidence.ts";
import type { Fleet } from "./fleet.ts";
import type { Fault } from "./plan.ts";

/**
 * Injects the planned faults, `atMs` from now, and ends each when its time is over. Resolves when all have ended.
 * `injected` records what was done, with times that enclose the real ones.
 */
export function createInjector(deps: { fleet: Fleet; cluster: Cluster; random: Random }) {
  const { fleet, cluster, random } = deps;
  const injected: Injected[] = [];
  const stopping = new AbortController();
  let work: Promise<void>[] = [];
  let active = 0;

  const wait = (delayMs: number) => delay(Math.max(0, delayMs), undefined, { signal: stopping.signal });

  const note = (kind: Injected["kind"], rest: Partial<Injected>): Injected => {
    const entry = {
      kind,
      pid: null,
      slot: null,
      fromMs: preciseNow(),
      untilMs: Number.POSITIVE_INFINITY,
      note: "",
      ...rest,
    };
    injected.push(entry);
    return entry;
  };

  const inject = async (fault: Fault) => {
    switch (fault.kind) {
      case "kill": {
        const entry = note("kill", { slot: fault.dispatcher });
        entry.pid = fleet.kill(fault.dispatcher);
        await wait(fault.forMs);
        entry.replacedAtMs = preciseNow();
        return fleet.start(fault.dispatcher);
      }
      case "terminate": {
        const entry = note("terminate", { slot: fault.dispatcher, untilMs: preciseNow() });
        entry.pid = fleet.terminate(fault.dispatcher);
        await wait(fault.forMs);
        entry.replacedAtMs = preciseNow();
        return fleet.start(fault.dispatcher);
      }
      case "pause": {
        const entry = note("pause", { slot: fault.dispatcher });
        entry.pid = fleet.pause(fault.dispatcher);
        await wait(fault.forMs);
        fleet.resume(fault.dispatcher);
        entry.untilMs = preciseNow();
        return;
      }
      case "partition": {
        const { mode, share, healing } = fault;
        const entry = note("partition", { slot: fault.dispatcher, note: `${mode}, ${share * 100} %, then ${healing}` });
        const proxy = fleet.proxy(fault.dispatcher);
        proxy.set(mode, () => random.chance(share), share === 1);
        await wait(fault.forMs);
        if (healing === "flow") proxy.set("pass");
        else proxy.heal();
        entry.untilMs = preciseNow();
        return;
      }
      case "postgres": {
        const entry = note("postgres", {});
        await cluster.crash();
        await wait(fault.forMs);
        await cluster.start();
        entry.untilMs = preciseNow();
        return;
      }
      case "sessions": {
        const entry = note("sessions", { note: `${fault.share * 100} %` });
        entry.note += `, ${await endSessions(cluster.url(), fault.share)} ended`;
        entry.untilMs = preciseNow();
        return;
      }
      case "snapshot": {
        note("snapshot", {});
        return holdSnapshot(cluster.url(), () => wait(fault.forMs));
      }
    }
  };

  return {
    injected,
    active: () => active,
    async run(faults: readonly Fault[]) {
      const startedAt = performance.now();
      work = faults.map(async (fault) => {
        await wait(fault.atMs - (performance.now() - startedAt));
        active++;
        await inject(fault);
        active--;
        fleet.audit();
      });
      await Promise.all(work);
    },
    /** Injects no further faults, and waits for those that are half done. */
    async stop() {
      stopping.abort();
      await Promise.allSettled(work);
    },
  };
}

/** Holds a snapshot until `held` ends, or as long as the server runs. */
async function holdSnapshot(url: string, held: () => Promise<void>): Promise<void> {
  const sql = postgres(url, {
    max: 1,
    connect_timeout: 2,
    onnotice: () => {},
    connection: { application_name: "report", ...HELD_TRANSACTIONS },
  });
  try {
    await sql`BEGIN ISOLATION LEVEL REPEATABLE READ`;
    await sql`SELECT FROM schedules LIMIT 1`;
    await held();
  } catch {
    // The server was crashed, or the run has ended.
  } finally {
    await sql.end({ timeout: 0 });
  }
}

/** Ends a share of the dispatchers' database sessions, as an operator or a failover would. Returns how many. */
async function endSessions(url: string, share: number): Promise<number> {
  const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => {} });
  try {
    const ended = await sql`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name LIKE 'stopwatch-%' AND random() < ${share}`;
    return ended.length;
  } catch {
    // The server is down, and so are its sessions.
    return 0;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
