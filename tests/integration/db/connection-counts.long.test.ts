// Guards: db/client*.ts, server/services*.ts, dispatcher/databases.ts, docs/own-database.md
import { readFile } from "node:fs/promises";
import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateApiKey } from "#domain/api-key.ts";
import { ENCRYPTION_KEYS } from "../../helpers/encryption-keys.ts";
import { inMs } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { startWebProcess, type WebProcess } from "../../helpers/web-process.ts";
import { startDeliveryHarness } from "../../helpers/with-dispatch-harness.ts";
import { type Api, FUTURE, startApi, TARGET } from "../api/api.ts";

const docs = await readFile(new URL("../../../docs/own-database.md", import.meta.url), "utf8");
const [, ofWeb, ofDispatcher] =
  /A web process has up to (\d+) connections to the database, a dispatcher up to (\d+)\./.exec(docs)?.map(Number) ?? [];

/** Counts the sessions of each pool whose name begins with `prefix`, and keeps the highest numbers. */
function watchSessions(sql: postgres.Sql, prefix: string) {
  const highest: Record<string, number> = {};
  let total = 0;
  return {
    highest,
    total: () => total,
    async look() {
      const rows = await sql<{ name: string; n: number }[]>`
        SELECT application_name AS name, count(*)::int AS n FROM pg_stat_activity
        WHERE datname = current_database() AND starts_with(application_name, ${prefix}) GROUP BY 1`;
      for (const { name, n } of rows) highest[name] = Math.max(highest[name] ?? 0, n);
      total = Math.max(
        total,
        rows.reduce((sum, { n }) => sum + n, 0),
      );
    },
  };
}

describe("a web process under load", () => {
  let api: Api;
  let web: WebProcess;

  beforeAll(async () => {
    api = await startApi();
    web = await startWebProcess({ DATABASE_URL: api.config.databaseUrl, ENCRYPTION_KEYS });
  });
  afterAll(async () => {
    await web?.stop();
    await api?.stop();
  });

  it("has as many database connections as the documentation says, for routes, pages and the HTTP guard together", async () => {
    const callers = await Promise.all(Array.from({ length: 3 }, () => api.account("indie")));
    const cookies = await Promise.all(callers.map(async ({ accountId }) => (await api.session(accountId)).cookie));
    // Its connections have the same names.
    await api.services.close();
    const get = (path: string, headers: Record<string, string>) => fetch(`${web.origin}${path}`, { headers });
    const create = ({ live }: (typeof callers)[0]) =>
      fetch(`${web.origin}/v1/schedules`, {
        method: "POST",
        headers: { authorization: `Bearer ${live}`, "content-type": "application/json" },
        body: JSON.stringify({ targetUrl: TARGET, fireAt: FUTURE }),
      });
    const reads = () => [
      ...callers.flatMap(({ live }) =>
        Array.from({ length: 3 }, () => get("/v1/schedules", { authorization: `Bearer ${live}` })),
      ),
      ...cookies.flatMap((cookie) => ["/schedules", "/logs", "/overview"].map((path) => get(path, { cookie }))),
    ];
    const writes = () => callers.flatMap((caller) => Array.from({ length: 6 }, () => create(caller)));
    const strangers = () => [
      ...Array.from({ length: 6 }, () => get("/v1/usage", { authorization: `Bearer ${generateApiKey("live")}` })),
      ...["/", "/status", "/docs", "/login"].map((path) => get(path, {})),
    ];
    const round = () => [...writes(), ...reads(), ...strangers()];
    await Promise.all(round());

    const sessions = watchSessions(api.sql, "stopwatch web");
    /** Makes the calls while nobody can read or write schedules. Returns whether `pool` had `size` connections meanwhile. */
    const callWhileLocked = async (calls: () => Promise<Response>[], pool: string, size: number) => {
      const { promise: isFull, resolve: full } = Promise.withResolvers<void>();
      const { promise: isLocked, resolve: begun } = Promise.withResolvers<void>();
      const locked = api.sql.begin(async (tx) => {
        await tx`LOCK TABLE schedules IN ACCESS EXCLUSIVE MODE`;
        begun();
        await isFull;
      });
      await isLocked;
      const answers = Promise.all(calls());
      const hasFilled = () => (sessions.highest[pool] ?? 0) >= size;
      // The web process gives up what waits for the lock for three seconds.
      const endsAtMs = performance.now() + 2_500;
      const look = () => sessions.look().then(() => hasFilled() || performance.now() > endsAtMs);
      await waitFor(`${pool} is full`, look).finally(full);
      await Promise.all([locked, answers]);
      return hasFilled();
    };
    await waitFor("all is read at once", () => callWhileLocked(reads, "stopwatch web reads", 6));
    await waitFor("all is written at once", () => callWhileLocked(writes, "stopwatch web", 10));
    for (let n = 0; n < 3; n++) {
      await Promise.all(round());
      await sessions.look();
    }
    expect(sessions.highest).toEqual({
      "stopwatch web": 10,
      "stopwatch web reads": 6,
      "stopwatch web anonymous": 2,
      "stopwatch web counts": 1,
    });
    expect(sessions.total()).toBe(ofWeb);
  });
});

describe("a dispatcher under load", () => {
  it.each([
    { claims: 2, records: 2, reads: 3, most: Number(ofDispatcher) },
    { claims: 1, records: 3, reads: 1, most: Number(ofDispatcher) - 2 },
  ])(
    "with $claims for claims, $records for records and $reads for reads has $most database connections at most, and delivers",
    async ({ most, ...sizes }) => {
      const settings = {
        DISPATCHER_DATABASE_CONNECTIONS_CLAIMS: String(sizes.claims),
        DISPATCHER_DATABASE_CONNECTIONS_RECORDS: String(sizes.records),
        DISPATCHER_DATABASE_CONNECTIONS_READS: String(sizes.reads),
      };
      await using made = await startDeliveryHarness({ settings, hasDispatcher: true });
      const { harness, receiver } = made;
      const account = await harness.account({ settings: { cps_limit: 10_000 } });
      const sessions = watchSessions(harness.sql, "stopwatch-");
      const ids = await Promise.all(
        Array.from({ length: 1_500 }, (_, n) => harness.schedule(account, `${receiver.origin}/`, inMs(1_500 + n))),
      );
      const isDone = async () => {
        await sessions.look();
        const [row] = await harness.sql`
        SELECT count(*)::int AS n FROM schedules WHERE id = ANY (${ids}) AND status = 'succeeded'`;
        return row?.n === ids.length;
      };
      await waitFor("all are delivered", isDone, 30_000);
      expect(sessions.total()).toBeLessThanOrEqual(most);
      const { "stopwatch-claim": claims, "stopwatch-record": records = 0, "stopwatch-read": reads } = sessions.highest;
      expect(reads).toBe(sizes.reads);
      // The last one is for what finds the others busy.
      expect([sizes.claims, sizes.claims + 1]).toContain(claims);
      expect(records).toBeLessThanOrEqual(sizes.records);
    },
  );
});
