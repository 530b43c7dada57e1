import { INTAKE } from "#dispatcher/tuning/intake.ts";
import type { Simulation } from "./fleet.ts";
import { doubled, early, latenessOf, mostInASecond, overtaken, quantile, type Sent, unfinished } from "./ledger.ts";
import type { StoredAccount } from "./store.ts";

export type Verdict = {
  /** Broken promises, a line each. */
  broken: string[];
  /** Lateness of the control group's first attempts, ms. */
  p50: number;
  p99: number;
  max: number;
  sent: number;
};

export type Bounds = {
  control: readonly StoredAccount[];
  /** The latest that one in a hundred of the control group's may be, ms. */
  p99Ms: number;
  /** Processes were killed or stopped: what they had on the wire is repeated. */
  hasLosses?: boolean;
  /** By how much a request may be overtaken within its lane, ms; null where order is broken on purpose. */
  overtakenByMs?: number | null;
};

const CPS = { free: 20, indie: 500 };

/** Compares what the targets saw with what is promised. */
export function judge(sim: Simulation, { control, p99Ms, hasLosses = false, overtakenByMs = 100 }: Bounds): Verdict {
  const sent = sim.ledger.sentRequests;
  const ids = new Set(control.map(({ id }) => id));
  const late = latenessOf(sent.filter(({ accountId }) => ids.has(accountId)));
  const broken = [...sim.faults];
  const none = (what: string, found: readonly unknown[], example: (one: never) => string) => {
    if (found.length > 0) broken.push(`${found.length} ${what}, such as ${example(found[0] as never)}`);
  };
  none("left early", early(sent), (one: Sent) => `${one.scheduleId} by ${(one.dueAtMs - one.atMs).toFixed(3)} ms`);
  const isAhead = ({ accountId, atMs }: Sent) => atMs < (sim.store.accounts.get(accountId)?.activatedAtMs ?? 0);
  none("left before their account was active", sent.filter(isAhead), (one: Sent) => one.scheduleId);
  none("attempts were sent twice", doubled(sent), (one: Sent) => `${one.scheduleId}, attempt ${one.attempt}`);
  none(
    "have not come to an end",
    unfinished(sim.store.schedules.values()),
    (one: { id: string; status: string }) => `${one.id} is ${one.status}`,
  );
  if (!hasLosses) {
    const again = sent.filter(({ attempt, isRetry }) => attempt > 1 && !isRetry);
    none("were repeated though no process was lost", again, (one: Sent) => `${one.scheduleId}, attempt ${one.attempt}`);
  }
  if (overtakenByMs !== null)
    none(
      `were overtaken by ${overtakenByMs} ms or more`,
      overtaken(sent, overtakenByMs),
      ({ earlier, later }: { earlier: Sent; later: Sent }) =>
        `${earlier.scheduleId}, due ${(later.dueAtMs - earlier.dueAtMs).toFixed(0)} ms before ${later.scheduleId}, left ${(earlier.atMs - later.atMs).toFixed(0)} ms behind it`,
    );
  for (const [id, most] of mostInASecond(sent)) {
    const account = sim.store.accounts.get(id) as StoredAccount;
    const limit = account.cpsLimit ?? CPS[account.plan];
    if (most > limit) broken.push(`${most} of account ${account.id} left within a second; its rate is ${limit}`);
  }
  for (const { actor, dispatcher } of sim.members) {
    if (actor.isEnded || !dispatcher) continue;
    const { unsent, underWay, unrecorded } = dispatcher.figures();
    if (unsent + underWay + unrecorded > 0)
      broken.push(`${actor.name} still holds ${unsent}, ${underWay}, ${unrecorded}`);
  }
  broken.push(...overBounds(sim));
  const [p50, p99] = [quantile(late, 0.5), quantile(late, 0.99)];
  if (!(p99 <= p99Ms)) broken.push(`the control group's p99 is ${p99.toFixed(1)} ms; ${p99Ms} ms are allowed`);
  return { broken, p50, p99, max: late.at(-1) ?? Number.NaN, sent: sent.length };
}

/** What was at once beyond its bound: connections and requests on the wire, and schedules in memory. */
function overBounds({ config, targets: { peaks }, memoryMost }: Simulation): string[] {
  const { connectionsMax, connectionsPerAccount, connectionsPerOrigin } = config;
  const found = [
    ...over("connections", peaks.all.most, connectionsMax),
    ...over("connections to one origin", peaks.toOrigin.most, connectionsMax / 4),
    ...over("requests of an account", peaks.ofAccount.most, connectionsPerAccount),
    ...over("requests of an account to one origin", peaks.ofAccountToOrigin.most, connectionsPerOrigin),
  ];
  return memoryMost > INTAKE.memoryMax ? [...found, `${memoryMost} schedules were in memory at once`] : found;
}

const over = (what: string, most: ReadonlyMap<string, number>, max: number): string[] =>
  [...most].filter(([, n]) => n > max).map(([key, n]) => `${key} had ${n} ${what} at once; ${max} are allowed`);
