import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startServices } from "#server/services.ts";
import { type Api, FUTURE, startApi, type TestCaller, testConfig } from "./api.ts";
import { createdBy, eraseContent, plaintextOf as storedPlaintext, uuidOf } from "./stored-content.ts";

let api: Api;
let caller: TestCaller;
let id: string;

beforeAll(async () => {
  api = await startApi({ PLANS: '{"free":{"monthlyQuota":30}}' });
});
afterAll(() => api.stop());
beforeEach(async () => {
  caller = await api.account();
  id = await api.create(caller.live, SOURCE);
});

const SOURCE = { payload: "\ufeffa\0\u20ac", method: "PUT", headers: { "X-A": "1", "x-b": "2" }, earlyFire: true };
const PAST = "2020-01-01T00:00:00Z";
const replay = (body?: unknown, headers?: Record<string, string>, of = id, key = caller.live) =>
  api.call("POST", `/v1/schedules/${of}/replay`, key, body, headers);
const get = async (textId: string) => (await api.call("GET", `/v1/schedules/${textId}`, caller.live)).body;
const used = () => createdBy(api, caller);
const plaintextOf = (textId: string) => storedPlaintext(api, textId);
const erase = (textId: string) => eraseContent(api, textId);

describe("POST /v1/schedules/:id/replay 201", () => {
  it("creates a new schedule with the same target, method, headers and payload, and counts it", async () => {
    const answer = await replay({ fireAt: FUTURE });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.not.stringMatching(id),
      fire_at: FUTURE,
      status: "scheduled",
      over_limit: false,
      replayed: false,
      mismatch: false,
    });
    const { target_url, method, payload_size_bytes } = await get(id);
    expect(await get(answer.body.id)).toMatchObject({
      target_url,
      method,
      payload_size_bytes,
      replay_of: id,
      attempts: 0,
    });
    expect(await plaintextOf(answer.body.id)).toEqual(await plaintextOf(id));
    expect(await used()).toBe(2);
  });

  it("applies the account's default for early fire, and not the old schedule's setting", async () => {
    const answer = await replay({ fireAt: FUTURE });
    expect(await get(answer.body.id)).toMatchObject({ early_fire: false });
  });

  it.each<[string, unknown, Record<string, string>?]>([
    ["without a body", undefined],
    ["with an empty body", ""],
    [
      "with an empty body that curl gives a type",
      "",
      { "content-type": "application/x-www-form-urlencoded", "content-length": "0" },
    ],
    ["with an empty object", {}],
  ])("fires now %s, and notifies the dispatchers", async (_, body, headers) => {
    const notifications: string[] = [];
    const listener = await api.sql.listen("stopwatch_due", (payload) => notifications.push(payload));
    const before = Date.now();
    const answer = await replay(body, headers);
    expect(answer.status).toBe(201);
    await expect.poll(() => notifications).toContainEqual(expect.stringContaining(uuidOf(answer.body.id)));
    await listener.unlisten();
    expect(Math.abs(Date.parse(answer.body.fire_at) - before)).toBeLessThan(5_000);
    const row = await get(answer.body.id);
    expect(row.fire_at >= row.created_at).toBe(true);
  });

  it.each(["scheduled", "firing", "succeeded", "failed", "dead", "cancelled"])(
    "works from %s and leaves the old schedule unchanged",
    async (status) => {
      const isTerminal = ["succeeded", "dead", "cancelled"].includes(status);
      await api.sql`UPDATE schedules SET status = ${status}, attempts = ${status === "scheduled" ? 0 : 1},
        claim_deadline = CASE WHEN ${status === "firing"} THEN now() END,
        next_attempt_at = CASE WHEN ${isTerminal} THEN NULL ELSE fire_at END, ended_at = CASE WHEN ${isTerminal} THEN now() END
      WHERE id = ${uuidOf(id)}`;
      const before = await get(id);
      expect(await replay()).toMatchObject({ status: 201, body: { status: "scheduled" } });
      expect(await get(id)).toEqual(before);
    },
  );

  it("works for a schedule that never had payload and headers, and for a replay", async () => {
    const bare = await api.create(caller.live);
    const again = await replay({}, {}, bare);
    expect(await get(again.body.id)).toMatchObject({ has_payload: false, replay_of: bare });
    const third = await replay({}, {}, again.body.id);
    expect(await get(third.body.id)).toMatchObject({ replay_of: again.body.id });
  });
});

