import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { GET as listen } from "#app/v1/listen/route.ts";
import { decodeId, encodeId, newId } from "#domain/ids.ts";
import { openExchangeAnswer } from "#domain/listen-exchange.ts";
import { openStreams, STREAMS_MAX, stopStreams } from "#server/listen/open-streams.ts";
import { EventReader, type TestExchange, writeExchange } from "../../helpers/listen.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { withinOneMinute } from "../../helpers/within-one-minute.ts";
import { type Api, FUTURE, startApi, type TestCaller } from "./api.ts";

let api: Api;
let caller: TestCaller;
const opened: EventReader[] = [];

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());
beforeEach(async () => {
  caller = await api.account();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((reader) => reader.cancel().catch(() => {})));
  await waitFor("all streams have ended", () => openStreams().size === 0);
});

async function open(query = "", key = caller.test) {
  const request = new Request(`http://127.0.0.1/v1/listen${query}`, { headers: { authorization: `Bearer ${key}` } });
  const response = await listen(request, { params: Promise.resolve({}) });
  if (response.status !== 200) throw new Error(`expected a stream, got ${response.status}: ${await response.text()}`);
  const reader = new EventReader(response.body);
  opened.push(reader);
  const { listener, ...ready } = await reader.expect("ready");
  return { reader, listener: listener as string, ready, response };
}

async function write(more: Partial<Parameters<typeof writeExchange>[2]> = {}, of = caller, targetUrl = HOOK) {
  const textId = await api.create(of.test, { targetUrl, fireAt: FUTURE });
  const schedule = decodeId("sch", textId) ?? "";
  return writeExchange(api.sql, api.config.keyRing, { accountId: of.accountId, schedule, ...more });
}

const HOOK = "https://listen.invalid/hooks/a?b=c";
const answer = (id: string, body: object, key = caller.test) => api.call("POST", `/v1/listen/${id}/answer`, key, body);
const switchOn = (isOn = true) =>
  api.sql`INSERT INTO relay_settings (account_id, test_deliveries_until) VALUES (${caller.accountId}, ${isOn ? new Date(Date.now() + 86_400_000) : null})
    ON CONFLICT (account_id) DO UPDATE SET test_deliveries_until = excluded.test_deliveries_until`;
const stateOf = async ({ id }: TestExchange) =>
  (await api.sql`SELECT state, answer, listener_id FROM listen_exchanges WHERE id = ${id}`)[0];

