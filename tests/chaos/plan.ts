import { createRandom, type Random } from "../helpers/random.ts";
import { type Attack, drawAttacks } from "./attacks.ts";
import type { OrdinaryBehaviour } from "./behaviour.ts";
import { type ControlCall, drawControlCalls } from "./control-load.ts";
import { drawRecurrences, type RecurrencePlan } from "./recurrence-load.ts";

export type PlanOptions = {
  seconds: number;
  seed: number;
  dispatchers: number;
  rate: number;
  /** Names of the adversaries that act. */
  adversaries: readonly string[];
  /** Whether faults are injected. */
  faults: boolean;
};

export type RunOptions = PlanOptions & {
  /** Recurrences beside the others that all fire at one minute, in the middle of the run. */
  rules: number;
};

/** A change that the client makes `beforeMs` ahead of the schedule's first instant (negative: after it). */
export type Change =
  | { kind: "cancel"; beforeMs: number }
  /** Moves the schedule to `moveMs` after its first instant; a PUT by its key also replaces its request. */
  | { kind: "reschedule" | "put"; beforeMs: number; moveMs: number };

export type Creation = {
  atMs: number;
  account: number;
  leadMs: number;
  behaviour: OrdinaryBehaviour;
  payloadBytes: number;
  changes: Change[];
};

/** Each fault lasts `forMs`. A killed or terminated dispatcher is started again afterwards. */
export type Fault = { atMs: number; forMs: number } & (
  | { kind: "kill" | "terminate" | "pause"; dispatcher: number }
  | { kind: "partition"; dispatcher: number; mode: PartitionMode; share: number; healing: "flow" | "reset" }
  | { kind: "postgres" }
  | { kind: "sessions"; share: number }
  /** A session that holds a snapshot: no row that dies meanwhile can be removed. */
  | { kind: "snapshot" }
);

/**
 * `hold` lets nothing through, `hold-replies` lets only requests to the database through, `reset` breaks connections
 * and refuses new ones.
 */
export type PartitionMode = "hold" | "hold-replies" | "reset";

export type Plan = {
  creations: Creation[];
  recurrences: RecurrencePlan[];
  control: ControlCall[];
  attacks: Attack[];
  faults: Fault[];
};

export const ACCOUNTS = 12;
/** Longer than a claim's lease of 35 s, and short enough that a slow repeat is still in flight when the fault ends. */
export const LONG_MS = 40_000;

/**
 * Draws from the seed what is created, changed and broken, and when. Times in ms from the start of the run. Each part
 * has random numbers of its own, so the faults of a seed do not depend on the rate.
 */
export function makePlan(options: PlanOptions): Plan {
  const { seed, seconds, adversaries } = options;
  return {
    creations: drawCreations(createRandom(seed), options),
    recurrences: drawRecurrences(createRandom(seed ^ 0x27d4eb2f), { seconds, accounts: ACCOUNTS }),
    control: drawControlCalls(createRandom(seed ^ 0x2545f491), seconds),
    attacks: drawAttacks(createRandom(seed ^ 0x1b873593), seconds * 1_000, adversaries),
    faults: drawAllFaults(createRandom(seed ^ 0x5f3759df), options),
  };
}

/** With adversaries, faults pause again and again: during a fault nobody can tell what made the control group late. */
const CYCLE_S = 150;
const FAULTS_SHARE = 0.4;

function drawAllFaults(random: Random, { seconds, dispatchers, adversaries, faults }: PlanOptions): Fault[] {
  if (!faults) return [];
  if (adversaries.length === 0) return drawFaults(random, { seconds, dispatchers });
  const cycle = Math.min(CYCLE_S, seconds);
  const drawn: Fault[] = [];
  for (let from = 0; from < seconds; from += cycle) {
    const some = drawFaults(random, { seconds: Math.min(cycle * FAULTS_SHARE, seconds - from), dispatchers });
    drawn.push(...some.map((fault) => ({ ...fault, atMs: fault.atMs + from * 1_000 })));
  }
  return drawn;
}

function drawCreations(random: Random, { seconds, rate }: PlanOptions): Creation[] {
  return Array.from({ length: seconds * rate }, (_, index) => {
    const leadMs = drawLead(random);
    const behaviour = random.weighted(BEHAVIOURS);
    return {
      atMs: ((index + random.next()) * 1000) / rate,
      account: Math.floor(random.next() * ACCOUNTS),
      leadMs,
      behaviour,
      payloadBytes: random.chance(0.03) ? 64 * 1024 : Math.floor(random.between(0, 1024)),
      changes: drawChanges(random, leadMs, behaviour),
    };
  });
}

const BEHAVIOURS: Record<OrdinaryBehaviour, number> = {
  ok: 56,
  slow: 20,
  "fails-once": 7,
  "resets-once": 4,
  "hangs-once": 2,
  fails: 2,
  drips: 3,
  gone: 1,
};

function drawLead(random: Random): number {
  const kind = random.weighted({ now: 15, soon: 55, later: 30 });
  if (kind === "now") return random.between(20, 100);
  return kind === "soon" ? random.between(300, 3_000) : random.between(3_000, 9_000);
}

