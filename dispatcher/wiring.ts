import type { Logger } from "pino";
import type { Config } from "#config.ts";
import { readDatabaseClock } from "#db/queries/fleet/database-clock.ts";
import { newId } from "#domain/ids.ts";
import { createMailer } from "#mail/mailer.ts";
import { createAdmission } from "./admission/create-admission.ts";
import { BillingUpkeep } from "./billing/billing-upkeep.ts";
import { ClaimCost } from "./claiming/claim-cost.ts";
import { CLAIM_AHEAD_MS, Claimer } from "./claiming/claimer.ts";
import { Expiries } from "./claiming/expiries.ts";
import { Releases } from "./claiming/releases.ts";
import { Origins } from "./connections/origins.ts";
import { Pool } from "./connections/pool.ts";
import { connectDatabases } from "./databases.ts";
import { Deliveries } from "./delivery/deliveries.ts";
import { Calendar } from "./intake/calendar.ts";
import { DueQueue } from "./intake/due-queue.ts";
import { IdleLanes } from "./intake/idle-lanes.ts";
import { IdsToRead } from "./intake/ids-to-read.ts";
import { Intake } from "./intake/intake.ts";
import { LaneAudit } from "./intake/lane-audit.ts";
import { LaneReads } from "./intake/lane-reads.ts";
import { Lanes } from "./intake/lanes.ts";
import { Reconciliation } from "./intake/reconciliation.ts";
import { UrgentReads } from "./intake/urgent-reads.ts";
import { createMembership } from "./membership.ts";
import { NoticeSender } from "./notices/notice-sender.ts";
import { Notices } from "./notices/notices.ts";
import { Metrics } from "./observability/metrics.ts";
import { OutageLog } from "./observability/outage-log.ts";
import { createOpeners } from "./openers.ts";
import { Operations } from "./operations/operations.ts";
import { RateLanes } from "./rates/rate-lanes.ts";
import { OutageWatch } from "./recording/outage-watch.ts";
import { Recorder } from "./recording/recorder.ts";
import { Recovery } from "./recording/recovery.ts";
import { Recurrences } from "./recurrences/recurrences.ts";
import { Retention } from "./retention/retention.ts";
import { Clock } from "./runtime/clock.ts";
import { ConfirmedLatency } from "./runtime/confirmed-latency.ts";
import { DueWork } from "./runtime/due-work.ts";
import { monotonicNow } from "./runtime/ticker.ts";
import { Exchanges } from "./sending/exchanges.ts";
import { Preparer } from "./sending/preparer.ts";
import { SendLead } from "./sending/send-lead.ts";
import { SendQueue } from "./sending/send-queue.ts";
import type { Shards } from "./shards.ts";

const CLOCK_DEADLINE_MS = 2_000;

type Own = { log: Logger; version: string; metrics?: Metrics; monotonic?: () => number };
/** `session`: with which settings sessions on this server have to begin, besides those of all servers. */
export type DispatcherOptions = Own & { session?: Record<string, string> };

/** All parts of a dispatcher. */
export type Parts = Base &
  Connections &
  Sending &
  IntakeParts &
  NoticeParts &
  ReturnType<typeof createJobs> &
  ReturnType<typeof createMembership>;

/** Creates the parts of a dispatcher and connects them. Nothing runs yet except the ticker's thread. */
export function wire(config: Config, options: DispatcherOptions): Parts {
  const base = createBase(config, options);
  const connections = createConnections(base, config);
  const { version } = options;
  const membership = createMembership({ base, config, rates: connections.rates, version });
  const { shards } = membership;
  const sending = createSending(base, connections, shards, config, version);
  const intake = createIntake(base, connections, shards, sending, config);
  const notices = createNotices(base, shards, config);
  const jobs = createJobs(base, shards, config);
  const parts = { ...base, ...connections, ...sending, ...intake, ...notices, ...jobs, ...membership };
  route(parts);
  return parts;
}

