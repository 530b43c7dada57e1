import { hostname } from "node:os";
import type { Logger } from "pino";
import type { Config } from "#config.ts";
import { DatabaseUnavailable } from "#db/client.ts";
import { readDatabaseClock } from "#db/queries/database-clock.ts";
import type { DueSchedule } from "#db/queries/due-schedules.ts";
import { newId } from "#domain/ids.ts";
import { effectiveRelaySettings } from "#domain/relay-settings.ts";
import { CLAIM_LEASE_MS, PREFETCH_HORIZON_MS, SHARD_LEASE_MS } from "#domain/timing.ts";
import { createAgenda, laneKey } from "./agenda.ts";
import { createClaimer } from "./claim.ts";
import { createClock } from "./clock.ts";
import type { ConnectFailure } from "./connection.ts";
import { createConnections } from "./connections.ts";
import { connectDatabases } from "./databases.ts";
import { createGuardedAgent } from "./guarded-agent.ts";
import { createHearing } from "./hearing.ts";
import { createLanes } from "./lanes.ts";
import { logAttempt, logInterrupted } from "./log-attempt.ts";
import { createLoop, type Loop, until, untilAnswered } from "./loop.ts";
import { createMetrics, type Figures, type Metrics } from "./metrics.ts";
import type { Planned } from "./planned.ts";
import { createPrefetch } from "./prefetch.ts";
import { createRecorder, type Recorded } from "./record.ts";
import { createRecordTimer } from "./record-timer.ts";
import { createRecovery } from "./recover.ts";
import { createRetention } from "./retain.ts";
import { createSender } from "./send.ts";
import { createShards } from "./shards.ts";
import { createTicker, monotonicNow } from "./ticker.ts";

const RECOVERY_PAUSE_MS = 15_000;
/** Schedules in memory, of all lanes together. */
const PLANNED_MAX = 40_000;
const SEND_COST_MS = 0.3;
/** Everything by then: what is claimed leaves or is put back, what is on the wire is recorded. */
const STOP_CLAIMED_MS = 2_500;
const STOP_DEADLINE_MS = 34_000;
/** Whoever owns this shard does the work that one process of the fleet does. */
const FLEET_SHARD = 0;

export type Dispatcher = Awaited<ReturnType<typeof startDispatcher>>;

/**
 * Starts a dispatcher: every loop and timer is here, the stages do one round when they are told to. Resolves when it
 * owns its first shards. `stop` sends or puts back what is claimed, hands the shards over, and ends when all that is on
 * the wire is recorded (35 s at most).
 */
