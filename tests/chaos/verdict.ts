import { at } from "./clock-time.ts";
import { type ConnectionPeaks, findOverBound } from "./connection-bounds.ts";
import { findLateControlGroup, type Lateness, latenessOf } from "./control-group.ts";
import type { Arrival, AttemptRow, ChangeEntry, ClaimRow, ClientEntry, Evidence, ScheduleRow } from "./evidence.ts";
import { createExcuses } from "./excuses.ts";
import { findInversions } from "./inversions.ts";
import { judgeRecurrences } from "./recurrence-judge.ts";

export const KINDS = [
  "lost",
  "early",
  "after-cancel",
  "duplicate",
  "overlapping",
  "unrecorded",
  "audit drift",
  "control group p99",
  "inversions",
  "connections over bound",
] as const;
export type ViolationKind = (typeof KINDS)[number];
/** `of` is the id of a schedule, or names a dispatcher or the control group. */
export type Violation = { kind: ViolationKind; of: string; detail: string };

/** `allowedDuplicates` counts repeats of requests whose outcome could not be known because of a fault. */
export type Verdict = {
  violations: Violation[];
  allowedDuplicates: number;
  interrupted: number;
  control: Lateness;
  connections: ConnectionPeaks;
};

/**
 * Compares what the client was answered, what the receiver saw and what the database holds. The run must have come to
 * rest.
 */
export function verdictOf(evidence: Evidence): Verdict {
  const clients = new Map(evidence.client.map((entry) => [entry.id, entry]));
  const rows = new Map(evidence.schedules.map((row) => [row.id, row]));
  const attempts = Map.groupBy(evidence.attempts, ({ scheduleId }) => scheduleId);
  const arrivals = Map.groupBy(evidence.arrivals, ({ scheduleId }) => scheduleId);
  const claims = Map.groupBy(evidence.claims, ({ scheduleId }) => scheduleId);
  const excuses = createExcuses(evidence);
  const violations: Violation[] = [];
  let allowedDuplicates = 0;

  for (const id of new Set([...clients.keys(), ...rows.keys(), ...arrivals.keys()])) {
    const one: Story = {
      client: clients.get(id),
      row: rows.get(id),
      attempts: (attempts.get(id) ?? []).sort((a, b) => a.attempt - b.attempt),
      arrivals: (arrivals.get(id) ?? []).sort((a, b) => a.arrivedAtMs - b.arrivedAtMs),
      claims: claims.get(id) ?? [],
      retryPolicy: evidence.retryPolicy,
      excuses,
    };
    const say = (kind: ViolationKind) => (detail: string) => violations.push({ kind, of: id, detail });
    findLost(one, say("lost"));
    findEarly(one, say("early"), say("after-cancel"));
    findAfterCancel(one, say("after-cancel"));
    allowedDuplicates += findDuplicates(one, say("duplicate"));
    findOverlapping(one, say("overlapping"));
    findUnrecorded(one, say("unrecorded"));
  }
  violations.push(...judgeRecurrences(evidence));
  for (const { slot, pid, atMs, drift } of evidence.audits) {
    const of = `dispatcher ${slot} (process ${pid})`;
    for (const line of drift) violations.push({ kind: "audit drift", of, detail: `at ${at(atMs)}, ${line}` });
  }
  const interrupted = evidence.attempts.filter(({ outcome }) => outcome === "interrupted").length;
  const control = latenessOf("control", evidence);
  const late = findLateControlGroup(control);
  if (late) violations.push({ kind: "control group p99", of: "the control group", detail: late });
  for (const { id, detail } of findInversions(evidence)) violations.push({ kind: "inversions", of: id, detail });
  const { over, peaks: connections } = findOverBound(evidence);
  for (const { of, detail } of over) violations.push({ kind: "connections over bound", of, detail });
  return { violations, allowedDuplicates, interrupted, control, connections };
}

type Story = {
  client: ClientEntry | undefined;
  row: ScheduleRow | undefined;
  attempts: AttemptRow[];
  arrivals: Arrival[];
  claims: ClaimRow[];
  retryPolicy: Evidence["retryPolicy"];
  excuses: ReturnType<typeof createExcuses>;
};
type Say = (detail: string) => void;

/** Every acknowledged schedule exists as it was acknowledged, and came to an end that its attempts explain. */
function findLost({ client, row, attempts, arrivals, retryPolicy }: Story, say: Say) {
  if (!row) {
    if (client) say("its create was acknowledged, and there is no such schedule");
    else if (arrivals.length > 0) say("a request for a schedule that does not exist");
    return;
  }
  if (row.status === "succeeded") {
    if (!attempts.some(({ outcome }) => outcome === "delivered")) say("succeeded without a delivered attempt");
  } else if (row.status === "dead") {
    if (!mayBeDead(row, attempts, retryPolicy.retryAttempts))
      say(`dead after ${row.failures} failures: ${attempts.map(described).join(", ")}`);
  } else if (row.status === "cancelled") {
    const cancels = client?.changes.filter(({ kind, answer }) => kind === "cancel" && answer !== "refused");
    if (client && cancels?.length === 0) say("cancelled, and nobody cancelled it");
  } else {
    say(`still ${row.status} long after the last fault had ended`);
  }
  if (!client) return;
  const instants = possibleInstants(client);
  if (!instants.some((instant) => Math.abs(instant - row.fireAtMs) < 1))
    say(`fire_at is ${at(row.fireAtMs)}, and the client was answered ${instants.map(at).join(" or ")}`);
  const bodies = possibleBodies(client);
  for (const { attempt, bodyHash } of arrivals)
    if (!bodies.includes(bodyHash)) say(`attempt ${attempt} had another body`);
}

