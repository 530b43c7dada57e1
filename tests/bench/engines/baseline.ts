import { randomBytes } from "node:crypto";
import type { DueSchedule } from "../../../db/queries/schedules/due.ts";
import { createAdmission } from "../../../dispatcher/admission/create-admission.ts";
import { Dialer } from "../../../dispatcher/connections/dialer.ts";
import { Origins } from "../../../dispatcher/connections/origins.ts";
import { Pool } from "../../../dispatcher/connections/pool.ts";
import { Deliveries } from "../../../dispatcher/delivery/deliveries.ts";
import type { Claim } from "../../../dispatcher/delivery/delivery.ts";
import { Metrics } from "../../../dispatcher/observability/metrics.ts";
import { ConfirmedLatency } from "../../../dispatcher/runtime/confirmed-latency.ts";
import { DueWork } from "../../../dispatcher/runtime/due-work.ts";
import { monotonicNow } from "../../../dispatcher/runtime/ticker.ts";
import { Exchanges } from "../../../dispatcher/sending/exchanges.ts";
import { Preparer } from "../../../dispatcher/sending/preparer.ts";
import { SendLead } from "../../../dispatcher/sending/send-lead.ts";
import { SendQueue } from "../../../dispatcher/sending/send-queue.ts";
import { secretAad } from "../../../domain/associated-data.ts";
import { parseKeyRing, seal } from "../../../domain/cipher.ts";
import { newId } from "../../../domain/ids.ts";
import { packRequest, sealRequest } from "../../../domain/sealed-request.ts";
import { generateSigningSecret } from "../../../domain/signing.ts";
import { parseTargetPolicy } from "../../../domain/target-url.ts";
import type { Bench, Engine, Job } from "../engine.ts";
import { readWallClock } from "../wall-clock.ts";
import { startEngineWorker, type WorkerProcess } from "../worker-process.ts";

type Options = Pick<Bench, "ca" | "origin" | "hangingOrigin">;

/**
 * The dispatcher's own sender and connections, fed from a list in memory. No engine that is built on them can be
 * better.
 */
export const baseline: Engine = {
  name: "baseline",
  settings:
    "the dispatcher's sender and connections, a list in memory, nothing stored; saturation: 64 requests under way",
  claimLead: "1 s (memory)",
  leavesOut: "everything before and after the request",
  stores: false,
  async open(bench) {
    let worker: WorkerProcess | undefined;
    return {
      async start() {
        const { ca, origin, hangingOrigin } = bench;
        worker = await startEngineWorker("baseline", { ca, origin, hangingOrigin } satisfies Options);
        return [worker];
      },
      async enqueue(jobs, closedLoop = false) {
        const sent = jobs.map(({ body: _, ...job }) => job);
        worker?.send({ kind: "jobs", jobs: sent, body: jobs[0]?.body ?? "", closedLoop } satisfies FromParent);
      },
      finished: async () => 0,
      addBacklog: async () => {},
      close: async () => {},
    };
  },
};

const AHEAD_MS = 1_000;
const IN_FLIGHT_MAX = 64;

type FromParent = { kind: "jobs"; jobs: Sent[]; body: string; closedLoop: boolean };
type Sent = Omit<Job, "body">;
/** `sealed` (base64) is its request as it would be stored, `scheduleId` the id that it was sealed for. */
type SealedJob = Sent & { scheduleId: string; sealed: string };

const LIMITS = { perOrigin: 256, perAccount: 1_024, total: 4_096 };
/** The states of a delivery up to its claim. Here it passes all of them at once. */
const UNTIL_CLAIMED = ["awaiting slot", "admitted", "claiming", "claimed"] as const;

/**
 * The delivering process. Every job becomes a delivery that counts as claimed. It is added a second ahead of its
 * instant, or, in a closed loop, whenever another one has ended.
 */
export async function work(options: Options): Promise<() => Promise<void>> {
  const claims = createClaims();
  let jobs: SealedJob[] = [];
  let next = 0;
  let closedLoop = false;

  const sender = createSender(options, claims.keyRing, () => closedLoop && feed(1));
  const { deliveries, clock } = sender;
  const feed = (max: number) => {
    for (let n = 0; n < max; n++) {
      const job = jobs[next];
      if (!job || job.dueAtMs > clock.now() + AHEAD_MS) return;
      next++;
      const { due, claim } = claims.make(job);
      const delivery = deliveries.add(due, 0);
      sender.demand.expect(delivery);
      delivery.claim = claim;
      for (const state of UNTIL_CLAIMED) deliveries.move(delivery, state);
    }
  };
  const timer = setInterval(() => {
    if (!closedLoop) feed(Number.POSITIVE_INFINITY);
    sender.exchanges.runOnce();
    sender.demand.runOnce();
  }, 100);
  process.on("message", (message: FromParent) => {
    if (message.kind !== "jobs") return;
    const sealed = claims.sealAll(message.jobs, message.body);
    jobs = next < jobs.length ? jobs.concat(sealed) : sealed;
    if (jobs === sealed) next = 0;
    closedLoop = message.closedLoop;
    const first = jobs[0];
    if (closedLoop && first) setTimeout(() => feed(IN_FLIGHT_MAX), Math.max(first.dueAtMs - clock.now(), 0));
    else if (!closedLoop) feed(Number.POSITIVE_INFINITY);
  });
  return async () => {
    clearInterval(timer);
    sender.pool.close();
    await sender.alarm.close();
  };
}

