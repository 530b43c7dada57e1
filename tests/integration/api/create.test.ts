import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openRequest, unpackRequest } from "#domain/sealed-request.ts";
import { type Api, FUTURE, startApi, TARGET, type TestCaller } from "./api.ts";

let api: Api;
let caller: TestCaller;

beforeAll(async () => {
  api = await startApi({ PLANS: '{"free":{"monthlyQuota":30,"testMonthlyQuota":10}}' });
});
afterAll(() => api.stop());
beforeEach(async () => {
  caller = await api.account();
});

const valid = { targetUrl: TARGET, fireAt: FUTURE };
const post = (body: unknown, headers?: Record<string, string>, key = caller.live) =>
  api.call("POST", "/v1/schedules", key, body, headers);
const without = (name: keyof typeof valid) => Object.fromEntries(Object.entries(valid).filter(([key]) => key !== name));
const ofOwn = "WHERE account_id = $1";

async function stored(): Promise<{ schedules: number; requests: number; used: number }> {
  const [row] = await api.sql.unsafe(
    `SELECT (SELECT count(*)::int FROM schedules ${ofOwn}) AS schedules,
       (SELECT count(*)::int FROM schedule_requests ${ofOwn}) AS requests,
       coalesce((SELECT sum(scheduled)::int FROM usage ${ofOwn}), 0) AS used`,
    [caller.accountId],
  );
  return row as never;
}

describe("a valid schedule", () => {
  it("is answered with 201 and exactly id, fire_at, status, over_limit, replayed and mismatch", async () => {
    const answer = await post(valid);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^sch_[0-9a-z]{26}$/),
      fire_at: FUTURE,
      status: "scheduled",
      over_limit: false,
      replayed: false,
      mismatch: false,
    });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
    expect(await stored()).toEqual({ schedules: 1, requests: 1, used: 1 });
  });

  it.each([
    ["2031-01-01T00:00:00Z", "2031-01-01T00:00:00.000Z"],
    ["2031-01-01T00:00:00.123Z", "2031-01-01T00:00:00.123Z"],
    ["2031-01-01T00:00:00.123000001Z", "2031-01-01T00:00:00.124Z"],
    ["2031-01-01T00:00:00+05:45", "2030-12-31T18:15:00.000Z"],
    ["2031-01-01T00:00Z", "2031-01-01T00:00:00.000Z"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
  ])("with fireAt %s is stored with %s", async (fireAt, fire_at) => {
    expect((await post({ ...valid, fireAt })).body).toMatchObject({ fire_at });
  });

  it.each([
    ["every field", { payload: "{}", method: "PUT", headers: { "X-A": "b" }, idempotencyKey: "k", earlyFire: true }],
    ["an emoji as payload", { payload: "\u{1F600}" }],
    ["NUL in the payload", { payload: "a\0b" }],
    ["an empty payload", { payload: "" }],
    ["a header called constructor", { headers: { constructor: "x" } }],
    ["spaces in the idempotency key", { idempotencyKey: "a b" }],
    ["255 astral characters as idempotency key", { idempotencyKey: "\u{1F600}".repeat(255) }],
    ["a payload of exactly the cap", { payload: "a".repeat(51_200) }],
  ])("may have %s", async (_, fields) => {
    expect(await post({ ...valid, ...fields })).toMatchObject({ status: 201 });
  });

  it("keeps a header named __proto__ like any other", async () => {
    const body = `{"targetUrl":"${TARGET}","fireAt":"${FUTURE}","headers":{"__proto__":"x"}}`;
    expect(await post(body)).toMatchObject({ status: 201 });
    const [row] =
      await api.sql`SELECT sealed, schedule_id FROM schedule_requests WHERE account_id = ${caller.accountId}`;
    const packed = openRequest(api.config.keyRing, row?.sealed, {
      accountId: caller.accountId,
      env: "live",
      id: row?.schedule_id,
      method: "POST",
      targetUrl: TARGET,
    });
    expect(unpackRequest(packed).headers).toEqual([["__proto__", "x"]]);
  });

  it("has neither its payload nor its header values stored in the clear or returned", async () => {
    const id = await api.create(caller.live, { payload: "canary-payload", headers: { "X-A": "canary-header" } });
    const rows = await api.sql`SELECT to_json(r)::text || encode(r.sealed, 'escape') AS all FROM schedule_requests r
      WHERE account_id = ${caller.accountId}`;
    expect(rows[0]?.all).not.toContain("canary");
    for (const path of [`/v1/schedules/${id}`, "/v1/schedules", `/v1/schedules/${id}/attempts`]) {
      expect((await api.call("GET", path, caller.live)).text).not.toContain("canary");
    }
  });

  it("has the account's default for early fire, unless it has its own value", async () => {
    await api.sql`INSERT INTO relay_settings (account_id, early_fire) VALUES (${caller.accountId}, true)`;
    const early = async (fields: object) =>
      (await api.call("GET", `/v1/schedules/${await api.create(caller.live, fields)}`, caller.live)).body.early_fire;
    expect([await early({}), await early({ earlyFire: false })]).toEqual([true, false]);
  });
});

