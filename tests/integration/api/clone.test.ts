import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Api, FUTURE, startApi, TARGET, type TestCaller } from "./api.ts";
import { createdBy, eraseContent, plaintextOf as storedPlaintext } from "./stored-content.ts";

let api: Api;
let caller: TestCaller;
let id: string;

beforeAll(async () => {
  api = await startApi({ PLANS: '{"free":{"monthlyQuota":30}}' });
});
afterAll(() => api.stop());
beforeEach(async () => {
  caller = await api.account();
  id = await api.create(caller.live, { payload: "old", method: "PATCH", headers: { "X-A": "1" } });
});

const PAST = "2020-01-01T00:00:00Z";
const clone = (body?: unknown, headers?: Record<string, string>, of = id) =>
  api.call("POST", `/v1/schedules/${of}/clone`, caller.live, body, headers);
const get = async (textId: string) => (await api.call("GET", `/v1/schedules/${textId}`, caller.live)).body;
const used = () => createdBy(api, caller);
const plaintextOf = (textId: string) => storedPlaintext(api, textId);
const erase = (textId: string) => eraseContent(api, textId);

describe("POST /v1/schedules/:id/clone 201", () => {
  it("sends the new payload with the old target, method and headers, and counts in the quota", async () => {
    const answer = await clone({ payload: "n\u20acw", fireAt: FUTURE });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(String),
      fire_at: FUTURE,
      status: "scheduled",
      over_limit: false,
      replayed: false,
      mismatch: false,
    });
    const { target_url } = await get(id);
    expect(await get(answer.body.id)).toMatchObject({
      target_url,
      method: "PATCH",
      payload_size_bytes: 5,
      replay_of: id,
    });
    expect(await plaintextOf(answer.body.id)).toEqual({ headers: [["X-A", "1"]], payload: "n\u20acw" });
    expect(await plaintextOf(id)).toMatchObject({ payload: "old" });
    expect(await used()).toBe(2);
  });

  it("replaces all old headers by the headers in its body", async () => {
    const other = await clone({ payload: "new", headers: { "X-B": "2" } });
    expect(await plaintextOf(other.body.id)).toEqual({ headers: [["X-B", "2"]], payload: "new" });
    const none = await clone({ payload: "", headers: {} });
    expect(await plaintextOf(none.body.id)).toBeNull();
    expect(await get(none.body.id)).toMatchObject({ has_payload: false });
  });

  it("fires now unless its body has an instant", async () => {
    const before = Date.now();
    const { body } = await clone({ payload: "new" });
    expect(Math.abs(Date.parse(body.fire_at) - before)).toBeLessThan(5_000);
  });

  it("works after the payload was erased when its body has headers", async () => {
    await erase(id);
    const answer = await clone({ payload: "new", headers: { "X-B": "2" } });
    expect(answer.status).toBe(201);
    expect(await plaintextOf(answer.body.id)).toEqual({ headers: [["X-B", "2"]], payload: "new" });
    expect(await clone({ payload: "new", headers: {} })).toMatchObject({ status: 201 });
  });
});

describe("POST /v1/schedules/:id/clone with a targetUrl", () => {
  const OTHER = "https://other.example.org/in?a=1";

  it("goes to the other target with the same method, and with no header but those of its body", async () => {
    for (const targetUrl of [OTHER, TARGET]) {
      const bare = await clone({ payload: "new", targetUrl, fireAt: FUTURE });
      expect(bare.status).toBe(201);
      expect(await get(bare.body.id)).toMatchObject({ target_url: targetUrl, method: "PATCH", replay_of: id });
      expect(await plaintextOf(bare.body.id)).toEqual({ headers: [], payload: "new" });
    }
    const own = await clone({ payload: "new", targetUrl: OTHER, headers: { "X-B": "2" } });
    expect(await plaintextOf(own.body.id)).toEqual({ headers: [["X-B", "2"]], payload: "new" });
  });

  it("never takes the stored payload there: without a payload, and in a replay, it is refused", async () => {
    for (const [verb, body, path] of [
      ["clone", { targetUrl: OTHER }, "payload"],
      ["clone", { targetUrl: OTHER, headers: {} }, "payload"],
      ["replay", { targetUrl: OTHER }, "targetUrl"],
    ] as const) {
      const answer = await api.call("POST", `/v1/schedules/${id}/${verb}`, caller.live, body);
      expect(answer).toMatchObject({ status: 400, body: { error: { code: "VALIDATION", details: [{ path }] } } });
    }
    expect(await used()).toBe(1);
  });

  it.each(["http://example.org/", "https://10.0.0.1/", "https://a@example.org/", "", 7, null])(
    "judges the target %j as that of a new schedule",
    async (targetUrl) => {
      const answer = await clone({ payload: "new", targetUrl });
      expect(answer).toMatchObject({
        status: 400,
        body: { error: { code: "VALIDATION", details: [{ path: "targetUrl" }] } },
      });
    },
  );

  it("works after the content of the original was erased, since it needs none of it", async () => {
    await erase(id);
    expect(await clone({ payload: "new", targetUrl: OTHER })).toMatchObject({ status: 201 });
  });

  it("is another request than a clone to the old or to a third target, whatever way the URL is written", async () => {
    const mismatch = async (body: object) =>
      (await clone({ payload: "new", idempotencyKey: "k", ...body })).body.mismatch;
    await clone({ payload: "new", targetUrl: OTHER, idempotencyKey: "k" });
    expect(await mismatch({ targetUrl: OTHER.replace("other", "OTHER") })).toBe(false);
    expect(await mismatch({ targetUrl: OTHER, headers: {} })).toBe(false);
    expect(await mismatch({ targetUrl: `${OTHER}2` })).toBe(true);
    expect(await mismatch({ headers: {} })).toBe(true);
  });
});