export async function startDispatcher(
  config: Config,
  options: { log: Logger; version: string; metrics?: Metrics; monotonic?: () => number },
) {
  const { log, metrics = createMetrics() } = options;
  const monotonic = options.monotonic ?? monotonicNow;
  const wall = () => Date.now();
  const me = { id: newId(Date.now()), host: hostname(), pid: process.pid, version: options.version };
  const url = config.databaseDirectUrl;
  let lostAtMs = Number.NEGATIVE_INFINITY;
  const onLost = () => {
    lostAtMs = monotonic();
    metrics.databaseError();
  };
  const databases = connectDatabases(url, onLost);
  const { claims, records, control } = databases;

  const clock = createClock({
    read: () => control.run(2_000, ({ sql }) => readDatabaseClock(sql)),
    monotonic,
    wall,
  });
  const lanes = createLanes({ monotonic });
  const agent = createGuardedAgent({ policy: config.targetPolicy, ca: config.deliveryCa, monotonic });
  const connections = createConnections({
    agent,
    limits: {
      perOrigin: config.connectionsPerOrigin,
      perAccount: config.connectionsPerAccount,
      total: config.connectionsMax,
    },
    monotonic,
    now: clock.now,
    onRoom: (planned) => enterLane(planned),
    onFailure: (planned, failure) => claimFailed(planned, failure),
    onLater: (planned, atMs) => agenda.later(planned, atMs),
    onError: (error) => fatal(error),
  });
  const shards = createShards({
    database: control,
    me,
    monotonic,
    wall,
    skewMs: () => (clock.isSet() ? clock.skewMs() : null),
    isClockSettled: () => clock.sinceStepMs() > CLAIM_LEASE_MS,
    sentOf: lanes.sentOf,
    onTaken: (taken) => {
      log.info({ shards: taken.length }, "took shards");
      for (const { id, sent } of taken) lanes.occupy(id, sent);
      reading.soon();
    },
    onLost: (ids) => {
      log.info({ shards: ids.length }, "gave up shards");
      for (const planned of agenda.ofShards(ids)) if (!planned.placed && planned.leaveLane === null) forget(planned);
    },
  });
  const prefetch = createPrefetch({ database: control, owned: shards.owned, now: clock.now, monotonic, plan });
  const claimer = createClaimer({
    database: claims,
    dispatcherId: me.id,
    shards,
    monotonic,
    now: clock.now,
    onEarly: (atMs) => ticker.wakeAt(clock.monotonicAt(atMs)),
    onWon: (won) => {
      metrics.claimed(won.length);
      for (const one of won) {
        if (one.failure) {
          claimer.settled(one.planned);
          const outcome = {
            kind: one.failure.kind === "blocked" ? "blocked" : "unreachable",
            error: one.failure.error,
          } as const;
          ended({
            won: one,
            outcome,
            attemptedAtMs: null,
            finishedAtMs: clock.now(),
            body: "",
            connectMs: null,
            firstByteMs: null,
          });
        }
      }
      sender.add(won.filter((one) => one.failure === null));
    },
    // Cancelled, moved, locked or not ours: whatever it is, its row says so.
    onLost: (planned) => {
      for (const one of planned) drop(one);
      setTimeout(() => reread(planned.map(({ id }) => id)), 50);
    },
    onUnknown: (planned) => {
      for (const one of planned) drop(one);
    },
    onError: (error) => fatal(error),
    onReleased: (ids) => reread(ids),
  });
  const sender = createSender({
    keyRing: config.keyRing,
    userAgent: `Stopwatch/${options.version}`,
    connections,
    holdsShard: shards.holds,
    now: clock.now,
    monotonic,
    onSent: ({ planned }) => {
      metrics.sent(clock.now() - planned.sendAtMs);
      claimer.settled(planned);
      lanes.sent(planned);
    },
    onEnded: (result) => {
      if (result.attemptedAtMs === null) claimer.settled(result.won.planned);
      ended(result);
    },
    onPrepared: (instants) => {
      for (const instant of instants) ticker.wakeAt(clock.monotonicAt(instant));
      pump();
    },
    onUnsent: (won) => {
      claimer.settled(won.planned);
      drop(won.planned);
      claimer.release(won);
      metrics.released();
    },
  });
  const recorder = createRecorder({
    database: records,
    keyRing: config.keyRing,
    plans: config.plans,
    random: Math.random,
    onRecorded: (recorded) => {
      metrics.recorded(recorded.length);
      for (const one of recorded) replan(one);
    },
    onSettled: () => recording.soon(),
    onRefused: (scheduleId, error) => {
      log.error({ scheduleId, err: error }, "an outcome cannot be recorded");
      const planned = agenda.get(scheduleId);
      if (planned) forget(planned);
    },
  });
  const recording = createRecordTimer({ recorder, isBehind: sender.isBehind, monotonic });
  const recovery = createRecovery({
    database: control,
    owned: shards.owned,
    isHeld: recorder.holds,
    record: (record) => {
      metrics.ended(record.outcome);
      logInterrupted(log, record);
      recorder.add(record);
      recording.soon();
    },
  });
  const retention = createRetention({
    database: databases.retention,
    plans: config.plans,
    isMine: () => shards.holds(FLEET_SHARD),
    monotonic,
    log,
  });
  const agenda = createAgenda({
    leadMs: claimer.leadMs,
    isNearLimit: lanes.isNearLimit,
    earlyMs: (origin) => connections.earlyLeadMs(origin, SEND_COST_MS),
    onApproach: (planned) => connections.expect(planned),
    onClaim: (planned) => enterLane(planned),
  });
  const ticker = createTicker(() => pump());
  let stopping = false;

  /** What prefetch read: kept if it is this process's and its lane has room; a lane without room is refilled later. */
  function plan(due: DueSchedule[]) {
    if (stopping) return;
    const nowMs = clock.now();
    for (const one of due) {
      if (!one.accountActive || !shards.holds(one.shard) || recorder.holds(one.id)) continue;
      const lane = laneKey(one);
      const known = agenda.get(one.id);
      if (known && known.version >= one.version) continue;
      lanes.limit(lane, effectiveCps(one));
      if (!known && lanes.room(lane, pressure()) <= 0) {
        behind.set(lane, one);
        continue;
      }
      // A claim under way will find that the version has moved on; until then the place in the plan is its own.
      if (known && (known.placed || known.leaveLane)) continue;
      if (known) lanes.letGo(lane);
      if (agenda.add(one, nowMs)) lanes.hold(lane);
    }
    pump();
  }
  const pressure = () => agenda.size() / PLANNED_MAX;
  const behind = new Map<string, DueSchedule>();
  const effectiveCps = (due: DueSchedule) =>
    effectiveRelaySettings(
      { cpsLimit: due.cpsLimit, retryAttempts: null, retryBackoffMs: null, retryStrategy: null, earlyFire: null },
      config.plans[due.plan],
    ).cpsLimit;

  function forget(planned: Planned) {
    if (planned.gone) return;
    agenda.remove(planned);
    lanes.letGo(planned.lane);
    const waiting = behind.get(planned.lane);
    if (waiting && lanes.isHalfEmpty(planned.lane, pressure())) {
      behind.delete(planned.lane);
      prefetch.refill(planned.lane, waiting);
      urgent.soon();
    }
  }

  /** Frees the lane's slot at once, and the place among the connections. */
  function leave(planned: Planned) {
    planned.leaveLane?.();
    planned.leaveLane = null;
    connections.leave(planned);
  }

  /** Lets go of a schedule that will send nothing here for now. */
  function drop(planned: Planned) {
    leave(planned);
    forget(planned);
  }

  function enterLane(planned: Planned) {
    if (planned.gone) return;
    if (!connections.hasRoom(planned)) return connections.park(planned);
    const enteredAtMs = clock.now();
    lanes.enter(planned, (waited) => {
      if (planned.gone || stopping) return false;
      if (waited) planned.waitMs += Math.max(0, clock.now() - Math.max(enteredAtMs, planned.sendAtMs));
      if (!connections.admit(planned)) {
        connections.park(planned);
        return false;
      }
      claimer.add(planned, null);
      return true;
    });
  }

  function claimFailed(planned: Planned, failure: ConnectFailure) {
    if (!planned.gone && !stopping) claimer.add(planned, failure);
  }

  function ended(result: Parameters<typeof recorder.ended>[0]) {
    const { planned } = result.won;
    // A slot whose request was sent is freed by its time; one that sent nothing is freed now.
    if (result.attemptedAtMs === null) leave(planned);
    metrics.ended(result.outcome.kind);
    logAttempt(log, result);
    recorder.ended(result);
    recording.soon();
  }

  /** A recorded attempt: when the next one is due soon, it is planned without being read. */
  function replan({ record, newVersion }: Recorded) {
    const planned = agenda.get(record.scheduleId);
    if (planned) forget(planned);
    if (record.nextAttemptAtMs === null || newVersion === null || stopping) return;
    if (record.nextAttemptAtMs > clock.now() + PREFETCH_HORIZON_MS) return;
    if (!planned) return reread([record.scheduleId]);
    plan([{ ...planned, version: newVersion, dueAtMs: record.nextAttemptAtMs, early: false, isRetry: true }]);
  }

  function reread(ids: string[]) {
    if (stopping) return;
    for (const id of ids) prefetch.announce(id);
    urgent.soon();
  }

  function pump() {
    if (!clock.isSet()) return;
    const leavesAtMs = sender.runOnce();
    const slotAtMs = lanes.runOnce();
    const looksAtMs = stopping ? Number.POSITIVE_INFINITY : agenda.runOnce(clock.now());
    const claimsAtMs = claimer.openWindow();
    const next = Math.min(clock.monotonicAt(Math.min(leavesAtMs, looksAtMs, claimsAtMs)), slotAtMs);
    if (next < Number.POSITIVE_INFINITY) ticker.wakeAt(next);
  }

  const fatal = (error: unknown) => {
    log.fatal({ err: error }, "the dispatcher cannot go on");
    process.exit(1);
  };
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  const quietly = (error: unknown) => {
    if (!(error instanceof DatabaseUnavailable)) return fatal(error);
    if (monotonic() - loggedAtMs < 1_000) return;
    loggedAtMs = monotonic();
    log.warn({ cause: String((error.cause as Error)?.message ?? error.cause) }, "the database cannot be reached");
  };
  const timers: Loop[] = [];
  const every = (periodMs: number, round: () => Promise<unknown>) => {
    const loop = createLoop(periodMs, round, quietly);
    timers.push(loop);
    return loop;
  };

  const urgent = createLoop(
    60_000,
    async () => {
      if (!clock.isSet()) return;
      await prefetch.runUrgent();
      if (prefetch.isUrgent()) urgent.soon();
    },
    (error) => {
      quietly(error);
      setTimeout(() => urgent.soon(), 250);
    },
  );
  timers.push(urgent);

  const reading = every(1_000, async () => {
    if (!clock.isSet()) return;
    await prefetch.runOnce();
    if (prefetch.hasMore() && pressure() < 1) reading.soon();
  });

  await untilAnswered(async () => {
    for (let sample = 0; sample < 5; sample++) await clock.runOnce();
    await shards.runOnce();
  }, quietly);
  const sharing = every(SHARD_LEASE_MS / 3, async () => {
    // A step of the database's clock is to be seen before leases are read by it.
    await clock.runOnce();
    await shards.runOnce();
  });
  const hearing = createHearing({
    url,
    monotonic,
    isBeating: () => shards.owned().length > 0,
    onListening: () => {
      prefetch.startOver();
      reading.soon();
    },
    onShards: () => sharing.soon(),
    onDue: (shard, id) => {
      if (!shards.holds(shard)) return;
      if (id !== null) return reread([id]);
      prefetch.announceShard(shard);
      reading.soon();
    },
  });
  every(1_000, () => hearing.runOnce());
  every(200, () => clock.runOnce());
  every(1_000, async () => {
    const settled = clock.sinceStepMs() > CLAIM_LEASE_MS && monotonic() - lostAtMs > RECOVERY_PAUSE_MS;
    if (settled) await recovery.runOnce();
  });
  every(250, () => claimer.runOnce());
  every(1_000, () => retention.runOnce());
  every(100, async () => {
    sender.enforceDeadlines();
    connections.runOnce();
    lanes.dropIdle();
    agenda.forgetLoad(clock.now() - 1_000);
    pump();
  });

  const figures = (): Figures => ({
    planned: agenda.size(),
    waiting: lanes.waiting(),
    unsent: sender.unsent(),
    underWay: sender.underWay(),
    unrecorded: recorder.pending(),
    lanes: lanes.size(),
    connections: connections.size(),
    owned: shards.owned().length,
    skewMs: clock.skewMs(),
  });
  metrics.watch(figures);

  return {
    id: me.id,
    /** What it holds at the moment, for its health page. */
    figures,
    async stop(): Promise<void> {
      if (stopping) return;
      stopping = true;
      const startedAt = monotonic();
      const leftMs = () => STOP_DEADLINE_MS - (monotonic() - startedAt);
      shards.stop();
      for (const planned of claimer.takeEarly()) drop(planned);
      await until(() => claimer.outstanding() === 0 && sender.unsent() === 0, STOP_CLAIMED_MS);
      sender.giveUpAll();
      await until(() => claimer.unreleased() === 0, 1_000);
      await shards.handOver().catch(quietly);
      await until(() => sender.underWay() === 0, leftMs());
      await until(() => recorder.pending() === 0, leftMs());
      for (const timer of timers) timer.stop();
      recording.stop();
      connections.close();
      await Promise.allSettled([hearing.close(), ticker.close()]);
      await databases.close();
    },
  };
}
