import { randomBytes } from "node:crypto";
import type { Won } from "#dispatcher/claim.ts";
import { createConnections } from "#dispatcher/connections.ts";
import { createGuardedAgent } from "#dispatcher/guarded-agent.ts";
import { createSender } from "#dispatcher/send.ts";
import { createTicker, monotonicNow } from "#dispatcher/ticker.ts";
import { scheduleAad, secretAad } from "#domain/associated-data.ts";
import { parseKeyRing, seal } from "#domain/cipher.ts";
import { newId } from "#domain/ids.ts";
import { packRequest } from "#domain/sealed-request.ts";
import { generateSigningSecret } from "#domain/signing.ts";
import { parseTargetPolicy } from "#domain/target-url.ts";
import type { Bench, Engine, Job } from "../engine.ts";
import { readWallClock } from "../wall-clock.ts";
import { startEngineWorker, type WorkerProcess } from "../worker-process.ts";

type Options = Pick<Bench, "ca" | "origin" | "hangingOrigin">;

/** The dispatcher's own sender and connections, fed from a list in memory: what no engine on them can be better than. */
export const floor: Engine = {
  name: "floor",
  settings:
    "the dispatcher's sender and connections, a list in memory, nothing stored; saturation: 64 requests under way",
  claimLead: "1 s (memory)",
  perSecondMax: 20_000,
  stores: false,
  async open(bench) {
    let worker: WorkerProcess | undefined;
    return {
      async start() {
        const { ca, origin, hangingOrigin } = bench;
        worker = await startEngineWorker("floor", { ca, origin, hangingOrigin } satisfies Options);
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
const UNDER_WAY_MAX = 64;
const POOL = 1_024;

type FromParent = { kind: "jobs"; jobs: Sent[]; body: string; closedLoop: boolean };
type Sent = Omit<Job, "body">;

/** The process that sends: every job as a claim that was won, added a second ahead, or one for each that has ended. */
export async function work(options: Options): Promise<() => Promise<void>> {
  const clock = readWallClock();
  const now = () => monotonicNow() + clock.wallMs - clock.monotonicMs;
  const policy = parseTargetPolicy(
    [options.origin, options.hangingOrigin].map((url) => new URL(url).host).join(","),
    "",
  );
  const claims = createClaims();
  let jobs: Sent[] = [];
  let next = 0;
  let closedLoop = false;
  let body = "";

  const connections = createConnections({
    agent: createGuardedAgent({ policy, ca: options.ca, monotonic: monotonicNow }),
    limits: { perOrigin: 256, perAccount: 1_024, total: 4_096 },
    monotonic: monotonicNow,
    now,
    onRoom: () => {},
    onFailure: () => {},
    onLater: () => {},
    onError: (error) => {
      throw error;
    },
  });
  const sender = createSender({
    keyRing: claims.keyRing,
    userAgent: "Stopwatch/bench",
    connections,
    holdsShard: () => true,
    now,
    monotonic: monotonicNow,
    onSent: () => {},
    onEnded: () => closedLoop && feed(1),
    onPrepared: () => pump(),
    onUnsent: () => {
      throw new Error("the floor gave a request back");
    },
  });
  const ticker = createTicker(() => pump());
  const pump = () => {
    const leavesAtMs = sender.runOnce();
    if (leavesAtMs < Number.POSITIVE_INFINITY) ticker.wakeAt(leavesAtMs - now() + monotonicNow());
  };
  const feed = (max: number) => {
    const won: Won[] = [];
    for (let job = jobs[next]; job && won.length < max && job.dueAtMs <= now() + AHEAD_MS; job = jobs[++next]) {
      const one = claims.make(job);
      connections.expect(one.planned);
      won.push(one);
    }
    if (won.length > 0) sender.add(won);
  };
  const timer = setInterval(() => {
    if (!closedLoop) feed(Number.POSITIVE_INFINITY);
    sender.enforceDeadlines();
    connections.runOnce();
  }, 100);
  process.on("message", (message: FromParent) => {
    if (message.kind !== "jobs") return;
    jobs = next < jobs.length ? jobs.concat(message.jobs) : message.jobs;
    if (jobs === message.jobs) next = 0;
    closedLoop = message.closedLoop;
    if (message.body !== body) claims.share(message.body);
    body = message.body;
    const first = jobs[0];
    if (closedLoop && first) setTimeout(() => feed(UNDER_WAY_MAX), Math.max(first.dueAtMs - now(), 0));
    else if (!closedLoop) feed(Number.POSITIVE_INFINITY);
  });
  return async () => {
    clearInterval(timer);
    connections.close();
    await ticker.close();
  };
}

/** Claims that look as if a claim had been won, encrypted as they are stored. */
function createClaims() {
  const keyRing = parseKeyRing(`bench:${randomBytes(32).toString("base64")}`);
  const accountId = newId(Date.now());
  const secret = seal(keyRing, Buffer.from(generateSigningSecret()), secretAad(accountId, "live")).toString("base64");
  let pool: { id: string; sealed: string }[] = [];
  return {
    keyRing,
    /** Encrypts the body that all jobs share, under a thousand ids: what is decrypted is never the same twice running. */
    share(body: string) {
      const packed = packRequest({ headers: [["content-type", "application/json"]], payload: body }) as Buffer;
      pool = Array.from({ length: POOL }, () => {
        const id = newId(Date.now());
        return { id, sealed: seal(keyRing, packed, scheduleAad(id)).toString("base64") };
      });
    },
    make({ n, dueAtMs, url }: Sent): Won {
      const { id, sealed } = pool[n % POOL] as (typeof pool)[number];
      const { origin } = new URL(url);
      return {
        planned: {
          id,
          version: 1,
          shard: 0,
          accountId,
          env: "live",
          dueAtMs,
          early: false,
          isRetry: false,
          origin,
          bytes: sealed.length,
          accountActive: true,
          plan: "indie",
          cpsLimit: null,
          lane: "",
          place: `${accountId} ${origin}`,
          sendAtMs: dueAtMs,
          earlyMs: 0,
          wakeAtMs: dueAtMs,
          fresh: false,
          admitted: false,
          // As if it had been admitted: the end of its request then serves the next one.
          placed: true,
          gone: false,
          waitMs: 0,
          leaveLane: null,
        },
        claimed: {
          id,
          version: 1,
          accountId,
          env: "live",
          attempt: 1,
          failures: 0,
          interruptions: 0,
          earlyFire: false,
          heldBack: false,
          fireAtMs: dueAtMs,
          dueAtMs,
          claimedAtMs: dueAtMs,
          claimDeadlineMs: dueAtMs + 35_000,
          targetUrl: url,
          method: "POST",
          sealed,
          currentSecret: secret,
          formerSecret: null,
          plan: "indie",
          retryAttempts: null,
          retryBackoffMs: null,
          retryStrategy: null,
        },
        startedAtMs: monotonicNow(),
        claimMs: 0,
        failure: null,
      };
    },
  };
}