describe("a request that is refused stores nothing", () => {
  const raw = (text: string) => text;
  it.each<[string, unknown, number, string, string?]>([
    ["without targetUrl", without("targetUrl"), 400, "VALIDATION", "targetUrl"],
    ["without fireAt", without("fireAt"), 400, "VALIDATION", "fireAt"],
    ["with a number as targetUrl", { ...valid, targetUrl: 42 }, 400, "VALIDATION", "targetUrl"],
    ["with an array as targetUrl", { ...valid, targetUrl: [TARGET] }, 400, "VALIDATION", "targetUrl"],
    ["with plain http", { ...valid, targetUrl: "http://example.com/" }, 400, "VALIDATION", "targetUrl"],
    ["with a private address", { ...valid, targetUrl: "https://10.0.0.1/" }, 400, "VALIDATION", "targetUrl"],
    ["with NUL in targetUrl", { ...valid, targetUrl: "https://example.com/\0" }, 400, "VALIDATION", "targetUrl"],
    ["with half an emoji in targetUrl", { ...valid, targetUrl: `${TARGET}\ud800` }, 400, "VALIDATION", "targetUrl"],
    ["with an accountId", { ...valid, accountId: "x" }, 400, "VALIDATION", "accountId"],
    ["with a status", { ...valid, status: "succeeded" }, 400, "VALIDATION", "status"],
    ["with over_limit", { ...valid, over_limit: false }, 400, "VALIDATION", "over_limit"],
    ["with method OPTIONS", { ...valid, method: "OPTIONS" }, 400, "VALIDATION", "method"],
    ["with method in small letters", { ...valid, method: "post" }, 400, "VALIDATION", "method"],
    ["with Feb 30", { ...valid, fireAt: "2031-02-30T00:00:00Z" }, 400, "VALIDATION", "fireAt"],
    ["with an offset without colon", { ...valid, fireAt: "2031-01-01T00:00:00+0530" }, 400, "VALIDATION", "fireAt"],
    ["without an offset", { ...valid, fireAt: "2031-01-01T00:00:00" }, 400, "VALIDATION", "fireAt"],
    ["with a small z", { ...valid, fireAt: "2031-01-01T00:00:00z" }, 400, "VALIDATION", "fireAt"],
    ["with epoch milliseconds", { ...valid, fireAt: 1_924_992_000_000 }, 400, "VALIDATION", "fireAt"],
    ["with a past instant", { ...valid, fireAt: "2020-01-01T00:00:00Z" }, 400, "VALIDATION", "fireAt"],
    ["with the year 1", { ...valid, fireAt: "0001-01-01T00:00:00Z" }, 400, "VALIDATION", "fireAt"],
    ["with an object as payload", { ...valid, payload: { a: 1 } }, 400, "VALIDATION", "payload"],
    ["with null as payload", { ...valid, payload: null }, 400, "VALIDATION", "payload"],
    ["with half an emoji as payload", { ...valid, payload: "a\ud800b" }, 400, "VALIDATION", "payload"],
    ["with a reserved header", { ...valid, headers: { "X-SERVICE-SIGNATURE": "x" } }, 400, "VALIDATION"],
    ["with a folded reserved header", { ...valid, headers: { x_service_signature: "x" } }, 400, "VALIDATION"],
    ["with CR in a header", { ...valid, headers: { "X-A": "a\rb" } }, 400, "VALIDATION", "headers.X-A"],
    ["with a euro in a header", { ...valid, headers: { "X-A": "\u20ac" } }, 400, "VALIDATION", "headers.X-A"],
    ["with a number in a header", { ...valid, headers: { "X-A": 1 } }, 400, "VALIDATION", "headers.X-A"],
    ["with headers as an array", { ...valid, headers: [["a", "b"]] }, 400, "VALIDATION", "headers"],
    ["with an empty idempotencyKey", { ...valid, idempotencyKey: "" }, 400, "VALIDATION", "idempotencyKey"],
    ["with a key of 256", { ...valid, idempotencyKey: "k".repeat(256) }, 400, "VALIDATION", "idempotencyKey"],
    ["with NUL in the key", { ...valid, idempotencyKey: "a\0" }, 400, "VALIDATION", "idempotencyKey"],
    ["with half an emoji as key", { ...valid, idempotencyKey: "\ud800" }, 400, "VALIDATION", "idempotencyKey"],
    ["with earlyFire as 1", { ...valid, earlyFire: 1 }, 400, "VALIDATION", "earlyFire"],
    ["one byte over the cap", { ...valid, payload: "a".repeat(51_201) }, 413, "PAYLOAD_TOO_LARGE"],
    ["over the cap in bytes, not characters", { ...valid, payload: "\u20ac".repeat(20_000) }, 413, "PAYLOAD_TOO_LARGE"],
    ["that is JSON null", raw("null"), 400, "VALIDATION", ""],
    ["that is an array", raw("[]"), 400, "VALIDATION", ""],
    ["in single quotes", raw("{'a':1}"), 400, "VALIDATION", ""],
    ["that is empty", raw(""), 400, "VALIDATION", ""],
    ["that is not UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), 400, "VALIDATION", ""],
    ["that nests deeply", raw(`{"payload":${"[".repeat(500_000)}${"]".repeat(500_000)}}`), 400, "VALIDATION"],
    [
      "with __proto__",
      raw(`{"targetUrl":"${TARGET}","fireAt":"${FUTURE}","__proto__":{"a":1}}`),
      400,
      "VALIDATION",
      "__proto__",
    ],
  ])("%s", async (_, body, status, code, path) => {
    const answer = await post(body);
    expect(answer.body).toMatchObject({ error: { code } });
    expect(answer.status).toBe(status);
    if (path !== undefined) expect(answer.body.error.details[0].path).toBe(path);
    expect(await stored()).toEqual({ schedules: 0, requests: 0, used: 0 });
  });

  it("names the limit in bytes when its payload is too large", async () => {
    const answer = await post({ ...valid, payload: "a".repeat(51_201) });
    expect(answer.body.error.message).toContain("51200 bytes");
  });
});

describe("the order of validation", () => {
  const past = "2020-01-01T00:00:00Z";
  const known = { ...valid, idempotencyKey: "known" };

  it("puts syntax before a known idempotency key", async () => {
    await post(known);
    expect(await post({ ...known, extra: 1 })).toMatchObject({ status: 400 });
  });

  it("puts a known idempotency key before time, target and size", async () => {
    const first = await post(known);
    for (const body of [
      { ...known, fireAt: past },
      { ...known, targetUrl: "https://10.0.0.1/" },
      { ...known, targetUrl: "not an address \0" },
      { ...known, payload: "a".repeat(60_000) },
    ]) {
      const again = await post(body);
      expect(again).toMatchObject({ status: 200, body: { ...first.body, replayed: true, mismatch: true } });
      expect(again.headers.get("idempotency-mismatch")).toBe("true");
    }
    expect(await stored()).toMatchObject({ schedules: 1, used: 1 });
  });

  it("puts time before target, target before size, size before quota", async () => {
    await api.sql`INSERT INTO usage VALUES (${caller.accountId}, 'live', to_char(now() AT TIME ZONE 'utc', 'YYYYMM'), 33)`;
    const tooLarge = { ...valid, payload: "a".repeat(60_000) };
    const blocked = { ...tooLarge, targetUrl: "https://10.0.0.1/" };
    const paths = async (body: object) => (await post(body)).body.error;
    expect((await paths({ ...blocked, fireAt: past })).details[0].path).toBe("fireAt");
    expect((await paths(blocked)).details[0].path).toBe("targetUrl");
    expect((await paths(tooLarge)).code).toBe("PAYLOAD_TOO_LARGE");
    expect((await paths(valid)).code).toBe("QUOTA_EXCEEDED");
  });
});

describe("idempotency", () => {
  it("returns the same schedule again with 200 and marks the answer as replayed, in headers and body", async () => {
    const first = await post({ ...valid, idempotencyKey: "k", headers: { A: "1", B: "2" } });
    const again = await post({ ...valid, idempotencyKey: "k", headers: { b: "2", a: "1" }, method: "POST" });
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    expect(again).toMatchObject({ status: 200, body: { ...first.body, replayed: true } });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.headers.get("idempotency-mismatch")).toBeNull();
  });

  it("returns a cancelled schedule instead of creating a new one", async () => {
    const id = await api.create(caller.live, { idempotencyKey: "k" });
    await api.call("DELETE", `/v1/schedules/${id}`, caller.live);
    expect(await post({ ...valid, idempotencyKey: "k" })).toMatchObject({
      status: 200,
      body: { id, status: "cancelled" },
    });
  });

  it("distinguishes keys by letter case, Unicode normal form, environment and account", async () => {
    for (const idempotencyKey of ["k", "K", "\u00e9", "e\u0301"]) {
      expect(await post({ ...valid, idempotencyKey })).toMatchObject({ status: 201 });
    }
    expect(await post({ ...valid, idempotencyKey: "k" }, {}, caller.test)).toMatchObject({ status: 201 });
    expect(await post({ ...valid, idempotencyKey: "k" }, {}, (await api.account()).live)).toMatchObject({
      status: 201,
    });
  });

  it("accepts the Idempotency-Key header as the field, and refuses it when it differs from the field", async () => {
    const first = await post(valid, { "idempotency-key": "k" });
    expect(await post({ ...valid, idempotencyKey: "k" })).toMatchObject({ status: 200, body: { id: first.body.id } });
    expect(await post({ ...valid, idempotencyKey: "k" }, { "idempotency-key": "k" })).toMatchObject({ status: 200 });
    for (const key of ["other", "", "k".repeat(256), "\u00e9"]) {
      const answer = await post({ ...valid, idempotencyKey: "k" }, { "idempotency-key": key });
      expect(answer).toMatchObject({ status: 400, body: { error: { code: "VALIDATION" } } });
    }
  });

  it("makes one schedule and counts one for 100 parallel creates with one key", async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => post({ ...valid, idempotencyKey: "k" })));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(99);
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    expect(await stored()).toEqual({ schedules: 1, requests: 1, used: 1 });
  });
});

describe("the quota", () => {
  it("accepts exactly the grace limit under 100 parallel creates", async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => post(valid)));
    const codes = Map.groupBy(answers, (answer) => answer.status);
    expect([codes.get(201)?.length, codes.get(402)?.length]).toEqual([33, 67]);
    expect(codes.get(201)?.filter((answer) => answer.body.over_limit)).toHaveLength(3);
    expect(await stored()).toEqual({ schedules: 33, requests: 33, used: 33 });

    const { code, message } = codes.get(402)?.[0]?.body.error ?? {};
    expect(code).toBe("QUOTA_EXCEEDED");
    expect(message).toMatch(/^33 live schedules .* allows 30, 33 with its grace\. .* \d{4}-\d\d-01T00:00:00\.000Z\.$/);
  });

  it("counts test schedules separately and gives them no grace", async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => post(valid, {}, caller.test)));
    expect(answers.filter((answer) => answer.status === 402)).toHaveLength(2);
    expect(await post(valid)).toMatchObject({ status: 201 });
  });
});