/** The dispatcher's own stages from preparation to answer. `onEnded` is called when an outcome is known. */
function createSender(options: Options, keyRing: ReturnType<typeof parseKeyRing>, onEnded: () => void) {
  const clock = createClock();
  const hosts = [options.origin, options.hangingOrigin].map((url) => new URL(url).host);
  const dialer = new Dialer({
    policy: parseTargetPolicy(hosts.join(","), ""),
    ca: options.ca,
    monotonic: monotonicNow,
  });
  const deliveries = new Deliveries({ clock, connectionsPerPlace: LIMITS.perOrigin });
  const onError = (error: unknown) => {
    throw error;
  };
  const origins = new Origins({ holdings: deliveries.holdings, monotonic: monotonicNow });
  const pool = new Pool({ origins, opener: dialer, limits: LIMITS, clock, onError });
  const { demand, readyList, waitingList } = createAdmission({ deliveries, origins, pool, limits: LIMITS, clock });
  const alarm = new DueWork(clock);
  const preparer = new Preparer({ deliveries, keyRing, userAgent: "Stopwatch/bench", clock, alarm });
  const lead = new SendLead(clock);
  const shards = { holds: () => true };
  const sendQueue = new SendQueue({ deliveries, shards, readyList, preparation: { note() {} }, clock, lead, alarm });
  const confirmedLatency = new ConfirmedLatency(monotonicNow);
  const exchanges = new Exchanges({
    deliveries,
    pool,
    sendQueue,
    lead,
    clock,
    confirmedLatency,
    metrics: new Metrics(),
  });
  deliveries.connect(
    {
      claimed: (delivery) => preparer.add(delivery),
      prepared: (delivery) => sendQueue.add(delivery),
      ready: (delivery) => readyList.add(delivery),
      writing: (delivery) => exchanges.begin(delivery),
      answered: onEnded,
      recording(delivery, from) {
        if (from !== "answered") onEnded();
        deliveries.move(delivery, "recorded");
      },
      releasing() {
        throw new Error("the baseline gave a request back");
      },
    },
    {
      bytes() {},
      slot() {},
      connection: (delivery) => waitingList.onConnectionReleased(delivery),
      memory() {},
    },
  );
  alarm.setStages(sendQueue);
  return { clock, deliveries, pool, demand, exchanges, alarm };
}

/** The machine's clock, which the receiver uses, too. */
function createClock() {
  const { wallMs, monotonicMs } = readWallClock();
  const aheadMs = wallMs - monotonicMs;
  return {
    now: () => monotonicNow() + aheadMs,
    monotonic: monotonicNow,
    monotonicAt: (instantMs: number) => instantMs - aheadMs,
    isSet: () => true,
  };
}

/** Claims in the form of successful ones, with requests encrypted as they are stored. */
function createClaims() {
  const keyRing = parseKeyRing(`bench:${randomBytes(32).toString("base64")}`);
  const accountId = newId(Date.now());
  const secret = seal(keyRing, Buffer.from(generateSigningSecret()), secretAad(accountId, "live")).toString("base64");
  return {
    keyRing,
    /** Encrypts the request of each job before its time: in the service the web process does that. */
    sealAll(jobs: readonly Sent[], body: string): SealedJob[] {
      const packed = packRequest({ headers: [["content-type", "application/json"]], payload: body }) as Buffer;
      return jobs.map((job) => {
        const scheduleId = newId(Date.now());
        const to = { accountId, env: "live", id: scheduleId, method: "POST", targetUrl: job.url } as const;
        return { ...job, scheduleId, sealed: sealRequest(keyRing, packed, to).toString("base64") };
      });
    },
    make({ dueAtMs, url, scheduleId, sealed }: SealedJob): { due: DueSchedule; claim: Claim } {
      const whose = { id: scheduleId, version: 1, accountId, env: "live", plan: "indie" } as const;
      const due: DueSchedule = {
        ...whose,
        shard: 0,
        dueAtMs,
        early: false,
        isRetry: false,
        origin: new URL(url).origin,
        path: null,
        bytes: sealed.length,
        accountActive: true,
        cpsLimit: null,
        expiresAtMs: null,
      };
      const row: Claim["row"] = {
        ...whose,
        attempt: 1,
        failures: 0,
        interruptions: 0,
        earlyFire: false,
        heldBack: false,
        isDueWhenAsked: false,
        fireAtMs: dueAtMs,
        dueAtMs,
        claimedAtMs: Math.max(dueAtMs, Date.now()),
        claimDeadlineMs: dueAtMs + 35_000,
        targetUrl: url,
        method: "POST",
        sealed,
        currentSecret: secret,
        formerSecret: null,
        retryAttempts: null,
        retryBackoffMs: null,
        retryStrategy: null,
        delivery: null,
      };
      return { due, claim: { row, startedAtMs: monotonicNow(), durationMs: 0 } };
    },
  };
}
