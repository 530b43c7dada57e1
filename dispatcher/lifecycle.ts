import { LISTENER_SEEN_WITHIN_MS } from "#domain/listeners.ts";
import { SHARD_LEASE_MS } from "#domain/timing.ts";
import { Announcements } from "./intake/announcements.ts";
import { Notifications } from "./intake/notifications.ts";
import { Loop, untilAnswered } from "./runtime/loop.ts";
import type { Parts } from "./wiring.ts";

const FIRST_CLOCK_SAMPLES = 5;
const CLOCK_EVERY_MS = 200;
const HEARTBEAT_EVERY_MS = SHARD_LEASE_MS / 3;
const READ_EVERY_MS = 250;
const READ_LANES_EVERY_MS = 100;
/** Schedules are read by id when their ids are added, which begins a round. */
const READ_BY_ID_EVERY_MS = 60_000;
const RECOVER_EVERY_MS = 1_000;
const FIND_ENDED_EVERY_MS = 2_000;
const RETAIN_EVERY_MS = 1_000;
const NOTICES_EVERY_MS = 1_000;
/** One notice per round: half the rate that mail providers allow at least. */
const NOTICE_EVERY_MS = 1_000;
/** Interval between two searches for operations, and between two steps of a running one, ms. */
const OPERATE_EVERY_MS = 500;
const STEP_EVERY_MS = 100;
/** Interval between two searches for recurrences whose next occurrence is to be made, ms. */
const RECUR_EVERY_MS = 1_000;
const BILLING_EVERY_MS = 10_000;
const NOTIFICATIONS_EVERY_MS = 1_000;
const RELEASE_EVERY_MS = 250;
const EXPIRE_EVERY_MS = 250;
const UPKEEP_EVERY_MS = 100;
/** Interval of a round that visits each lane, ms. */
const DROP_IDLE_EVERY_MS = 500;
/** Each round reconciles a bounded number of lanes with the table, or puts back a bounded number of idle ones. */
const RECONCILE_EVERY_MS = 250;
const PUT_BACK_EVERY_MS = 100;
/** Interval of reads of listeners, and of exchanges whose notification was missed, ms. */
const LISTEN_EVERY_MS = LISTENER_SEEN_WITHIN_MS / 2;
const AUDIT_EVERY_MS = 1_000;
const LOAD_KEPT_MS = 1_000;

export type Lifecycle = Awaited<ReturnType<typeof startLoops>>;

/**
 * Starts every loop of a dispatcher. First waits until the database has answered, its clock is known and the first
 * shards are owned. Returns how to stop the loops.
 */
export async function startLoops(parts: Parts, databaseUrl: string) {
  const { clock, shards, endedProcesses, outageLog } = parts;
  const reads = createReadLoops(parts);
  const loops = createLoops(parts);
  listenToShards(parts, reads.reading);
  await untilAnswered(async () => {
    for (let sample = 0; sample < FIRST_CLOCK_SAMPLES; sample++) await clock.runOnce();
    await endedProcesses.runOnce();
    await shards.runOnce();
    await parts.listeners.runOnce();
  }, outageLog.report);
  const { calendar, lanes, idsToRead, listenExchanges } = parts;
  const { reading } = reads;
  const { sharing } = loops;
  const targets = new Announcements({ shards, calendar, lanes, idsToRead, listenExchanges, reading, sharing });
  const notifications = new Notifications({ url: databaseUrl, clock, shards, targets });
  const checkingNotifications = new Loop(NOTIFICATIONS_EVERY_MS, () => notifications.runOnce(), outageLog.report);
  const all = [...Object.values(reads), ...Object.values(loops), checkingNotifications];
  for (const loop of all) loop.start();
  return {
    /** Reads no more schedules. */
    stopReading() {
      for (const loop of Object.values(reads)) loop.stop();
    },
    stop() {
      for (const loop of all) loop.stop();
    },
    notifications,
  };
}

/** The loops that read what falls due. They stop before the others. */
function createReadLoops(parts: Parts) {
  const { calendar, lanes, laneReads, idsToRead, urgentReads, reconciliation, outageLog } = parts;
  const every = (periodMs: number, round: () => Promise<unknown>) => new Loop(periodMs, round, outageLog.report);
  const reading: Loop = every(READ_EVERY_MS, async () => {
    await calendar.runOnce();
    if (calendar.hasMore()) reading.soon();
  });
  const readingLanes: Loop = every(READ_LANES_EVERY_MS, async () => {
    await laneReads.runOnce();
    if (lanes.hasMore()) readingLanes.soon();
  });
  const readingById: Loop = every(READ_BY_ID_EVERY_MS, async () => {
    await urgentReads.runOnce();
    if (idsToRead.size > 0) readingById.soon();
  });
  lanes.onQueued = () => readingLanes.soon();
  idsToRead.onAdded = () => readingById.soon();
  const reconciling = every(RECONCILE_EVERY_MS, () => reconciliation.runOnce());
  return { reading, readingLanes, readingById, reconciling };
}

