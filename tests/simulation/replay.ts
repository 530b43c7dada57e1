import type { Behaviour } from "../chaos/behaviour.ts";
import { CONTROL_P99_MAX_MS } from "../chaos/control-group.ts";
import { type Member, Simulation } from "./fleet.ts";
import { judge, type Verdict } from "./judge.ts";
import type { StoredSchedule } from "./store.ts";
import { SILENT, type Trace, type TraceEvent } from "./trace.ts";

/** Until the shards are shared. */
const SETTLED_MS = 20_000;
/** A lease of 35 s, and retries of what it held up. */
const END_MS_MAX = 600_000;
/** What is put back, since its origin answers nothing, is read again within this. Meanwhile another may get a connection, ms. */
const PUT_BACK_MS = 500;

/** Plays a trace, and judges it as a scenario. */
export async function replay(trace: Trace, seed = 1): Promise<Verdict> {
  const sim = new Simulation(seed, settingsOf(trace));
  try {
    const player = new Player(sim, trace);
    for (let slot = 0; slot < trace.dispatchers; slot++) await player.start(slot);
    await sim.run(SETTLED_MS);
    const beganAtMs = sim.world.now();
    for (const event of trace.events) sim.later(Math.max(event.atMs, 0), () => player.carryOut(event, beganAtMs));
    await sim.run((trace.events.at(-1)?.atMs ?? 0) + 1_000);
    await sim.runToEnd(END_MS_MAX);
    await sim.run(5_000);
    return judge(sim, {
      control: player.accounts.filter((_, n) => trace.accounts[n]?.group === "control"),
      p99Ms: CONTROL_P99_MAX_MS,
      hasLosses: trace.windows.length > 0,
      overtakenByMs: PUT_BACK_MS,
      excused: trace.windows.map(({ fromMs, untilMs }) => ({
        fromMs: beganAtMs + fromMs,
        untilMs: beganAtMs + untilMs,
      })),
    });
  } finally {
    sim.close();
  }
}

function settingsOf({ bounds, retryPolicy }: Trace): Record<string, string> {
  return {
    PLANS: JSON.stringify({ indie: retryPolicy }),
    DELIVERY_CONNECTIONS_PER_ORIGIN: String(bounds.perAccountAndOrigin),
    DELIVERY_CONNECTIONS_PER_ACCOUNT: String(bounds.perAccount),
    DELIVERY_CONNECTIONS_MAX: String(bounds.total),
  };
}

type Created = { behaviour: Behaviour; spread: number; hangsUntilMs: number };

/** Carries out the events of a trace. */
class Player {
  readonly #sim: Simulation;
  readonly #trace: Trace;
  readonly #slots = new Map<number, Member>();
  readonly #schedules = new Map<number, StoredSchedule>();
  readonly #created = new Map<string, Created>();
  readonly #origins = new Set<string>();
  readonly accounts;

  constructor(sim: Simulation, trace: Trace) {
    this.#sim = sim;
    this.#trace = trace;
    this.accounts = trace.accounts.map(({ shard, cpsLimit }) =>
      sim.account({ shard, ...(cpsLimit !== null && { cpsLimit }) }),
    );
  }

  async start(slot: number): Promise<void> {
    this.#slots.set(slot, await this.#sim.start(`dispatcher ${slot}, ${this.#sim.members.length}`));
  }

