// Needs: pgbouncer

import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { DatabaseUnavailable } from "#db/client.ts";
import { endExchanges } from "#db/queries/listen/end-exchanges.ts";
import { openListener } from "#db/queries/listen/open-listener.ts";
import { decodeId, encodeId } from "#domain/ids.ts";
import type { ListenerScope } from "#domain/listeners.ts";
import { ListenStream, type StreamTimes } from "#server/listen/listen-stream.ts";
import { haveStreamsRoom, openStreams } from "#server/listen/open-streams.ts";
import { wakeUps } from "#server/listen/wake-ups.ts";
import { startServices } from "#server/services.ts";
import { EventReader, writeExchange } from "../../helpers/listen.ts";
import { PGBOUNCER, startPgBouncer } from "../../helpers/pgbouncer.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { waitingForLock } from "../../helpers/waiting-for-lock.ts";
import { type Api, FUTURE, startApi, type TestCaller, testConfig } from "./api.ts";

let api: Api;
let caller: TestCaller;
let keyId: string;
const streams: ListenStream[] = [];

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());
beforeEach(async () => {
  caller = await api.account();
  const [row] = await api.sql`SELECT id FROM api_keys WHERE account_id = ${caller.accountId} AND env = 'test'`;
  keyId = row?.id;
});
afterEach(() => {
  for (const stream of streams.splice(0)) stream.end("age");
});

const NEVER_MS = 1_000_000;
const SLOW: StreamTimes = { ageMs: NEVER_MS, checkMs: NEVER_MS, commentMs: NEVER_MS, lookMs: NEVER_MS };

type StreamDeps = ConstructorParameters<typeof ListenStream>[0];
type Run = StreamDeps["run"];
type OnWaiting = StreamDeps["onWaiting"];

const runOn =
  (services: Pick<Api["services"], "database">): Run =>
  (work) =>
    services.database.run(5_000, ({ db }) => work(db));

async function open(
  times: Partial<StreamTimes> = {},
  more: { scope?: ListenerScope; resume?: string; run?: Run; onWaiting?: OnWaiting } = {},
) {
  const { scope = "reserved", resume = null, run = runOn(api.services) } = more;
  const { onWaiting = (id, wake) => wakeUps().add(id, wake) } = more;
  const { accountId } = caller;
  const listener = await runOn(api.services)((db) => openListener(db, { accountId, keyId, scope, paths: [] }, resume));
  const stream = new ListenStream({
    listener,
    keyId,
    scope,
    run,
    log: api.services.log,
    keyRing: api.config.keyRing,
    signal: new AbortController().signal,
    onEnd: () => {},
    times: { ...SLOW, ...times },
    onWaiting,
  });
  streams.push(stream);
  const reader = new EventReader(stream.readable);
  await reader.expect("ready");
  return { stream, reader, listener };
}

async function write(body = Buffer.from("{}")) {
  const schedule = await api.create(caller.test, { targetUrl: "https://listen.invalid/hooks/a", fireAt: FUTURE });
  const uuid = decodeId("sch", schedule) ?? "";
  return writeExchange(api.sql, api.config.keyRing, { accountId: caller.accountId, schedule: uuid, body });
}

const leaseLeftMs = async (id: string) => {
  const [row] = await api.sql`
    SELECT extract(epoch FROM lease_until - clock_timestamp())::float8 * 1000 AS ms FROM listeners WHERE id = ${id}`;
  return row?.ms as number;
};

it("a stream that is old says goodbye, and leaves the lease for the client that comes back", async () => {
  const { reader, listener } = await open({ ageMs: 50 });
  expect(await reader.expect("goodbye")).toEqual({ reason: "age", retry_ms: 0 });
  expect(await reader.next()).toBeNull();
  expect(await leaseLeftMs(listener.id)).toBeGreaterThan(15_000);
});

it("a stream whose reader goes away leaves its lease for five more seconds", async () => {
  const { reader, listener } = await open();
  await reader.cancel();
  await waitFor("the lease is shortened", async () => (await leaseLeftMs(listener.id)) < 5_001);
  expect(await leaseLeftMs(listener.id)).toBeGreaterThan(3_000);
});

it("a stream renews its lease with each check, for as long as it is the one that holds the listener", async () => {
  const { reader, listener } = await open({ checkMs: 30 });
  await api.sql`UPDATE listeners SET lease_until = clock_timestamp() + interval '5 seconds' WHERE id = ${listener.id}`;
  await waitFor("the lease is renewed", async () => (await leaseLeftMs(listener.id)) > 20_000);
  await open({}, { resume: listener.id });
  expect(await reader.expect("goodbye")).toMatchObject({ reason: "replaced" });
});