function mayBeDead(row: ScheduleRow, attempts: AttemptRow[], retries: number): boolean {
  const last = attempts.at(-1);
  if (last?.statusCode === 410 || last?.outcome === "blocked") return true;
  if (row.failures === retries + 1) return true;
  return attempts.length >= 3 && attempts.slice(-3).every(({ outcome }) => outcome === "interrupted");
}

/**
 * No request arrives before the instant of its schedule, before its retry is due, or before a lost attempt's lease has
 * ended. The lease of the first lost attempt in a row ends with its process, since all run on one machine.
 */
function findEarly(
  { client, row, attempts, arrivals, claims, retryPolicy, excuses }: Story,
  early: Say,
  afterCancel: Say,
) {
  if (!row) return;
  for (const arrival of arrivals) {
    const aheadMs = row.fireAtMs - (row.earlyFire ? EARLY_FIRE_MS : 0) - arrival.arrivedAtMs;
    if (aheadMs <= 0) continue;
    const moved = client?.changes.findLast(({ kind, answer, answeredAtMs }) => {
      return kind !== "cancel" && answer === "done" && answeredAtMs < arrival.arrivedAtMs;
    });
    if (moved) {
      const sinceMs = arrival.arrivedAtMs - moved.answeredAtMs;
      afterCancel(`sent ${ms(aheadMs)} before its new instant, ${ms(sinceMs)} after the reschedule was acknowledged`);
    } else early(`attempt ${arrival.attempt} arrived ${ms(aheadMs)} before its instant ${at(row.fireAtMs)}`);
  }
  for (const arrival of arrivals) {
    const before = attempts.find(({ attempt }) => attempt === arrival.attempt - 1);
    if (!before || before.outcome === "delivered") continue;
    const lost = claims.findLast(({ attempt }) => attempt === before.attempt);
    const isFirst = attempts.find(({ attempt }) => attempt === before.attempt - 1)?.outcome !== "interrupted";
    const lease = Math.min(lost?.deadlineMs ?? 0, lost && isFirst ? excuses.endedAtMs(lost) : Number.POSITIVE_INFINITY);
    const dueAtMs =
      before.outcome === "interrupted" ? lease : before.attemptedAtMs + before.latencyMs + retryPolicy.retryBackoffMs;
    if (arrival.arrivedAtMs < dueAtMs - ROUNDING_MS)
      early(
        `attempt ${arrival.attempt} arrived ${ms(dueAtMs - arrival.arrivedAtMs)} before it was due, after ${described(before)}`,
      );
  }
}

/** No request starts after the schedule's cancel was acknowledged, and the cancel lasts. */
function findAfterCancel({ client, row, arrivals }: Story, say: Say) {
  const cancel = client?.changes.find(({ kind, answer }) => kind === "cancel" && answer === "done");
  if (!cancel) return;
  if (row && row.status !== "cancelled") say(`its cancel was acknowledged, and it is ${row.status}`);
  for (const { attempt, arrivedAtMs } of arrivals) {
    const afterMs = arrivedAtMs - cancel.answeredAtMs;
    if (afterMs > 0) say(`attempt ${attempt} started ${ms(afterMs)} after the cancel was acknowledged`);
  }
}

/**
 * There is one request per attempt, none after a success, and none beyond the retries. Only a failed attempt, or one
 * that was lost with its dispatcher, is repeated. Returns how many repeats followed lost attempts, or came from a process
 * that was stopped while it wrote.
 */
function findDuplicates({ row, attempts, arrivals, claims, retryPolicy, excuses }: Story, say: Say): number {
  let allowed = 0;
  const seen = new Set<number>();
  for (const [index, arrival] of arrivals.entries()) {
    if (seen.has(arrival.attempt)) say(`attempt ${arrival.attempt} was sent again at ${at(arrival.arrivedAtMs)}`);
    seen.add(arrival.attempt);
    const record = attempts.find(({ attempt }) => attempt === arrival.attempt);
    const repeat = arrivals[index + 1];
    if (!repeat || !record || repeat.attempt === arrival.attempt) continue;
    if (record.outcome === "delivered") {
      const repeatClaim = claimOf(repeat, claims);
      if (row && repeatClaim && excuses.wasPausedAtWrite(repeatClaim, row.fireAtMs, repeat)) allowed++;
      else say(`sent again ${ms(repeat.arrivedAtMs - arrival.arrivedAtMs)} after its success`);
    }
    if (record.outcome !== "interrupted") continue;
    const claim = claimOf(arrival, claims);
    if (claim && excuses.mayBeUnknown(claim, arrival)) allowed++;
    else say(`attempt ${arrival.attempt} was repeated as interrupted, and its dispatcher could have recorded it`);
  }
  if (row && row.failures > retryPolicy.retryAttempts + 1)
    say(`${row.failures} failures with ${retryPolicy.retryAttempts} retries`);
  return allowed;
}