/** Connects each state to the stage that handles it, and each resource to the stage that reuses it once released. */
function route(parts: Parts): void {
  const { deliveries, alarm, readyList, waitingList, rates, claimer, releases } = parts;
  const { intake, dueQueue, preparer, sendQueue, exchanges, recorder, ownFaults, origins } = parts;
  deliveries.connect(
    {
      known: (delivery, from) => dueQueue.add(delivery, from),
      "awaiting connection": (delivery) => waitingList.add(delivery),
      "awaiting slot": (delivery) => rates.add(delivery),
      admitted: (delivery) => claimer.add(delivery),
      refused: (delivery) => claimer.add(delivery),
      claimed: (delivery) => preparer.add(delivery),
      prepared: (delivery) => sendQueue.add(delivery),
      ready: (delivery) => readyList.add(delivery),
      writing: (delivery) => exchanges.begin(delivery),
      answered: (delivery) => recorder.add(delivery),
      // In the state "answered" the recorder already has the outcome.
      recording: (delivery, from) => from !== "answered" && recorder.add(delivery),
      releasing: (delivery) => releases.add(delivery),
    },
    {
      bytes: () => claimer.schedule(),
      slot: (delivery) => rates.onSlotReleased(delivery),
      connection: (delivery) => waitingList.onConnectionReleased(delivery),
      memory: (delivery) => intake.onMemoryFree(delivery),
    },
  );
  ownFaults.onOver = () => origins.endPauses();
  alarm.setStages(sendQueue, rates, dueQueue, claimer);
}

type Base = ReturnType<typeof createBase>;

/** What several stages use. */
function createBase(config: Config, options: DispatcherOptions) {
  const { log, metrics = new Metrics(), monotonic = monotonicNow } = options;
  const outage = new OutageWatch(monotonic());
  const outageLog = new OutageLog({ log, monotonic, onFault: (fault) => metrics.databaseFailed(fault) });
  const on = { onAnswered: () => outage.answered(monotonic()), onFailed: outageLog.note };
  const databases = connectDatabases(config.databaseDirectUrl, config.dispatcherConnections, on, options.session);
  const clock = new Clock({
    read: () => databases.leases.run(CLOCK_DEADLINE_MS, ({ sql }) => readDatabaseClock(sql)),
    monotonic,
    wall: () => Date.now(),
  });
  return {
    log,
    metrics,
    outage,
    databases,
    clock,
    id: newId(Date.now()),
    outageLog,
    alarm: new DueWork(clock),
    confirmedLatency: new ConfirmedLatency(monotonic),
    deliveries: new Deliveries({ clock, connectionsPerPlace: config.connectionsPerOrigin }),
    idsToRead: new IdsToRead(),
    cost: new ClaimCost(),
  };
}

type Connections = ReturnType<typeof createConnections>;

/** Connections and rates. */
function createConnections(base: Base, config: Config) {
  const { deliveries, clock, cost, outageLog } = base;
  const { holdings } = deliveries;
  const { connectionsPerOrigin: perOrigin, connectionsPerAccount: perAccount, connectionsMax: total } = config;
  const limits = { perOrigin, perAccount, total };
  const { opener, ...listening } = createOpeners(base, config);
  const origins = new Origins({ holdings, monotonic: clock.monotonic });
  const pool = new Pool({ origins, opener, limits, clock, onError: outageLog.fatal });
  const admission = createAdmission({ deliveries, origins, pool, limits, clock });
  const rates = new RateLanes({ deliveries, clock, cost, connections: admission.waitingList });
  return { origins, pool, rates, ...admission, ...listening };
}

type Sending = ReturnType<typeof createSending>;