it.each<[string, (of: { accountId: string; keyId: string }) => Promise<unknown>, string]>([
  [
    "whose key is revoked",
    ({ keyId: id }) => api.sql`UPDATE api_keys SET revoked_at = now() WHERE id = ${id}`,
    "revoked",
  ],
  [
    "whose account is deactivated",
    ({ accountId }) => api.sql`UPDATE accounts SET status = 'deactivated' WHERE id = ${accountId}`,
    "revoked",
  ],
  [
    "of all deliveries whose account closes them",
    async ({ accountId }) => {
      const session = await api.session(accountId);
      await api.call("PATCH", "/v1/me/relay-settings", session, { testDeliveriesToListeners: false });
    },
    "restart",
  ],
  [
    "of all deliveries after seven days",
    ({ accountId }) => api.sql`UPDATE relay_settings SET test_deliveries_until = now() WHERE account_id = ${accountId}`,
    "restart",
  ],
  [
    "whose listener the server has lost",
    ({ accountId }) => api.sql`DELETE FROM listeners WHERE account_id = ${accountId}`,
    "restart",
  ],
])("a stream %s ends", async (title, act, reason) => {
  const session = await api.session(caller.accountId);
  await api.call("PATCH", "/v1/me/relay-settings", session, { testDeliveriesToListeners: true });
  const { reader, listener } = await open({ checkMs: 30 }, { scope: "all" });
  await act({ accountId: caller.accountId, keyId });
  expect(await reader.expect("goodbye")).toMatchObject({ reason });
  const isForbidden = !title.includes("lost");
  if (isForbidden) await waitFor("its lease has ended", async () => (await leaseLeftMs(listener.id)) <= 0);
});

it.each<[string, () => Promise<unknown>, string]>([
  ["its key is revoked", () => api.sql`UPDATE api_keys SET revoked_at = now() WHERE id = ${keyId}`, "revoked"],
  [
    "its account closes test deliveries",
    () => api.sql`UPDATE relay_settings SET test_deliveries_until = NULL WHERE account_id = ${caller.accountId}`,
    "restart",
  ],
])("a stream gets no delivery once %s, and ends with the first one that it would have got", async (_, act, reason) => {
  await api.sql`
    INSERT INTO relay_settings (account_id, test_deliveries_until) VALUES (${caller.accountId}, now() + interval '1 day')`;
  let wake = () => {};
  const onWaiting: OnWaiting = (_, wakes) => {
    wake = wakes;
    return () => {};
  };
  const { reader } = await open({}, { scope: "all", onWaiting });
  const first = await write();
  wake();
  expect((await reader.expect("delivery")).id).toBe(first.publicId);
  const create = { targetUrl: "https://listen.invalid/hooks/a", fireAt: FUTURE };
  const schedule = decodeId("sch", await api.create(caller.test, create)) ?? "";
  // The stream is taking meanwhile. A dispatcher may still write to a listener with a lease.
  await api.sql.begin(async (tx) => {
    await tx`LOCK TABLE listen_exchanges`;
    wake();
    await waitFor("the stream is taking", async () => (await waitingForLock(api.sql, "listen_exchanges")) > 0);
    await act();
    await writeExchange(tx, api.config.keyRing, { accountId: caller.accountId, schedule });
  });
  expect(await reader.expect("goodbye")).toMatchObject({ reason });
});

it("a stream whose lease could not be renewed in time shows no sign of life any more, and ends", async () => {
  let isAway = false;
  const run: Run = (work) => (isAway ? Promise.reject(new DatabaseUnavailable("away")) : runOn(api.services)(work));
  const { reader } = await open({ checkMs: 20, commentMs: 20 }, { run });
  const goodbye = reader.expect("goodbye");
  await waitFor("comments", () => reader.comments.length > 1);
  isAway = true;
  const nowMs = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => nowMs + 25_100);
  try {
    expect(await goodbye).toMatchObject({ reason: "restart" });
  } finally {
    clock.mockRestore();
  }
});

it("a stream says which of its deliveries are over, and nothing of those that were answered", async () => {
  const { reader, listener } = await open({ lookMs: 20 });
  const [answered, ended, late] = [await write(), await write(), await write()];
  for (let n = 0; n < 3; n++) await reader.expect("delivery");
  const said = { listener: encodeId("lsn", listener.id), status: 200, latency_ms: 1 };
  await api.call("POST", `/v1/listen/${answered.publicId}/answer`, caller.test, said);
  await endExchanges(api.sql as never, [ended.id]);
  expect(await reader.next()).toEqual({ event: "over", data: { id: ended.publicId } });
  await api.sql`UPDATE listen_exchanges SET deadline = clock_timestamp() WHERE id = ${late.id}`;
  expect(await reader.next()).toEqual({ event: "over", data: { id: late.publicId } });
});

