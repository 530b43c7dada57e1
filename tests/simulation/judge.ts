import { INTAKE } from "#dispatcher/tuning/intake.ts";
import type { Window } from "../chaos/excuses.ts";
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
  /** When any request may have been late, epoch ms. */
  excused?: readonly Window[];
};

const CPS = { free: 20, indie: 500 };

/** Compares what the targets saw with what is promised. */
export function judge(
  sim: Simulation,
  { control, p99Ms, hasLosses = false, overtakenByMs = 100, excused = [] }: Bounds,
): Verdict {
  const sent = sim.ledger.sentRequests;
  const ids = new Set(control.map(({ id }) => id));
  const isExcused = ({ dueAtMs, atMs }: Sent) => excused.some((one) => dueAtMs < one.untilMs && atMs >= one.fromMs);
  const isChanged = ({ scheduleId }: Sent) => typeof sim.store.schedules.get(scheduleId)?.changedAtMs === "number";
  const judged = sent.filter((one) => !isExcused(one) && !isChanged(one));
  const late = latenessOf(judged.filter(({ accountId }) => ids.has(accountId)));
  const [p50, p99] = [quantile(late, 0.5), quantile(late, 0.99)];
  const broken = [
    ...sim.faults,
    ...wronglySent(sim),
    ...(hasLosses ? [] : some("were repeated though no process was lost", sent.filter(isRepeated), attemptOf)),
    ...(overtakenByMs === null
      ? []
      : some(`were overtaken by ${overtakenByMs} ms or more`, overtaken(judged, overtakenByMs), describe)),
    ...overRates(sim),
    ...stillHeld(sim),
    ...overBounds(sim),
  ];
  const isMeasured = late.length > 0 || excused.length === 0;
  if (isMeasured && !(p99 <= p99Ms))
    broken.push(`the control group's p99 is ${p99.toFixed(1)} ms; ${p99Ms} ms are allowed`);
  return { broken, p50, p99, max: late.at(-1) ?? Number.NaN, sent: sent.length };
}

function some<T>(what: string, found: readonly T[], example: (one: T) => string): string[] {
  const [first] = found;
  return first === undefined ? [] : [`${found.length} ${what}, such as ${example(first)}`];
}

const attemptOf = ({ scheduleId, attempt }: Sent) => `${scheduleId}, attempt ${attempt}`;
const isRepeated = ({ attempt, isRetry }: Sent) => attempt > 1 && !isRetry;
const describe = ({ earlier, later }: { earlier: Sent; later: Sent }) =>
  `${earlier.scheduleId}, due ${(later.dueAtMs - earlier.dueAtMs).toFixed(0)} ms before ${later.scheduleId}, left ${(earlier.atMs - later.atMs).toFixed(0)} ms behind it`;

/** What was sent and should not have been, and what did not come to an end. */
function wronglySent({ ledger: { sentRequests: sent }, store }: Simulation): string[] {
  const isAhead = ({ accountId, atMs }: Sent) => atMs < (store.accounts.get(accountId)?.activatedAtMs ?? 0);
  const isCancelled = ({ scheduleId, atMs }: Sent) => {
    const { status, changedAtMs } = store.schedules.get(scheduleId) ?? {};
    return status === "cancelled" && atMs > (changedAtMs ?? Number.POSITIVE_INFINITY);
  };
  return [
    ...some("left early", early(sent), (one) => `${one.scheduleId} by ${(one.dueAtMs - one.atMs).toFixed(3)} ms`),
    ...some("left before their account was active", sent.filter(isAhead), attemptOf),
    ...some("left after they were cancelled", sent.filter(isCancelled), attemptOf),
    ...some("attempts were sent twice", doubled(sent), attemptOf),
    ...some("have not come to an end", unfinished(store.schedules.values()), ({ id, status }) => `${id} is ${status}`),
  ];
}

function overRates({ ledger, store }: Simulation): string[] {
  return [...mostInASecond(ledger.sentRequests)].flatMap(([id, most]) => {
    const account = store.accounts.get(id) as StoredAccount;
    const limit = account.cpsLimit ?? CPS[account.plan];
    return most > limit ? [`${most} of account ${id} left within a second; its rate is ${limit}`] : [];
  });
}

/** What dispatchers that live hold when all is over. */
function stillHeld({ members }: Simulation): string[] {
  return members.flatMap(({ actor, dispatcher }) => {
    if (actor.isEnded || !dispatcher) return [];
    const { unsent, underWay, unrecorded } = dispatcher.figures();
    return unsent + underWay + unrecorded > 0
      ? [`${actor.name} still holds ${unsent}, ${underWay}, ${unrecorded}`]
      : [];
  });
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