/** The stages from the claim to the record. */
function createSending(
  base: Base,
  { pool, readyList, preparation }: Connections,
  shards: Shards,
  { keyRing, plans, dispatcherConnections }: Config,
  version: string,
) {
  const { deliveries, databases, clock, alarm, cost, confirmedLatency } = base;
  const { idsToRead, outage, outageLog, log, metrics, id } = base;
  const claims = databases.claims;
  const claimer = new Claimer({
    ...{ database: claims, dispatcherId: id, deliveries, shards, clock, cost, alarm, idsToRead, metrics },
    ...{ inFlightMax: dispatcherConnections.claims, onError: outageLog.fatal },
  });
  const releases = new Releases({ database: claims, dispatcherId: id, deliveries, clock, idsToRead, metrics });
  const expiries = new Expiries({ database: claims, dispatcherId: id, shards, idsToRead });
  const preparer = new Preparer({ deliveries, keyRing, userAgent: `Stopwatch/${version}`, clock, alarm });
  const lead = new SendLead(clock);
  const sendQueue = new SendQueue({ deliveries, shards, readyList, preparation, clock, lead, alarm });
  const exchanges = new Exchanges({ deliveries, pool, sendQueue, lead, clock, confirmedLatency, metrics });
  const recorder = new Recorder({
    ...{ database: databases.records, deliveries, keyRing, plans, clock, sendQueue, idsToRead, metrics, log },
    inFlightMax: dispatcherConnections.records,
  });
  const recovery = new Recovery({ database: databases.reads, shards, recorder, clock, outage });
  return { claimer, releases, expiries, preparer, sendQueue, exchanges, recorder, recovery };
}

type IntakeParts = ReturnType<typeof createIntake>;

/** The stages that read ahead, and the queue until the claim. */
function createIntake(
  { databases, clock, alarm, cost, deliveries, idsToRead, log, metrics }: Base,
  { demand, pool, waitingList, rates, preparation, routes }: Connections,
  shards: Shards,
  { recorder, recovery, expiries }: Sending,
  { plans }: Config,
) {
  const database = databases.reads;
  const isSwept = (shard: number) => calendar.isSwept(shard);
  const lanes = new Lanes({ clock, holdings: deliveries.holdings, rates, isSwept });
  const intake = new Intake({
    ...{ deliveries, plans, alarm, clock, shards, recorder, rates, connections: pool, waitingList, lanes, expiries },
  });
  const calendar: Calendar = new Calendar({ database, shards, clock, lanes });
  const dueQueue = new DueQueue({
    ...{ deliveries, clock, claimAheadMs: CLAIM_AHEAD_MS, claimCost: cost, rates },
    ...{ routes, demand, waitingList, preparation },
  });
  return {
    ...{ intake, lanes, calendar, dueQueue },
    laneReads: new LaneReads({ database, lanes, calendar, intake, metrics }),
    reconciliation: new Reconciliation({ database, clock, lanes, calendar, deliveries }),
    idleLanes: new IdleLanes({ database, clock, lanes, recovery }),
    laneAudit: new LaneAudit({ database, clock, shards, log, metrics }),
    urgentReads: new UrgentReads({ database, idsToRead, clock, intake }),
  };
}

type NoticeParts = ReturnType<typeof createNotices>;

/** Notices to owners by e-mail. */
function createNotices({ databases, clock, log, metrics }: Base, shards: Shards, config: Config) {
  const { keyRing, plans, baseUrl } = config;
  const database = databases.notices;
  const mailer = createMailer(config.mail, { onWritten: (line) => log.warn(line) });
  return {
    notices: new Notices({ database, plans, shards, clock, log, metrics }),
    noticeSender: new NoticeSender({ database, mailer, keyRing, baseUrl, shards, clock, log, metrics }),
  };
}

/** What runs beside the sending path. */
function createJobs(base: Base, shards: Shards, config: Config) {
  const { databases, clock } = base;
  const deps = { ...base, shards, monotonic: clock.monotonic, plans: config.plans, rules: config };
  return {
    retention: new Retention({ ...deps, database: databases.retention }),
    operations: new Operations({ ...deps, database: databases.operations }),
    recurrences: new Recurrences({ ...deps, database: databases.operations }),
    billingUpkeep: new BillingUpkeep({ ...base, shards, config }),
  };
}
