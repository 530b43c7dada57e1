import { randomBytes } from "node:crypto";
import { env } from "node:process";
import { migrate } from "../../db/migrate.ts";
import { connectOrm } from "../../db/orm.ts";
import { createApiKey } from "../../db/queries/accounts/api-keys.ts";
import { createOrFindAccount } from "../../db/queries/accounts/create.ts";
import { parseKeyRing } from "../../domain/cipher.ts";
import { parsePlans } from "../../domain/plans.ts";
import { buildWhenNeeded } from "../../scripts/stack/build.ts";
import { type Caller, drive } from "./load.ts";
import { median } from "./measure.ts";
import { buildApp, EMPTY_APP, PRODUCT, startWebProcess, type WebProcess } from "./web-process.ts";

/** The figures of one round. CPU is that of the web process alone, µs. */
export type WriteRound = {
  emptyCpuUs: number;
  createCpuUs: number;
  createsPerSecond: number;
  bulkCpuUsPerSchedule: number;
  bulkSchedulesPerSecond: number;
  /** Median memory of the web process in the first and in the last third of the bulk calls, MB. */
  rssEarlyMb: number;
  rssLateMb: number;
};

const CREATE_CALLERS = 32;
const BULK_CALLERS = 4;
const BULK_ITEMS = 500;
const PAYLOAD_BYTES = 1_024;
const WARM_UP_SECONDS = 5;
const SLICE_MS = 1_000;
const SAMPLE_MS = 100;
const FIRE_AT = "2031-01-01T00:00:00.000Z";
const LIMITS = parsePlans(undefined).indie;
const PLANS = JSON.stringify({ indie: { monthlyQuota: 100_000_000, requestsPerMinute: 1_000_000 } });

/**
 * Measures what creating costs over HTTP, with the web process as `npm run web` starts it: single creates in turns with
 * an empty route handler of the same Next.js, then bulk calls. `createDatabase` creates an empty database.
 */
export async function measureWrites(
  { createDatabase }: { createDatabase(): Promise<{ url: string; drop(): Promise<void> }> },
  { rounds, seconds }: { rounds: number; seconds: number },
  onRound: (round: WriteRound) => void,
): Promise<WriteRound[]> {
  await buildWhenNeeded({ onLog: (line) => console.log(line) });
  await buildApp(EMPTY_APP);
  const database = await createDatabase();
  const keys = `bench:${randomBytes(32).toString("base64")}`;
  const webs: WebProcess[] = [];
  try {
    await migrate(database.url);
    const apiKeys = await createKeys(database.url, keys, CREATE_CALLERS);
    const empty = await startWebProcess(EMPTY_APP, env);
    webs.push(empty);
    const product = await startWebProcess(PRODUCT, {
      ...env,
      DATABASE_URL: database.url,
      ENCRYPTION_KEYS: keys,
      PLANS,
    });
    webs.push(product);

    const creates = apiKeys.map((key) => ({ key, body: JSON.stringify(item()) }));
    const bulks = apiKeys.slice(0, BULK_CALLERS).map((key) => ({
      key,
      body: JSON.stringify({ schedules: Array.from({ length: BULK_ITEMS }, item) }),
    }));
    const round = async (ofSeconds: number): Promise<WriteRound> => {
      const none = begin(empty);
      const one = begin(product);
      // In turns of a second each, so that other load of the machine disturbs both alike.
      for (let second = 0; second < ofSeconds; second++) {
        await none.drive({ path: "/", callers: creates, status: 201, durationMs: SLICE_MS });
        await one.drive({ path: "/v1/schedules", callers: creates, status: 201, durationMs: SLICE_MS });
      }
      const many = begin(product);
      await many.drive({ path: "/v1/schedules/bulk", callers: bulks, status: 200, durationMs: ofSeconds * 1_000 });
      return {
        emptyCpuUs: none.cpuUs(),
        createCpuUs: one.cpuUs(),
        createsPerSecond: one.perSecond(),
        bulkCpuUsPerSchedule: many.cpuUs() / BULK_ITEMS,
        bulkSchedulesPerSecond: many.perSecond() * BULK_ITEMS,
        ...many.memory(),
      };
    };

    await round(WARM_UP_SECONDS);
    const measured: WriteRound[] = [];
    for (let n = 0; n < rounds; n++) {
      const found = await round(seconds);
      measured.push(found);
      onRound(found);
    }
    return measured;
  } finally {
    await Promise.all(webs.map((web) => web.stop()));
    await database.drop();
  }
}

/** Adds up what calls of one web process cost it. */
function begin(web: WebProcess) {
  const rss: number[] = [];
  let calls = 0;
  let ms = 0;
  let cpuMs = 0;
  return {
    async drive(load: { path: string; callers: readonly Caller[]; status: number; durationMs: number }) {
      const sampler = setInterval(() => rss.push(web.rssMb()), SAMPLE_MS);
      const cpuBeforeMs = web.cpuMs();
      try {
        const driven = await Promise.race([drive({ origin: web.origin, ...load }), web.lost]);
        calls += driven.answered;
        ms += driven.ms;
        cpuMs += web.cpuMs() - cpuBeforeMs;
      } finally {
        clearInterval(sampler);
      }
    },
    cpuUs: () => (cpuMs * 1_000) / calls,
    perSecond: () => calls / (ms / 1_000),
    memory() {
      const third = Math.ceil(rss.length / 3);
      return { rssEarlyMb: median(rss.slice(0, third)) ?? 0, rssLateMb: median(rss.slice(-third)) ?? 0 };
    },
  };
}

/** One round on one line. */
export function writeLine(round: WriteRound): string {
  const { emptyCpuUs, createCpuUs, createsPerSecond, bulkCpuUsPerSchedule, bulkSchedulesPerSecond } = round;
  const ratio = (createCpuUs / emptyCpuUs).toFixed(2);
  return [
    `create: ${createCpuUs.toFixed(0)} µs CPU, ${ratio} of an empty handler's ${emptyCpuUs.toFixed(0)}, ${createsPerSecond.toFixed(0)}/s`,
    `bulk: ${bulkSchedulesPerSecond.toFixed(0)}/s, ${bulkCpuUsPerSchedule.toFixed(0)} µs CPU each, ${round.rssEarlyMb.toFixed(0)} to ${round.rssLateMb.toFixed(0)} MB`,
  ].join("; ");
}

const item = () => ({
  targetUrl: "https://hooks.example.com/v1/events?source=bench",
  fireAt: FIRE_AT,
  payload: randomBytes(PAYLOAD_BYTES / 2).toString("hex"),
  headers: { "Content-Type": "application/json" },
});

async function createKeys(url: string, keys: string, count: number): Promise<string[]> {
  const connection = connectOrm({ url, name: "stopwatch bench", connectionsMax: 1 });
  try {
    return await connection.run(30_000, async ({ db }) => {
      const made: string[] = [];
      for (let n = 0; n < count; n++) {
        const account = { email: `writes${n}@example.com`, plan: "indie" as const, keyRing: parseKeyRing(keys) };
        const { id } = await createOrFindAccount(db, { ...account, nowMs: Date.now() });
        made.push((await createApiKey(db, { accountId: id, env: "live", name: "bench" }, LIMITS)).key);
      }
      return made;
    });
  } finally {
    await connection.close();
  }
}