  carryOut(event: TraceEvent, beganAtMs: number): void {
    const { store, server } = this.#sim;
    switch (event.did) {
      case "create":
        this.#create(event, beganAtMs);
        break;
      case "cancel":
        store.cancel(this.#scheduleOf(event));
        break;
      case "move":
        store.reschedule(this.#scheduleOf(event), beganAtMs + event.dueMs);
        break;
      case "activate":
      case "deactivate":
        this.#setActive(event.group, event.did === "activate");
        break;
      case "start":
        void this.start(event.slot);
        break;
      case "postgres":
        server.isAway = true;
        this.#sim.later(event.forMs, () => {
          server.isAway = false;
        });
        break;
      case "snapshot":
        server.slowness = HELD_SNAPSHOT;
        this.#sim.later(event.forMs, () => {
          server.slowness = {};
        });
        break;
      default:
        this.#hit(event);
    }
  }

  #hit(event: TraceEvent & { slot: number }): void {
    const member = this.#slots.get(event.slot);
    if (!member) return;
    if (event.did === "kill") this.#sim.kill(member);
    else if (event.did === "terminate") this.#sim.terminate(member);
    else if (event.did === "pause") this.#sim.freeze(member, event.forMs);
    else if (event.did === "partition") this.#sim.server.cut(member.actor, event);
  }

  #scheduleOf({ n }: { n: number }): StoredSchedule {
    return this.#schedules.get(n) as StoredSchedule;
  }

  #create(event: TraceEvent & { did: "create" }, beganAtMs: number): void {
    const { n, account, behaviour, hangsUntilMs = 0, dueMs } = event;
    const origin = `https://${event.origin}.example.com`;
    this.#prepare(origin);
    const of = this.accounts[account];
    const [made] = of ? this.#sim.store.create(of, origin, [beganAtMs + dueMs]) : [];
    if (!made) throw new Error(`the trace has no account ${account}`);
    this.#schedules.set(n, made);
    const spread = this.#sim.world.random();
    this.#created.set(made.id, { behaviour, spread, hangsUntilMs: beganAtMs + hangsUntilMs });
  }

  #prepare(origin: string): void {
    if (this.#origins.has(origin)) return;
    this.#origins.add(origin);
    const answerOf = ({ schedule, attempt }: { schedule: string; attempt: number }) =>
      answerAs(this.#created.get(schedule) as Created, attempt, this.#sim.world.now());
    this.#sim.targets.set(origin, {
      ...(origin.includes(SILENT) && { connectMs: () => "hangs" }),
      latencyMs: (request) => answerOf(request).ms,
      status: (request) => answerOf(request).status,
    });
  }

  #setActive(group: string, isActive: boolean): void {
    for (const [n, account] of this.accounts.entries())
      if (this.#trace.accounts[n]?.group === group && account.isActive !== isActive)
        this.#sim.store.setActive(account, isActive);
  }
}

/** How many times slower a snapshot makes statements that is held for some minutes. */
const HELD_SNAPSHOT = { read: 8, claim: 4 };

/** What `answerAs` of the chaos run's receiver does: when the answer comes, and its status; null when the connection breaks instead. */
function answerAs(
  { behaviour, spread, hangsUntilMs }: Created,
  attempt: number,
  nowMs: number,
): { ms: number; status: number | null } {
  const isFirst = attempt === 1;
  const releasedInMs = Math.max(hangsUntilMs - nowMs, 0);
  switch (behaviour) {
    case "ok":
      return { ms: spread * 40, status: 200 };
    case "slow":
      return { ms: isFirst ? 300 + spread * 5_000 : 12_000, status: 200 };
    case "fails-once":
      return { ms: 0, status: isFirst ? 500 : 200 };
    case "resets-once":
      return isFirst ? { ms: spread * 50, status: null } : { ms: 0, status: 200 };
    case "hangs-once":
      return { ms: isFirst ? Number.POSITIVE_INFINITY : 0, status: 200 };
    case "fails":
      return { ms: 0, status: 503 };
    case "drips":
      return { ms: 0, status: 200 };
    case "gone":
      return { ms: 0, status: 410 };
    case "hangs":
      return { ms: releasedInMs, status: 200 };
    case "fails-then-hangs":
      return isFirst ? { ms: 0, status: 500 } : { ms: releasedInMs, status: 200 };
    case "takes-40-ms":
      return { ms: 40, status: 200 };
    case "takes-40-ms-fails-once":
      return { ms: 40, status: isFirst ? 500 : 200 };
    case "takes-500-ms":
      return { ms: 500, status: 200 };
  }
}