describe("POST /v1/schedules/:id/replay 200", () => {
  it("returns the schedule of the first replay for a known idempotencyKey, in field or header, and counts nothing", async () => {
    const first = await replay({ fireAt: FUTURE, idempotencyKey: "k" });
    for (const again of [
      await replay({ fireAt: FUTURE, idempotencyKey: "k" }),
      await replay({ fireAt: FUTURE }, { "idempotency-key": "k" }),
    ]) {
      expect(again).toMatchObject({ status: 200, body: { ...first.body, replayed: true } });
      expect(again.headers.get("idempotent-replayed")).toBe("true");
      expect(again.headers.get("idempotency-mismatch")).toBeNull();
    }
    expect(await used()).toBe(2);
  });

  it("marks a request that differs from the first one: another instant, another schedule, a create", async () => {
    const other = await api.create(caller.live, SOURCE);
    await replay({ fireAt: FUTURE, idempotencyKey: "k" });
    for (const again of [
      await replay({ idempotencyKey: "k" }),
      await replay({ fireAt: FUTURE, idempotencyKey: "k" }, {}, other),
      await api.call("POST", "/v1/schedules", caller.live, {
        ...SOURCE,
        targetUrl: "https://example.com/hook",
        fireAt: FUTURE,
        idempotencyKey: "k",
      }),
    ]) {
      expect(again.status).toBe(200);
      expect(again.headers.get("idempotency-mismatch")).toBe("true");
    }
  });

  it("is checked before time, erasure, target and quota when the request is the same", async () => {
    const first = await replay({ idempotencyKey: "k" });
    await erase(id);
    await api.sql`UPDATE usage SET scheduled = 33 WHERE account_id = ${caller.accountId}`;
    const again = await replay({ idempotencyKey: "k" });
    expect(again).toMatchObject({ status: 200, body: { id: first.body.id } });
    expect(again.headers.get("idempotency-mismatch")).toBeNull();
    expect(await replay({ idempotencyKey: "k", fireAt: PAST })).toMatchObject({ status: 200 });
  });

  it("makes one schedule for 100 parallel replays", async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => replay({ idempotencyKey: "k" })));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    expect(await used()).toBe(2);
  });
});

describe("POST /v1/schedules/:id/replay 400", () => {
  it.each<[string, unknown, string]>([
    ["a past instant", { fireAt: PAST }, "fireAt"],
    ["a malformed instant", { fireAt: "now" }, "fireAt"],
    ["null as instant", { fireAt: null }, "fireAt"],
    ["a payload", { payload: "x" }, "payload"],
    ["an unknown field", { targetUrl: "https://example.com/" }, "targetUrl"],
    ["an empty key", { idempotencyKey: "" }, "idempotencyKey"],
  ])("answers %s", async (_, body, path) => {
    const answer = await replay(body);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "VALIDATION", details: [{ path }] } } });
    expect(await used()).toBe(1);
  });

  it("answers a header that differs from the field", async () => {
    expect(await replay({ idempotencyKey: "a" }, { "idempotency-key": "b" })).toMatchObject({ status: 400 });
  });

  it("answers a target that the current policy refuses", async () => {
    const strict = startServices(testConfig(api.config.databaseUrl, { DELIVERY_DENY: "example.com" }));
    try {
      const answer = await replay();
      expect(answer).toMatchObject({ status: 400, body: { error: { details: [{ path: "targetUrl" }] } } });
    } finally {
      await strict.close();
      startServices(api.config);
    }
  });
});

describe("POST /v1/schedules/:id/replay 402", () => {
  it("answers when the quota of the month is used up", async () => {
    await api.sql`UPDATE usage SET scheduled = 33 WHERE account_id = ${caller.accountId}`;
    expect(await replay()).toMatchObject({ status: 402, body: { error: { code: "QUOTA_EXCEEDED" } } });
  });
});

describe("a schedule that is dead", () => {
  beforeEach(async () => {
    await api.sql`UPDATE schedules SET status = 'dead', attempts = 1, next_attempt_at = NULL, ended_at = now()
      WHERE id = ${uuidOf(id)}`;
  });

  it("is replayed without counting in the quota, also when it is used up", async () => {
    expect(await replay()).toMatchObject({ status: 201, body: { over_limit: false } });
    expect(await used()).toBe(1);
    await api.sql`UPDATE usage SET scheduled = 33 WHERE account_id = ${caller.accountId}`;
    expect(await replay({ fireAt: FUTURE })).toMatchObject({ status: 201, body: { over_limit: true } });
    expect(await used()).toBe(33);
  });

  it("is cloned as any other, which counts", async () => {
    const clone = { payload: "b" };
    expect(await api.call("POST", `/v1/schedules/${id}/clone`, caller.live, clone)).toMatchObject({ status: 201 });
    expect(await used()).toBe(2);
  });
});

describe("POST /v1/schedules/:id/replay 404", () => {
  it("answers an unknown or malformed id, another account's and the other environment's", async () => {
    const foreign = await api.create((await api.account()).live);
    const test = await api.create(caller.test);
    for (const of of ["sch_01h00000000000000000000000", "nonsense", foreign, test]) {
      expect(await replay({}, {}, of)).toMatchObject({ status: 404, body: { error: { code: "NOT_FOUND" } } });
    }
  });
});

describe("POST /v1/schedules/:id/replay 409", () => {
  it("answers once payload and headers were erased, after the time was validated", async () => {
    await erase(id);
    expect(await replay()).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
    expect(await replay({ fireAt: PAST })).toMatchObject({ status: 400 });
    expect(await used()).toBe(1);
  });
});

describe("POST /v1/schedules/:id/replay 413", () => {
  it("answers a payload that the current plan does not allow", async () => {
    await api.sql`UPDATE accounts SET plan = 'indie' WHERE id = ${caller.accountId}`;
    const large = await api.create(caller.live, { payload: "a".repeat(60_000) });
    await api.sql`UPDATE accounts SET plan = 'free' WHERE id = ${caller.accountId}`;
    expect(await replay({}, {}, large)).toMatchObject({ status: 413, body: { error: { code: "PAYLOAD_TOO_LARGE" } } });
  });
});

describe("POST /v1/schedules/:id/replay 415", () => {
  it("answers a body that is not JSON", async () => {
    expect(await replay("a=b", { "content-type": "text/plain" })).toMatchObject({ status: 415 });
  });
});