/** Two requests of one schedule never overlap, except for those of a process that was stopped meanwhile. */
function findOverlapping({ arrivals, claims, excuses }: Story, say: Say) {
  for (const [index, arrival] of arrivals.entries()) {
    const next = arrivals[index + 1];
    if (!next || arrival.endedAtMs <= next.arrivedAtMs) continue;
    const claim = claimOf(arrival, claims);
    if (claim && excuses.wasPaused(claim, arrival.endedAtMs)) continue;
    say(
      `attempts ${arrival.attempt} and ${next.attempt} overlapped by ${ms(arrival.endedAtMs - next.arrivedAtMs)}, the second from ${at(next.arrivedAtMs)}`,
    );
  }
}

/**
 * Each request has one row, which has the status of its answer or says that the outcome is unknown. Each recorded
 * answer was received.
 */
function findUnrecorded({ attempts, arrivals, claims, excuses }: Story, say: Say) {
  const wasGivenUp = (arrival: Arrival, { statusCode }: AttemptRow) => {
    const claim = claimOf(arrival, claims);
    return statusCode === null && claim !== undefined && excuses.wasOutOfTime(claim, arrival);
  };
  for (const arrival of arrivals) {
    const records = attempts.filter(({ attempt }) => attempt === arrival.attempt);
    const [record] = records;
    if (!record) say(`attempt ${arrival.attempt} of ${at(arrival.arrivedAtMs)} has no row`);
    else if (record.outcome === "interrupted") {
      const claim = claimOf(arrival, claims);
      if (!claim || !excuses.mayBeUnknown(claim, arrival))
        say(`attempt ${arrival.attempt} is interrupted, and its dispatcher could have recorded it`);
    } else if (record.statusCode !== arrival.statusCode && !wasGivenUp(arrival, record))
      say(`attempt ${arrival.attempt} got ${arrival.statusCode ?? "no answer"}, recorded is ${described(record)}`);
  }
  const counts = Map.groupBy(attempts, ({ attempt }) => String(attempt));
  for (const [attempt, records] of counts) {
    if (records.length > 1) say(`attempt ${attempt} is recorded ${records.length} times`);
  }
  for (const record of attempts) {
    const arrived = arrivals.some(({ attempt }) => attempt === record.attempt);
    if (record.statusCode !== null && !arrived) say(`${described(record)} is recorded, and no such request was seen`);
  }
}

const ROUNDING_MS = 2;
/** A request with early fire leaves at most this much ahead of its instant, ms. */
const EARLY_FIRE_MS = 500;

/** Every instant that the schedule may have: the last acknowledged one, and those whose answer was lost. */
function possibleInstants(client: ClientEntry): number[] {
  const moves = client.changes.filter(
    (change): change is ChangeEntry & { fireAtMs: number } => change.fireAtMs !== null && change.answer !== "refused",
  );
  const acknowledged = moves.findLast(({ answer }) => answer === "done");
  return [
    acknowledged?.fireAtMs ?? client.fireAtMs,
    ...moves.filter(({ answer }) => answer === "unknown").map(({ fireAtMs }) => fireAtMs),
  ];
}

/** Every body that its requests may have: the last acknowledged one, and those whose answer was lost. None was sent before a PUT. */
function possibleBodies(client: ClientEntry): string[] {
  const puts = client.changes.filter(({ kind, answer }) => kind === "put" && answer !== "refused");
  const acknowledged = puts.findLast(({ answer }) => answer === "done");
  const known = [acknowledged ?? client, ...puts.filter(({ answer }) => answer === "unknown")];
  return known.map(({ bodyHash = "" }) => bodyHash);
}

/** The claim that a request came from. When an attempt is released, the next claim has the same attempt number. */
function claimOf(arrival: Arrival, claims: ClaimRow[]): ClaimRow | undefined {
  return claims
    .filter(({ attempt, claimedAtMs }) => attempt === arrival.attempt && claimedAtMs <= arrival.arrivedAtMs)
    .sort((a, b) => a.claimedAtMs - b.claimedAtMs)
    .at(-1);
}

const described = ({ attempt, outcome, statusCode }: AttemptRow) =>
  `attempt ${attempt} ${outcome}${statusCode === null ? "" : ` with ${statusCode}`}`;
const ms = (duration: number) => `${duration.toFixed(1)} ms`;