describe("POST /v1/schedules/:id/clone 200", () => {
  it("returns the first clone for a known idempotencyKey, in field or header", async () => {
    const first = await clone({ payload: "new", idempotencyKey: "k" });
    const again = await clone({ payload: "new" }, { "idempotency-key": "k" });
    expect(again).toMatchObject({ status: 200, body: { ...first.body, replayed: true } });
    expect(again.headers.get("idempotency-mismatch")).toBeNull();
    expect(await used()).toBe(2);
  });

  it("marks a request that differs from the first one, a replay included, and ignores the letter case of header names", async () => {
    await clone({ payload: "", headers: { A: "1" }, idempotencyKey: "k" });
    const mismatch = async (body: object) =>
      (await clone({ idempotencyKey: "k", ...body })).headers.get("idempotency-mismatch");
    expect(await mismatch({ payload: "", headers: { a: "1" } })).toBeNull();
    for (const body of [
      { payload: "x", headers: { A: "1" } },
      { payload: "", headers: { A: "2" } },
      { payload: "", headers: {} },
      { payload: "" },
      { payload: "", headers: { A: "1" }, fireAt: FUTURE },
    ]) {
      expect(await mismatch(body)).toBe("true");
    }
    const replay = await api.call("POST", `/v1/schedules/${id}/replay`, caller.live, { idempotencyKey: "k" });
    expect(replay.headers.get("idempotency-mismatch")).toBe("true");
  });
});

describe("POST /v1/schedules/:id/clone 400", () => {
  it.each<[string, unknown, string]>([
    ["no payload", { fireAt: FUTURE }, "payload"],
    ["null as payload", { payload: null }, "payload"],
    ["half an emoji as payload", { payload: "\ud800" }, "payload"],
    ["a reserved header", { payload: "x", headers: { Host: "x" } }, "headers.Host"],
    ["null as headers", { payload: "x", headers: null }, "headers"],
    ["a past instant", { payload: "x", fireAt: PAST }, "fireAt"],
    ["an unknown field", { payload: "x", method: "GET" }, "method"],
    ["an empty body", "", ""],
  ])("answers %s", async (_, body, path) => {
    const answer = await clone(body);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "VALIDATION", details: [{ path }] } } });
    expect(await used()).toBe(1);
  });
});

describe("POST /v1/schedules/:id/clone 402", () => {
  it("answers when the quota of the month is used up", async () => {
    await api.sql`UPDATE usage SET scheduled = 33 WHERE account_id = ${caller.accountId}`;
    expect(await clone({ payload: "x" })).toMatchObject({ status: 402, body: { error: { code: "QUOTA_EXCEEDED" } } });
  });
});

describe("POST /v1/schedules/:id/clone 404", () => {
  it("answers an unknown id, another account's and the other environment's", async () => {
    const foreign = await api.create((await api.account()).live);
    const test = await api.create(caller.test);
    for (const of of ["sch_01h00000000000000000000000", foreign, test]) {
      expect(await clone({ payload: "x" }, {}, of)).toMatchObject({
        status: 404,
        body: { error: { code: "NOT_FOUND" } },
      });
    }
  });
});

describe("POST /v1/schedules/:id/clone 409", () => {
  it("answers once the headers were erased and the body has none", async () => {
    await erase(id);
    expect(await clone({ payload: "x" })).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
    expect(await used()).toBe(1);
  });
});

describe("POST /v1/schedules/:id/clone 413", () => {
  it("answers a payload above the plan's limit", async () => {
    expect(await clone({ payload: "a".repeat(51_201) })).toMatchObject({
      status: 413,
      body: { error: { code: "PAYLOAD_TOO_LARGE" } },
    });
  });
});