function createLoops(parts: Parts) {
  const { clock, shards, idleLanes, laneAudit, outageLog } = parts;
  const { recovery, releases, retention, notices, noticeSender, operations, recurrences, billingUpkeep, rates } = parts;
  const every = (periodMs: number, round: () => Promise<unknown>) => new Loop(periodMs, round, outageLog.report);
  const sharing: Loop = every(HEARTBEAT_EVERY_MS, async () => {
    // Notice a step of the database's clock before checking leases by it.
    await clock.runOnce();
    sharing.within(await shards.runOnce());
  });
  const retaining: Loop = every(RETAIN_EVERY_MS, async () => {
    await retention.runOnce();
    retaining.within(retention.restMs());
  });
  const operating: Loop = every(OPERATE_EVERY_MS, async () => {
    await operations.runOnce();
    if (operations.isBusy()) operating.within(STEP_EVERY_MS);
  });
  const recurring: Loop = every(RECUR_EVERY_MS, async () => {
    await recurrences.runOnce();
    if (recurrences.hasMore()) recurring.within(STEP_EVERY_MS);
  });
  const exchanging: Loop = every(LISTEN_EVERY_MS, () => parts.listenExchanges.runOnce());
  parts.listenExchanges.onWanted = () => exchanging.soon();
  return {
    sharing,
    operating,
    recurring,
    puttingBack: every(PUT_BACK_EVERY_MS, () => idleLanes.runOnce()),
    auditing: every(AUDIT_EVERY_MS, () => laneAudit.runOnce()),
    sampling: every(CLOCK_EVERY_MS, () => clock.runOnce()),
    findingEnded: every(FIND_ENDED_EVERY_MS, () => parts.endedProcesses.runOnce()),
    recovering: every(RECOVER_EVERY_MS, () => recovery.runOnce()),
    releasing: every(RELEASE_EVERY_MS, () => releases.runOnce()),
    expiring: every(EXPIRE_EVERY_MS, () => parts.expiries.runOnce()),
    retaining,
    noticing: every(NOTICES_EVERY_MS, () => notices.runOnce()),
    sendingNotices: every(NOTICE_EVERY_MS, () => noticeSender.runOnce()),
    tendingBilling: every(BILLING_EVERY_MS, () => billingUpkeep.runOnce()),
    listening: every(LISTEN_EVERY_MS, () => parts.listeners.runOnce()),
    exchanging,
    droppingIdle: every(DROP_IDLE_EVERY_MS, async () => rates.dropIdle()),
    upkeep: every(UPKEEP_EVERY_MS, async () => runUpkeep(parts)),
  };
}

/** Enforces deadlines, opens connections that waiting deliveries lack, and drops what is no longer needed. */
function runUpkeep({ exchanges, demand, dueQueue, intake, alarm, clock }: Parts): void {
  exchanges.runOnce();
  intake.putBackWaiting();
  demand.runOnce();
  dueQueue.forgetLoad(clock.now() - LOAD_KEPT_MS);
  alarm.run();
}

function listenToShards(parts: Parts, reading: Loop): void {
  const { shards, deliveries, calendar, lanes, recovery, expiries, clock, log } = parts;
  shards.marks = {
    recoveredToMs: (shard) => finite(recovery.recoveredToMs(shard)),
    openFromMs: () =>
      calendar.areAllSwept()
        ? Math.min(clock.now(), deliveries.holdings.dueFromMs(), expiries.dueFromMs(), lanes.moreFromMs())
        : null,
  };
  shards.observer = {
    taken(taken) {
      const ids = taken.map(({ id }) => id);
      for (const { id, recoveredToMs } of taken) recovery.take(id, recoveredToMs);
      log.info({ shards: ids.length }, "took shards");
      // A lane may have been woken after the shard was lost. It counts as read, but its schedules are not in memory.
      lanes.dropShards(new Set(ids));
      reading.soon();
    },
    lost(ids) {
      log.info({ shards: ids.length }, "gave up shards");
      const lost = new Set(ids);
      calendar.dropShards(lost);
      lanes.dropShards(lost);
      deliveries.removeUnclaimed(({ shard }) => lost.has(shard));
    },
  };
}

const finite = (ms: number): number | null => (Number.isFinite(ms) ? ms : null);
