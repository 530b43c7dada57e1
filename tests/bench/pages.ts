import { randomBytes } from "node:crypto";
import { env } from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import { migrate } from "../../db/migrate.ts";
import { connectOrm } from "../../db/orm.ts";
import { createApiKey } from "../../db/queries/accounts/api-keys.ts";
import { createOrFindAccount } from "../../db/queries/accounts/create.ts";
import { secretAad } from "../../domain/associated-data.ts";
import { type KeyRing, parseKeyRing, seal } from "../../domain/cipher.ts";
import { encodeId } from "../../domain/ids.ts";
import { parsePlans } from "../../domain/plans.ts";
import { generateSigningSecret } from "../../domain/signing.ts";
import { buildWhenNeeded } from "../../scripts/stack/build.ts";
import { type PageToOpen, pagesToOpen } from "../pages/routes.ts";
import { createSession, type SeededAccount } from "../pages/seed.ts";
import { percentile } from "./measure.ts";
import { BIG_ACCOUNT, OLD_MARK, seedReads, THIN_MARK } from "./reads-seed.ts";
import { PRODUCT, startWebProcess } from "./web-process.ts";

export type PageFigures = { page: string; path: string; p50Ms: number; p95Ms: number; maxMs: number; kib: number };
/** The creates of another account, while nothing else runs and beside the pages. */
export type CreateFigures = { aloneP95Ms: number; besideP95Ms: number; creates: number };
export type PagesMeasured = { schedules: number; attempts: number; pages: PageFigures[]; creates: CreateFigures };

/** The maximum p95 of a page, ms. */
export const PAGE_P95_MAX_MS = 200;

/** Lists by what their filter matches: all rows, every third, one in 99, the oldest tenth, or one outcome of many. */
const FILTERED: readonly PageToOpen[] = [
  "/logs?code=5xx",
  "/logs?q=api.tenant0",
  "/logs?q=%2Forders%2F",
  `/logs?q=${THIN_MARK}`,
  "/logs?range=24h&outcome=failed",
  "/schedules?q=api.tenant0",
  "/schedules?q=%2Forders%2F",
  `/schedules?q=${OLD_MARK}`,
  "/schedules?status=succeeded",
].map((path) => ({ name: path.slice(1), route: path.replace(/\?.*/, ""), path, as: "owner" }));

const CALLS = 20;
const CREATE_EVERY_MS = 50;
const CREATES_ALONE = 100;
const FULL_SCHEDULES = 1_000_000;
const QUICK_SCHEDULES = 50_000;
const ADMIN = "pages-admin@example.com";
const LIMITS = parsePlans(undefined).indie;
const PLANS = JSON.stringify({ indie: { monthlyQuota: 100_000_000, requestsPerMinute: 1_000_000 } });

/**
 * Measures every page of tests/pages/pages.ts that exists, each with 20 calls one after the other, for an account with a
 * million schedules (50,000 when `quick`) and their attempts. Another account creates 20 schedules a second meanwhile.
 * `url` is an empty database. The time of a call is that from the request to the last byte of the HTML.
 */
export async function measurePages(
  url: string,
  { quick }: { quick: boolean },
  onPage: (figures: PageFigures) => void,
): Promise<PagesMeasured> {
  await buildWhenNeeded({ onLog: (line) => console.log(line) });
  await migrate(url);
  const keys = `bench:${randomBytes(32).toString("base64")}`;
  const sql = postgres(url, { max: 2, onnotice: () => {} });
  try {
    await seedReads(sql, { schedules: quick ? QUICK_SCHEDULES : FULL_SCHEDULES, accounts: 2, bigEvery: 1 });
    const accounts = await prepareAccounts(sql, url, keys);
    const [sizes] = await sql`
      SELECT (SELECT count(*)::int FROM schedules) AS schedules, (SELECT count(*)::int FROM attempts) AS attempts`;
    const web = await startWebProcess(PRODUCT, {
      ...env,
      DATABASE_URL: url,
      ENCRYPTION_KEYS: keys,
      PLANS,
      ADMIN_EMAILS: ADMIN,
      LOG_LEVEL: "error",
      TRUSTED_PROXIES: "127.0.0.1",
    });
    try {
      const creates = startCreates(web.origin, accounts.apiKey);
      await creates.until(CREATES_ALONE);
      const aloneP95Ms = percentileOf(creates.takeMs(), 0.95);
      const pages: PageFigures[] = [];
      for (const page of [...pagesToOpen(accounts), ...FILTERED]) {
        if (page.as === "newcomer" || page.name.endsWith("missing")) continue;
        const figures = await Promise.race([measurePage(web.origin, page, accounts), web.lost]);
        pages.push(figures);
        onPage(figures);
      }
      const besideMs = creates.takeMs();
      await creates.stop();
      const measured = { aloneP95Ms, besideP95Ms: percentileOf(besideMs, 0.95), creates: besideMs.length };
      return { schedules: sizes?.schedules, attempts: sizes?.attempts, pages, creates: measured };
    } finally {
      await web.stop();
    }
  } finally {
    await sql.end({ timeout: 2 });
  }
}