it("a slow reader holds one hand-over, however many deliveries wait, and gets all of them when it reads", async () => {
  const { stream, reader } = await open();
  const body = Buffer.alloc(256 * 1024, "\u{1F600}");
  const written = [];
  for (let n = 0; n < 20; n++) written.push(await write(body));
  const inState = async (state: string) => {
    const [row] = await api.sql`
      SELECT count(*)::int AS n FROM listen_exchanges WHERE account_id = ${caller.accountId} AND state = ${state}`;
    return row?.n as number;
  };
  await waitFor("a hand-over", async () => (await inState("handed")) > 0);
  expect(stream.heldBytes).toBeLessThan(8 * 360_000);
  expect((await inState("handed")) + (await inState("waiting"))).toBe(20);
  expect(await inState("waiting")).toBeGreaterThanOrEqual(12);
  for (const { publicId } of written) {
    const got = await reader.expect("delivery");
    expect([got.id, Buffer.from(got.body, "base64").equals(body)]).toEqual([publicId, true]);
    expect(stream.heldBytes).toBeLessThan(8 * 360_000);
  }
});

it("a reader that is behind gets no comments, which would grow memory", async () => {
  const { stream } = await open({ commentMs: 5 });
  await write();
  await waitFor("it is behind", () => stream.heldBytes > 0);
  const heldBytes = stream.heldBytes;
  let ticks = 0;
  const timer = setInterval(() => ticks++, 5);
  await waitFor("some comments are due", () => ticks > 20);
  clearInterval(timer);
  expect(stream.heldBytes).toBe(heldBytes);
});

it("nothing is handed over while all streams together hold their most, and then it is", async () => {
  const { reader } = await open();
  const full = { end: () => {}, heldBytes: 64 * 1024 * 1024 };
  openStreams().add(full);
  expect(haveStreamsRoom()).toBe(false);
  const { id, publicId } = await write();
  const [row] = await api.sql`SELECT state FROM listen_exchanges WHERE id = ${id}`;
  openStreams().delete(full);
  expect(row?.state).toBe("waiting");
  expect((await reader.expect("delivery")).id).toBe(publicId);
});

const listening = async () =>
  (
    await api.sql`SELECT pid FROM pg_stat_activity WHERE application_name = 'stopwatch web listen' AND datname = current_database()`
  ).map(({ pid }) => pid as number);

it("all streams share one session that listens, which is opened with the first one and closed with the last one", async () => {
  await waitFor("nobody listens", async () => (await listening()).length === 0);
  const opened = await Promise.all([open(), open(), open()]);
  await waitFor("one listens", async () => (await listening()).length === 1);
  expect(await listening()).toHaveLength(1);
  for (const { stream } of opened) stream.end("age");
  await waitFor("nobody listens", async () => (await listening()).length === 0);
});

it("deliveries arrive although the session that listens is lost, and it is opened again", async () => {
  const { reader } = await open();
  const [pid] = await waitFor("it listens", async () => {
    const pids = await listening();
    return pids.length > 0 && pids;
  });
  await api.sql`SELECT pg_terminate_backend(${pid as number})`;
  for (let n = 0; n < 5; n++) {
    const { publicId } = await write();
    expect((await reader.expect("delivery")).id).toBe(publicId);
  }
  await waitFor("it listens again", async () => (await listening()).some((other) => other !== pid));
});

it.skipIf(PGBOUNCER === undefined)(
  "deliveries arrive behind PgBouncer in transaction mode, where nobody can listen (skipped where it is not installed)",
  async () => {
    const pooler = await startPgBouncer(api.config.databaseUrl);
    const services = startServices(
      testConfig(pooler.url, { DATABASE_DIRECT_URL: "postgres://nobody@127.0.0.1:1/none" }),
    );
    try {
      const { reader } = await open({ checkMs: 50, lookMs: 50 }, { run: runOn(services) });
      for (let n = 0; n < 5; n++) {
        const { publicId } = await write();
        expect((await reader.expect("delivery")).id).toBe(publicId);
      }
      expect(await listening()).toEqual([]);
    } finally {
      for (const stream of streams.splice(0)) stream.end("age");
      await services.close();
      await pooler.stop();
      startServices(api.config);
    }
  },
);