describe("GET /v1/listen", () => {
  it("is a stream that no cache, proxy or nginx holds back, and whose connection is not used again", async () => {
    const { response, ready } = await open();
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
      connection: "close",
      "ratelimit-policy": '"listen";q=2400;w=60',
    });
    expect(ready).toEqual({ scope: "reserved", ends_at: expect.stringMatching(/^\d{4}-.*T.*\.\d{3}Z$/) });
    expect(Math.abs(Date.parse(ready.ends_at) - Date.now() - 270_000)).toBeLessThan(10_000);
  });

  it("hands a delivery over as a socket would get it, once, with its id", async () => {
    const { reader } = await open();
    const body = Buffer.from([0, 255, 10, 13, 128]);
    const headers: [string, string][] = [
      ["x-B", "1"],
      ["X-a", " 2 "],
      ["x-B", "3"],
    ];
    const { publicId, scheduleId, deadlineMs } = await write({ body, headers, path: "/hooks/a?b=c" });
    expect(await reader.next()).toEqual({
      event: "delivery",
      id: publicId,
      data: {
        id: publicId,
        schedule_id: scheduleId,
        attempt: 1,
        deadline: new Date(deadlineMs).toISOString(),
        method: "POST",
        path: "/hooks/a?b=c",
        headers,
        body: body.toString("base64"),
      },
    });
    const { publicId: second } = await write();
    expect((await reader.expect("delivery")).id).toBe(second);
  });

  it("opens nothing for HEAD, which has the head of the stream", async () => {
    const answered = await api.call("HEAD", "/v1/listen", caller.test);
    expect([answered.status, answered.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    expect(await api.sql`SELECT FROM listeners WHERE account_id = ${caller.accountId}`).toHaveLength(0);
  });

  it("is refused with 403 for a live key and a session", async () => {
    for (const credential of [caller.live, await api.session(caller.accountId)]) {
      const refused = await api.call("GET", "/v1/listen", credential);
      expect(refused).toMatchObject({ status: 403, body: { error: { code: "FORBIDDEN" } } });
      expect(refused.body.error.message).toContain("sw_test_");
    }
  });

  it("takes the scope all only while the account allows it, and says where that is set", async () => {
    const refused = await api.call("GET", "/v1/listen?scope=all", caller.test);
    expect(refused).toMatchObject({ status: 403, body: { error: { code: "FORBIDDEN" } } });
    expect(refused.body.error.message).toContain("Relay settings");
    expect(await api.call("HEAD", "/v1/listen?scope=all", caller.test)).toMatchObject({ status: 403 });
    await switchOn();
    const { reader, ready } = await open("?scope=all");
    expect(ready.scope).toBe("all");
    const { publicId } = await write({}, caller, "https://example.com/hooks/a");
    expect((await reader.expect("delivery")).id).toBe(publicId);
  });

  it.each([
    ["?scope=live", "scope"],
    ["?path=hooks", "path.0"],
    ["?path=/a%3Fb", "path.0"],
    ["?path=/1&path=/2&path=/3&path=/4&path=/5&path=/6", "path"],
    ["?path=", "path"],
    ["?listener=lsn_x", "listener"],
    [`?listener=${encodeId("sch", newId(0))}`, "listener"],
    ["?scope=all&scope=all", "scope"],
    ["?paths=/a", "paths"],
    ["?env=test", "env"],
  ])("is VALIDATION with %s", async (query, path) => {
    const refused = await api.call("GET", `/v1/listen${query}`, caller.test);
    expect(refused).toMatchObject({ status: 400, body: { error: { code: "VALIDATION", details: [{ path }] } } });
  });

  it("carries only deliveries whose path has one of its prefixes", async () => {
    const { reader } = await open("?path=/hooks/&path=/h%C3%BC");
    await expect(write({ path: "/other" })).rejects.toThrow("no listener");
    const [first, second] = [await write({ path: "/hooks/x?y=1" }), await write({ path: "/h%C3%BCte" })];
    const got = [(await reader.expect("delivery")).id, (await reader.expect("delivery")).id];
    expect(got).toEqual([first.publicId, second.publicId]);
  });

  it("shares deliveries among the listeners of an account, and gives nothing to another account's", async () => {
    const stranger = await api.account();
    const all = [await open(), await open(), await open("", stranger.test)];
    const got = all.map((): string[] => []);
    for (const [at, { reader }] of all.entries()) {
      const read = async () => {
        for (let next = await reader.next(); next !== null; next = await reader.next()) got[at]?.push(next.data.id);
      };
      read().catch(() => {});
    }
    const written: TestExchange[] = [];
    for (let n = 0; n < 20; n++) written.push(await write());
    await waitFor("all have arrived", () => got.flat().length === 20);
    expect(got.flat().sort()).toEqual(written.map(({ publicId }) => publicId).sort());
    expect(got[2]).toEqual([]);
  });

  it("answers 409 to a sixth listener of an account, and takes it when one has left", async () => {
    const five = await Promise.all(Array.from({ length: 5 }, () => open()));
    const refused = await api.call("GET", "/v1/listen", caller.test);
    expect(refused).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
    expect(openStreams().size).toBe(5);
    const resumed = await open(`?listener=${five[0]?.listener}`);
    expect(resumed.listener).toBe(five[0]?.listener);
    await api.sql`UPDATE listeners SET lease_until = now() WHERE id = ${decodeId("lsn", five[1]?.listener ?? "")}`;
    await open();
  });

  it("answers 503 with Retry-After when the process has as many streams as it may have", async () => {
    const others = Array.from({ length: STREAMS_MAX }, () => ({ end: () => {}, heldBytes: 0 }));
    for (const one of others) openStreams().add(one);
    try {
      const refused = await api.call("GET", "/v1/listen", caller.test);
      expect(refused).toMatchObject({ status: 503, body: { error: { code: "UNAVAILABLE" } } });
      expect(refused.headers.get("retry-after")).toBe("5");
      expect(await api.sql`SELECT FROM listeners WHERE account_id = ${caller.accountId}`).toHaveLength(0);
    } finally {
      for (const one of others) openStreams().delete(one);
    }
  });

  it("says goodbye with restart when the process stops, also while it is being opened", async () => {
    const { reader, listener } = await open();
    const opening = open();
    await waitFor("the second one is being opened", () => openStreams().size === 2);
    const stopped = stopStreams();
    const refused = await api.call("GET", "/v1/listen", caller.test);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    stopped();
    expect(await reader.expect("goodbye")).toEqual({ reason: "restart", retry_ms: 1_000 });
    expect(await reader.next()).toBeNull();
    const late = await opening;
    expect(await late.reader.expect("goodbye")).toMatchObject({ reason: "restart" });
    const { publicId } = await write();
    const again = await open(`?listener=${listener}`);
    expect((await again.reader.expect("delivery")).id).toBe(publicId);
  });

  it("resumes a listener with the deliveries that have no answer, and without those that have one", async () => {
    const first = await open();
    const [answered, open1, open2] = [await write(), await write(), await write()];
    for (let n = 0; n < 3; n++) await first.reader.expect("delivery");
    expect(await answer(answered.publicId, { listener: first.listener, status: 200, latency_ms: 1 })).toMatchObject({
      status: 204,
    });
    await first.reader.cancel();
    const again = await open(`?listener=${first.listener}`);
    expect(again.listener).toBe(first.listener);
    const got = [(await again.reader.expect("delivery")).id, (await again.reader.expect("delivery")).id];
    expect(got).toEqual([open1.publicId, open2.publicId]);
    const { publicId } = await write();
    expect((await again.reader.expect("delivery")).id).toBe(publicId);
  });

  it("gives a new listener for an id that is unknown, or another account's, and leaves that one alone", async () => {
    const stranger = await api.account();
    const theirs = await open("", stranger.test);
    const own = await open(`?listener=${theirs.listener}`);
    expect(own.listener).not.toBe(theirs.listener);
    const { publicId } = await write({}, stranger);
    expect((await theirs.reader.expect("delivery")).id).toBe(publicId);
  });

  it("does not use up the account's requests, and has a limit of its own by the plan's calls per second", async () => {
    await withinOneMinute(api.sql, async () => {
      caller = await api.account();
      const before = await api.call("GET", "/v1/usage", caller.test);
      await open();
      for (let n = 0; n < 5; n++) await answer(encodeId("exc", newId(0)), { listener: LISTENER, error: "x" });
      const after = await api.call("GET", "/v1/usage", caller.test);
      const left = (headers: Headers) => Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
      expect(left(before.headers) - left(after.headers)).toBe(1);
      const answered = await answer(encodeId("exc", newId(0)), { listener: LISTENER, error: "x" });
      expect(answered.headers.get("ratelimit-policy")).toBe('"listen";q=2400;w=60');
    });
  });
});