/** One page on one line. */
export function pageLine({ page, p50Ms, p95Ms, maxMs, kib }: PageFigures): string {
  const ms = (value: number) => value.toFixed(0).padStart(6);
  return `${page.padEnd(36)} p50${ms(p50Ms)} ms  p95${ms(p95Ms)} ms  max${ms(maxMs)} ms  ${kib.toFixed(0).padStart(5)} KiB`;
}

async function measurePage(
  origin: string,
  { name, path, as }: PageToOpen,
  accounts: Record<"owner" | "admin", SeededAccount>,
): Promise<PageFigures> {
  const cookie = as === "owner" || as === "admin" ? { cookie: `sw_session=${accounts[as].session}` } : undefined;
  const taken: number[] = [];
  let bytes = 0;
  // The first call compiles code and fills caches, and is not counted.
  for (let call = 0; call <= CALLS; call++) {
    const startedMs = performance.now();
    // From a network of its own, so that the gate lets all of them in.
    const headers = { ...cookie, "x-forwarded-for": `10.0.0.${call}` };
    const answer = await fetch(origin + path, { headers, redirect: "manual" });
    const html = await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
    if (call > 0) taken.push(performance.now() - startedMs);
    bytes = html.byteLength;
  }
  const of = (share: number) => percentileOf(taken, share);
  return { page: name, path, p50Ms: of(0.5), p95Ms: of(0.95), maxMs: of(1), kib: bytes / 1024 };
}

/** Creates a schedule each 50 ms for as long as it runs. Throws from `stop` when one was refused. */
function startCreates(origin: string, key: string) {
  let taken: number[] = [];
  let isOver = false;
  const fireAt = new Date(Date.now() + 86_400_000).toISOString();
  const create = async () => {
    const startedMs = performance.now();
    const answer = await fetch(`${origin}/v1/schedules`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ targetUrl: "https://example.com/beside", fireAt, payload: "beside the pages" }),
    });
    const text = await answer.text();
    if (answer.status !== 201) throw new Error(`a create answered ${answer.status}: ${text.slice(0, 300)}`);
    taken.push(performance.now() - startedMs);
  };
  const loop = async () => {
    while (!isOver) {
      const nextMs = performance.now() + CREATE_EVERY_MS;
      await create();
      await delay(Math.max(0, nextMs - performance.now()));
    }
  };
  const running = loop();
  running.catch(() => {});
  return {
    async until(count: number) {
      while (taken.length < count) await Promise.race([delay(CREATE_EVERY_MS), running]);
    },
    takeMs() {
      const all = taken;
      taken = [];
      return all;
    },
    stop() {
      isOver = true;
      return running;
    },
  };
}

async function prepareAccounts(sql: postgres.Sql, url: string, keys: string) {
  const keyRing = parseKeyRing(keys);
  await addSecrets(sql, keyRing);
  const connection = connectOrm({ url, name: "stopwatch bench", connectionsMax: 1 });
  try {
    const { apiKey, adminId, keyId } = await connection.run(30_000, async ({ db }) => {
      const account = { plan: "indie" as const, keyRing, nowMs: Date.now() };
      const other = await createOrFindAccount(db, { ...account, email: "beside@example.com" });
      const { key } = await createApiKey(db, { accountId: other.id, env: "live", name: "bench" }, LIMITS);
      const own = await createApiKey(db, { accountId: BIG_ACCOUNT, env: "live", name: "production server" }, LIMITS);
      return { apiKey: key, adminId: (await createOrFindAccount(db, { ...account, email: ADMIN })).id, keyId: own.id };
    });
    await sql`UPDATE accounts SET email_verified_at = now() WHERE id = ${adminId}`;
    const owner = {
      id: BIG_ACCOUNT,
      session: await createSession(sql, BIG_ACCOUNT),
      schedules: await oneOfEach(sql),
      keyId: encodeId("key", keyId),
    };
    const admin = { id: adminId, session: await createSession(sql, adminId), schedules: {}, keyId: "" };
    return { owner, admin, apiKey };
  } finally {
    await connection.close();
  }
}

/** The seeded account has no signing secrets, which every account of the service has. */
async function addSecrets(sql: postgres.Sql, keyRing: KeyRing): Promise<void> {
  for (const environment of ["live", "test"] as const) {
    const sealed = () => seal(keyRing, Buffer.from(generateSigningSecret()), secretAad(BIG_ACCOUNT, environment));
    const row = { account_id: BIG_ACCOUNT, env: environment, current: sealed(), next: sealed() };
    await sql`INSERT INTO signing_secrets ${sql(row)}`;
  }
}

/** The id of a schedule in each status. */
async function oneOfEach(sql: postgres.Sql): Promise<Record<string, string>> {
  const statuses = ["scheduled", "failed", "succeeded", "dead", "cancelled"];
  const rows = await Promise.all(
    statuses.map((status) => sql`SELECT status, id FROM schedules WHERE status = ${status} LIMIT 1`),
  );
  return Object.fromEntries(rows.flat().map(({ status, id }) => [status, encodeId("sch", id)]));
}

function percentileOf(values: readonly number[], share: number): number {
  return (
    percentile(
      [...values].sort((a, b) => a - b),
      share,
    ) ?? 0
  );
}
