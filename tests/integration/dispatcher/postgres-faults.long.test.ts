// Guards: dispatcher/**, db/client*.ts, db/listen*.ts
// Final: its verdict is about what was sent, and how often.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type DatabaseProxy, type ProxyMode, startProxy } from "#scripts/lab/proxy.ts";
import type { Receiver } from "#scripts/lab/receiver.ts";
import { expectDeliveredOnce } from "#tests/helpers/delivered-once.ts";
import type { DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { expectOnTime } from "../../helpers/on-time.ts";
import { countStalls } from "../../helpers/stalls.ts";
import { inMs, pause } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { startWatchedDispatcher } from "../../helpers/watched-dispatcher.ts";
import { withDispatchHarness } from "../../helpers/with-dispatch-harness.ts";

/** The connections of one dispatcher to the database, as dispatcher/databases.ts adds them up, and the listener's. */
const CONNECTIONS_MAX = 15;
const RESUMES_WITHIN_MS = 15_000;
const LOCKED_MS = 9_000;
/**
 * A heartbeat is sent every two seconds. One that waits for a read waits for the three seconds that a read may take.
 */
const HEARTBEAT_WITHIN_MS = 4_000;

let receiver: Receiver;
let harness: DispatchHarness;
let proxy: DatabaseProxy;
let proxied: string;
let running: ReturnType<typeof startWatchedDispatcher>[] = [];
let account: Awaited<ReturnType<DispatchHarness["account"]>>;

withDispatchHarness({}, (made) => {
  ({ receiver, harness } = made);
});
beforeAll(async () => {
  const url = new URL(harness.databaseUrl);
  proxy = await startProxy(Number(url.port));
  url.port = String(proxy.port);
  proxied = url.href;
});
afterAll(async () => {
  await proxy.close();
});
beforeEach(async () => {
  proxy.set("pass");
  account = await harness.account();
});

afterEach(async () => {
  proxy.set("pass");
  await Promise.all(running.map(({ stop }) => stop()));
  running = [];
});

/** Far longer than a delivery takes, far shorter than the delay by a lost notification, a held lock or a takeover. */
const LATE_MAX_MS = 2_000;
/** Stores `n` schedules that fall due evenly over `overMs` from `fromMs` on. */
const spread = (n: number, fromMs: number, overMs: number) =>
  Promise.all(
    Array.from({ length: n }, (_, nth) =>
      harness.schedule(account, `${receiver.origin}/`, inMs(fromMs + (overMs * nth) / n)),
    ),
  );

function startUnwaited() {
  const watched = startWatchedDispatcher(harness, proxied);
  running.push(watched);
  return watched;
}

async function startWatched() {
  const watched = startUnwaited();
  const dispatcher = await watched.started;
  await waitFor("it owns every shard", () => dispatcher.figures().owned === 64, 30_000);
  return { ...watched, dispatcher };
}

const expectOnce = (ids: string[], withinMs: number) =>
  expectDeliveredOnce({ sql: harness.sql, receiver }, ids, withinMs);

describe("a dispatcher that is cut off from the database for some seconds", () => {
  it.each<ProxyMode>(["black hole", "drop replies", "reset", "accept and close"])(
    "(%s) resumes by itself, sends everything once, and logs at most a line a second",
    async (mode) => {
      const { dispatcher, loggedPerSecond } = await startWatched();
      receiver.respond((_request, response) => setTimeout(() => response.end("ok"), 600));
      const ids = await spread(40, 1_500, 8_000);
      await waitFor("it is at work", () => receiver.requests.length >= 4);
      proxy.set(mode);
      await pause(5_000);
      proxy.set("pass");
      await expectOnce(ids, RESUMES_WITHIN_MS + 5_000);
      expect(loggedPerSecond()).toBeLessThanOrEqual(1);
      await waitFor("it holds nothing any more", () => {
        const { planned, underWay, unrecorded, owned } = dispatcher.figures();
        return planned + underWay + unrecorded === 0 && owned === 64;
      });
      expect(proxy.connections()).toBeLessThanOrEqual(CONNECTIONS_MAX);
      const onTime = await spread(5, 2_500, 500);
      receiver.requests.length = 0;
      await expectOnce(onTime, 10_000);
    },
  );

  it.each<ProxyMode>(["black hole", "drop replies"])(
    "(%s) on half of its connections sends everything once",
    async (mode) => {
      await startWatched();
      const ids = await spread(40, 1_500, 8_000);
      await waitFor("it is at work", () => receiver.requests.length >= 4);
      proxy.set(mode, (nth) => nth % 2 === 0);
      proxy.set("pass");
      await expectOnce(ids, RESUMES_WITHIN_MS + 8_000);
    },
  );
});

describe("a database that is away when a dispatcher starts", () => {
  it.each<ProxyMode>(["black hole", "accept and close"])(
    "(%s) is waited for, with at most a log line a second",
    async (mode) => {
      const ids = await spread(10, 1_000, 3_000);
      proxy.set(mode);
      const watched = startUnwaited();
      await waitFor("it says so", () => watched.logged() > 0);
      await pause(3_000);
      proxy.set("pass");
      await expectOnce(ids, RESUMES_WITHIN_MS);
      expect(watched.loggedPerSecond()).toBeLessThanOrEqual(1);
    },
  );
});

describe("database sessions", () => {
  it("that are ended ten times a second cause no loss and no repetition", async () => {
    const { loggedPerSecond } = await startWatched();
    const ids = await spread(50, 300, 4_000);
    for (let n = 0; n < 40; n++) {
      await harness.sql`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name LIKE 'stopwatch-%' ORDER BY random() LIMIT 1`;
      await pause(100);
    }
    await expectOnce(ids, RESUMES_WITHIN_MS + 5_000);
    expect(loggedPerSecond()).toBeLessThanOrEqual(1);
  });

  it("that are read-only count as an unavailable database", async () => {
    const { loggedPerSecond } = await startWatched();
    const ids = await spread(40, 500, 7_000);
    const [row] = await harness.sql`SELECT current_database() AS name`;
    const name = harness.sql(row?.name as string);
    const endSessions = () => harness.sql`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name LIKE 'stopwatch-%'`;
    await waitFor("it is at work", () => receiver.requests.length >= 4);
    await harness.sql`ALTER DATABASE ${name} SET default_transaction_read_only = on`;
    try {
      await endSessions();
      await pause(4_000);
    } finally {
      await harness.sql.begin("read write", (tx) => tx`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    }
    // The sessions end, as those of a server after failover do.
    await endSessions();
    await expectOnce(ids, RESUMES_WITHIN_MS + 5_000);
    expect(loggedPerSecond()).toBeLessThanOrEqual(1);
  });

  it("of a dispatcher are never inside a transaction while a request is in flight", async () => {
    await startWatched();
    receiver.respond((_request, response) => setTimeout(() => response.end("ok"), 1_500));
    const ids = await spread(10, 300, 100);
    await waitFor("they are on the wire", () => receiver.requests.length === 10);
    const open = async () => {
      const rows = await harness.sql`
        SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND application_name LIKE 'stopwatch-%' AND xact_start < now() - interval '0.5 s'`;
      return rows.length;
    };
    for (let n = 0; n < 10; n++) {
      expect(await open()).toBe(0);
      await pause(100);
    }
    await expectOnce(ids, 10_000);
  });
});

describe("the LISTEN connection", () => {
  const endListener = () => harness.sql`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'stopwatch-listen'`;
  const latenessOf = async (id: string) => {
    await waitFor("it is recorded", async () => (await harness.read(id)).status === "succeeded");
    return Number((await harness.read(id)).offset_ms);
  };

  it("may be lost: schedules created meanwhile and due in two seconds are on time", async () => {
    await startWatched();
    for (let n = 0; n < 3; n++) {
      await endListener();
      const id = await harness.schedule(account, `${receiver.origin}/`, inMs(2_000));
      expectOnTime(await latenessOf(id), LATE_MAX_MS);
    }
  });
});

describe("locks held by another session", () => {
  it("on due rows delay these schedules alone, and count as no failed delivery", async () => {
    const locked = await spread(10, 3_000, 200);
    const free = await spread(10, 3_000, 200);
    const session = await harness.sql.reserve();
    await session`BEGIN`;
    await session`SELECT FROM schedules WHERE id = ANY (${locked}) FOR UPDATE`;
    await startWatched();
    await expectOnce(free, 10_000);
    const rows = await harness.sql`SELECT offset_ms::int FROM schedules WHERE id = ANY (${free})`;
    for (const row of rows) expectOnTime(row.offset_ms, LATE_MAX_MS);
    await session`COMMIT`;
    session.release();
    await waitFor("the locked ones follow", () => receiver.requests.length === 20, 5_000);
    await expectOnce([...free, ...locked], 5_000);
  });

  it("on the attempts delay the records and not the deliveries", async () => {
    const { loggedPerSecond } = await startWatched();
    const session = await harness.sql.reserve();
    await session`BEGIN`;
    await session`LOCK TABLE attempts IN ACCESS EXCLUSIVE MODE`;
    const ids = await spread(40, 1_000, 6_000);
    await waitFor("all are sent", () => receiver.requests.length === 40, 10_000);
    const [row] =
      await harness.sql`SELECT count(*)::int AS n FROM schedules WHERE account_id = ${account.id} AND status = 'firing'`;
    expect(row?.n).toBe(40);
    await session`COMMIT`;
    session.release();
    await expectOnce(ids, RESUMES_WITHIN_MS);
    const late =
      await harness.sql`SELECT FROM schedules WHERE account_id = ${account.id} AND offset_ms > ${LATE_MAX_MS}`;
    expect(late).toHaveLength(0);
    expect(loggedPerSecond()).toBeLessThanOrEqual(1);
  });

  it("on all schedules delay no heartbeat and no renewal of a lease, however many reads wait for them", async () => {
    const { dispatcher } = await startWatched();
    const ids = await spread(20, 1_000, 3_000);
    const session = await harness.sql.reserve();
    await session`BEGIN`;
    await session`LOCK TABLE schedules IN ACCESS EXCLUSIVE MODE`;
    const owned = new Set<number>();
    let oldestMs = 0;
    const stalled = countStalls();
    const endsAtMs = performance.now() + LOCKED_MS;
    await waitFor(
      "the lock was held for long",
      async () => {
        // So that there is always something to read at once.
        await harness.sql`SELECT pg_notify('stopwatch_due', shard || ':' || ${ids[0] as string}) FROM accounts`;
        const [row] = await harness.sql`
          SELECT extract(epoch FROM clock_timestamp() - beat_at)::float8 * 1000 AS ms FROM heartbeats WHERE dispatcher_id = ${dispatcher.id}`;
        oldestMs = Math.max(oldestMs, row?.ms);
        owned.add(dispatcher.figures().owned);
        return performance.now() > endsAtMs;
      },
      LOCKED_MS + 10_000,
    );
    const stalledMs = stalled();
    await session`COMMIT`;
    session.release();
    expect([...owned]).toEqual([64]);
    expectOnTime(oldestMs, HEARTBEAT_WITHIN_MS, stalledMs);
    await expectOnce(ids, RESUMES_WITHIN_MS);
  });

  it("on all schedules for longer than the statement timeout delay deliveries, and do nothing worse", async () => {
    const { loggedPerSecond } = await startWatched();
    const ids = await spread(40, 1_000, 6_000);
    const session = await harness.sql.reserve();
    await session`BEGIN`;
    await session`LOCK TABLE schedules IN ACCESS EXCLUSIVE MODE`;
    await pause(7_000);
    await session`COMMIT`;
    session.release();
    await expectOnce(ids, RESUMES_WITHIN_MS);
    expect(loggedPerSecond()).toBeLessThanOrEqual(1);
  });
});