const LISTENER = encodeId("lsn", newId(0));

describe("POST /v1/listen/:id/answer", () => {
  it("is 204, and 204 again, and what was said first is what the dispatcher reads", async () => {
    const { reader, listener } = await open();
    const exchange = await write();
    await reader.expect("delivery");
    const said = { listener, status: 503, retry_after: "7", body: "b\u00fcsy", latency_ms: 12 };
    expect(await answer(exchange.publicId, said)).toMatchObject({ status: 204, text: "" });
    expect(await answer(exchange.publicId, said)).toMatchObject({ status: 204 });
    expect(await answer(exchange.publicId, { listener, error: "ECONNRESET" })).toMatchObject({ status: 204 });
    const row = await stateOf(exchange);
    const of = { id: exchange.id, scheduleId: decodeId("sch", exchange.scheduleId) ?? "", targetUrl: HOOK };
    expect(row?.state).toBe("answered");
    expect(openExchangeAnswer(api.config.keyRing, row?.answer, of)).toEqual({
      status: 503,
      retryAfter: "7",
      body: "b\u00fcsy",
      latencyMs: 12,
    });
  });

  it("takes an error in place of an answer", async () => {
    const { reader, listener } = await open();
    const exchange = await write();
    await reader.expect("delivery");
    expect(await answer(exchange.publicId, { listener, error: "ECONNREFUSED" })).toMatchObject({ status: 204 });
    const of = { id: exchange.id, scheduleId: decodeId("sch", exchange.scheduleId) ?? "", targetUrl: HOOK };
    expect(openExchangeAnswer(api.config.keyRing, (await stateOf(exchange))?.answer, of)).toEqual({
      error: "ECONNREFUSED",
    });
  });

  it("is 409 when the delivery is over, or another listener's, and 404 when it is another account's or none", async () => {
    const [own, other] = [await open("?path=/hooks/"), await open()];
    const exchange = await write();
    await own.reader.expect("delivery");
    const said = { status: 200, latency_ms: 1 };
    expect(await answer(exchange.publicId, { listener: other.listener, ...said })).toMatchObject({ status: 409 });
    const stranger = await api.account();
    for (const id of [exchange.publicId, encodeId("exc", newId(0)), "exc_x", encodeId("sch", newId(0)), "__proto__"]) {
      const key = id === exchange.publicId ? stranger.test : caller.test;
      expect(await answer(id, { listener: own.listener, ...said }, key)).toMatchObject({ status: 404 });
    }
    await api.sql`UPDATE listen_exchanges SET state = 'over', request = NULL WHERE id = ${exchange.id}`;
    expect(await answer(exchange.publicId, { listener: own.listener, ...said })).toMatchObject({
      status: 409,
      body: { error: { code: "CONFLICT" } },
    });
  });

  it.each<[string, object, string]>([
    ["nothing", {}, "status"],
    ["no latency", { status: 200 }, "latency_ms"],
    ["both", { status: 200, latency_ms: 1, error: "x" }, "error"],
    ["an error with a body", { error: "x", body: "y" }, "body"],
    ["an interim status", { status: 103, latency_ms: 1 }, "status"],
    ["a status of four digits", { status: 1_000, latency_ms: 1 }, "status"],
    ["a status as text", { status: "200", latency_ms: 1 }, "status"],
    ["a negative time", { status: 200, latency_ms: -1 }, "latency_ms"],
    ["half a millisecond", { status: 200, latency_ms: 0.5 }, "latency_ms"],
    ["a body of 8 KiB and one byte", { status: 200, latency_ms: 1, body: `${"a".repeat(8_190)}\u20ac` }, "body"],
    ["a lone surrogate", { status: 200, latency_ms: 1, body: "\ud800" }, "body"],
    ["an empty error", { error: "" }, "error"],
    ["an unknown field", { error: "x", statuss: 1 }, "statuss"],
  ])("is VALIDATION with %s, and leaves the delivery open", async (_, said, path) => {
    const { reader, listener } = await open();
    const exchange = await write();
    await reader.expect("delivery");
    const refused = await answer(exchange.publicId, { listener, ...said });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: "VALIDATION", details: [{ path }] } } });
    expect(await stateOf(exchange)).toMatchObject({ state: "handed", answer: null });
    const listenerMissing = await answer(exchange.publicId, { listener: "lsn_", error: "x" });
    expect(listenerMissing).toMatchObject({ status: 400, body: { error: { details: [{ path: "listener" }] } } });
  });

  it("takes a body of 8 KiB however it is escaped", async () => {
    const { reader, listener } = await open();
    const exchange = await write();
    await reader.expect("delivery");
    const body = "\0".repeat(8_192);
    expect(await answer(exchange.publicId, { listener, status: 500, latency_ms: 0, body })).toMatchObject({
      status: 204,
    });
  });
});