/** Most changes come in the last moments, when a claim may be in flight. */
function drawChanges(random: Random, leadMs: number, behaviour: OrdinaryBehaviour): Change[] {
  const anywhere = () => random.between(-20, leadMs);
  if (behaviour === "fails-once" || behaviour === "fails" || behaviour === "resets-once")
    return random.chance(0.3) ? [{ kind: "cancel", beforeMs: random.between(-1_300, -100) }] : [];
  const what = random.weighted({ nothing: 64, cancel: 11, nudge: 10, put: 8, move: 4, both: 3 });
  switch (what) {
    case "nothing":
      return [];
    case "cancel":
      return [{ kind: "cancel", beforeMs: random.chance(0.6) ? random.between(-10, 60) : anywhere() }];
    case "nudge":
      return [{ kind: "reschedule", beforeMs: random.between(4, 45), moveMs: random.between(40, 230) }];
    case "put":
      return [
        { kind: "put", beforeMs: random.between(10, 60), moveMs: random.between(40, 230) },
        { kind: "put", beforeMs: random.between(-150, 0), moveMs: random.between(250, 500) },
      ];
    case "move":
      return [{ kind: "reschedule", beforeMs: anywhere(), moveMs: random.between(-leadMs / 2, 3_000) }];
    case "both":
      return [
        { kind: "reschedule", beforeMs: random.between(10, 60), moveMs: random.between(60, 500) },
        { kind: "cancel", beforeMs: random.between(-400, 0) },
      ];
  }
}

const FIRST_FAULT_MS = 3_000;
/**
 * This long before a long fault ends, the other dispatchers have no fault: recovery waits 15 s after a lost database.
 */
const QUIET_MS = 26_000;
/** By then the shards are divided and requests are in flight on every dispatcher. */
const FIRST_LONG_MS = 12_000;

function drawFaults(random: Random, { seconds, dispatchers }: Pick<PlanOptions, "seconds" | "dispatchers">): Fault[] {
  const endMs = seconds * 1000;
  const freeAtMs = Array.from({ length: dispatchers }, () => FIRST_FAULT_MS);
  let postgresFreeAtMs = FIRST_FAULT_MS;
  const faults: Fault[] = [];
  const hit = (fault: Fault) => {
    if ("dispatcher" in fault) freeAtMs[fault.dispatcher] = fault.atMs + fault.forMs + 1_000;
    faults.push(fault);
  };
  const free = (atMs: number) => freeAtMs.flatMap((freeAt, index) => (freeAt <= atMs ? [index] : []));

  // Faults that outlast a lease come first, so that a short run has them too.
  let fromMs = FIRST_LONG_MS;
  for (; dispatchers > 1 && fromMs + LONG_MS + 2_000 < endMs; fromMs += 2 * LONG_MS) {
    const [cut, paused] = random.shuffled(free(fromMs));
    if (cut !== undefined) hit(longPartition(fromMs, cut));
    if (paused !== undefined && dispatchers > 2)
      hit({ kind: "pause", dispatcher: paused, atMs: fromMs + random.between(200, 2_000), forMs: LONG_MS });
    drawShort(fromMs, fromMs + LONG_MS - QUIET_MS);
    drawShort(fromMs + LONG_MS + 2_000, Math.min(fromMs + 2 * LONG_MS, endMs));
  }
  drawShort(fromMs === FIRST_LONG_MS ? FIRST_FAULT_MS : fromMs, endMs);
  const snapshotAtMs = random.between(0, endMs / 4);
  if (random.chance(0.5)) hit({ kind: "snapshot", atMs: snapshotAtMs, forMs: endMs - snapshotAtMs });
  return faults.sort((a, b) => a.atMs - b.atMs);

  function drawShort(fromMs: number, untilMs: number) {
    for (let atMs = fromMs + random.between(500, 2_500); atMs < untilMs; atMs += random.between(800, 4_500)) {
      const candidates = free(atMs);
      const kind = random.weighted(SHORT_FAULTS);
      const forMs = Math.min(drawDuration(random, kind), untilMs - atMs);
      if (kind === "postgres" || kind === "sessions") {
        if (atMs < postgresFreeAtMs) continue;
        if (kind === "sessions") hit({ kind, atMs, forMs: 0, share: random.pick([0.3, 1]) });
        else hit({ kind, atMs, forMs });
        postgresFreeAtMs = atMs + forMs + 4_000;
        continue;
      }
      if (candidates.length === 0) continue;
      const dispatcher = random.pick(candidates);
      if (kind === "partition") hit({ kind, atMs, forMs, dispatcher, ...drawPartition(random) });
      else hit({ kind, atMs, forMs, dispatcher });
    }
  }
}

const SHORT_FAULTS = { kill: 22, terminate: 12, pause: 18, partition: 26, postgres: 8, sessions: 14 } as const;

const longPartition = (atMs: number, dispatcher: number): Fault => ({
  kind: "partition",
  mode: "hold",
  share: 1,
  healing: "reset",
  atMs,
  dispatcher,
  forMs: LONG_MS,
});

const drawPartition = (random: Random) => ({
  mode: random.pick<PartitionMode>(["hold", "hold", "hold-replies", "hold-replies", "reset"]),
  share: random.pick([1, 1, 0.4]),
  healing: random.pick<"flow" | "reset">(["flow", "reset"]),
});

function drawDuration(random: Random, kind: keyof typeof SHORT_FAULTS): number {
  switch (kind) {
    case "kill":
    case "terminate":
      return random.between(0, 4_000);
    case "pause":
      return random.between(200, 12_000);
    case "partition":
      return random.between(500, 12_000);
    case "postgres":
      return random.between(0, 5_000);
    case "sessions":
      return 0;
  }
}
