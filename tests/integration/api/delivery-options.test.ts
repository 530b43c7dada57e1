import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Api, FUTURE, startApi, TARGET, type TestCaller } from "./api.ts";
import { uuidOf } from "./stored-content.ts";

let api: Api;
let caller: TestCaller;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());
beforeEach(async () => {
  caller = await api.account();
});

const EXPIRES = "2031-06-01T00:00:00.000Z";
const ALL = { timeoutMs: 5_000, retryDelaysMs: [1_000, 60_000], giveUpStatuses: [410, "400-404"], expiresAt: EXPIRES };
const SHOWN = {
  timeout_ms: 5_000,
  retry_delays_ms: [1_000, 60_000],
  give_up_statuses: [410, "400-404"],
  expires_at: EXPIRES,
};
const NONE = { timeout_ms: null, retry_delays_ms: null, give_up_statuses: null, expires_at: null };

const create = (delivery?: unknown, body: object = {}) =>
  api.call("POST", "/v1/schedules", caller.live, { targetUrl: TARGET, fireAt: FUTURE, delivery, ...body });
const get = async (id: string) => (await api.call("GET", `/v1/schedules/${id}`, caller.live)).body;
const shown = async (delivery: unknown, body?: object) => (await get((await create(delivery, body)).body.id)).delivery;
const storedOf = async (id: string) =>
  (await api.sql`SELECT delivery FROM schedules WHERE id = ${uuidOf(id)}`)[0]?.delivery;

describe("the delivery options of a new schedule", () => {
  it("are answered as they were given, each that was not given as null", async () => {
    expect(await shown(ALL)).toEqual(SHOWN);
    expect(await shown({ timeoutMs: 1_000 })).toEqual({ ...NONE, timeout_ms: 1_000 });
    expect(await shown({ retryDelaysMs: [], giveUpStatuses: [] })).toEqual({
      ...NONE,
      ...{ retry_delays_ms: [], give_up_statuses: [] },
    });
  });

  it.each([undefined, null, {}, { timeoutMs: null, retryDelaysMs: null, giveUpStatuses: null, expiresAt: null }])(
    "are none when they are %j, and nothing is stored for them",
    async (delivery) => {
      const { id } = (await create(delivery)).body;
      expect((await get(id)).delivery).toBeNull();
      expect(await storedOf(id)).toBeNull();
    },
  );

  it("are set to their bounds, and answered so", async () => {
    expect(await shown({ timeoutMs: 1, retryDelaysMs: [0, 604_800_001] })).toEqual({
      ...NONE,
      ...{ timeout_ms: 1_000, retry_delays_ms: [1_000, 604_800_000] },
    });
    expect(await shown({ timeoutMs: 60_000 })).toMatchObject({ timeout_ms: 30_000 });
  });

  it("have an expiry that counts from the time of the schedule when it is given as a duration", async () => {
    expect(await shown({ expiresIn: "1h" })).toEqual({ ...NONE, expires_at: "2031-01-01T01:00:00.000Z" });
    const answer = await create({ expiresIn: "90s" }, { fireAt: undefined, fireIn: "1h" });
    const { delivery } = await get(answer.body.id);
    expect(Date.parse(delivery.expires_at) - Date.parse(answer.body.fire_at)).toBe(90_000);
  });

  it.each([
    [{ timeoutMs: "5s" }, "delivery.timeoutMs", "must be a whole number of milliseconds"],
    [{ timeoutMs: 1_500.5 }, "delivery.timeoutMs", "must be a whole number of milliseconds"],
    [{ retryDelaysMs: [1_000, "1m"] }, "delivery.retryDelaysMs.1", "must be a whole number of milliseconds"],
    [{ retryDelaysMs: 1_000 }, "delivery.retryDelaysMs", "must be an array of delays in milliseconds, or null"],
    [{ retryDelaysMs: [1, 1, 1, 1, 1, 1] }, "delivery.retryDelaysMs.4", "is one retry too many: this plan has 4"],
    [{ giveUpStatuses: [410, 200] }, "delivery.giveUpStatuses.1", /^must be a status from 300 to 599/],
    [{ giveUpStatuses: ["404-400"] }, "delivery.giveUpStatuses.0", /^must be a status from 300 to 599/],
    [{ giveUpStatuses: Array(33).fill(410) }, "delivery.giveUpStatuses", "must have at most 32 entries"],
    [{ expiresAt: "tomorrow" }, "delivery.expiresAt", /^must be an? /],
    [{ expiresIn: "1 h" }, "delivery.expiresIn", /^must be a duration/],
    [{ expiresAt: EXPIRES, expiresIn: "1h" }, "delivery.expiresIn", "cannot stand beside expiresAt: give one of them"],
    [{ expiresAt: FUTURE }, "delivery.expiresAt", "must be after the time of the schedule"],
    [{ expiresAt: "2020-01-01T00:00:00Z" }, "delivery.expiresAt", "must be after the time of the schedule"],
    [{ timeout: 5 }, "delivery.timeout", "is unknown"],
    ["fast", "delivery", "must be an object or null"],
  ])("that are %j are VALIDATION at %s", async (delivery, path, message) => {
    const answer = await create(delivery);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({
      code: "VALIDATION",
      details: [{ path, message: typeof message === "string" ? message : expect.stringMatching(message) }],
    });
  });
});

it("a request with another idempotency key's options is a mismatch, and one without any is as before", async () => {
  const key = { idempotencyKey: "once" };
  await create(ALL, key);
  expect((await create(ALL, key)).body).toMatchObject({ replayed: true, mismatch: false });
  expect((await create(undefined, key)).body).toMatchObject({ replayed: true, mismatch: true });
  expect((await create({ ...ALL, expiresAt: "2020-01-01T00:00:00Z" }, key)).body).toMatchObject({ mismatch: true });
  await create(undefined, { idempotencyKey: "none" });
  expect((await create({}, { idempotencyKey: "none" })).body).toMatchObject({ replayed: true, mismatch: false });
});

it("the items of a batch have their own options, and an item that expires before its time is rejected alone", async () => {
  const item = { targetUrl: TARGET, fireAt: FUTURE };
  const { body } = await api.call("POST", "/v1/schedules/bulk", caller.live, {
    schedules: [
      { ...item, delivery: ALL },
      item,
      { ...item, delivery: { expiresIn: "1h" } },
      { ...item, delivery: { expiresAt: FUTURE } },
      { ...item, delivery: { retryDelaysMs: [1, 1, 1, 1, 1] } },
    ],
  });
  const deliveries = await Promise.all(body.accepted.map(async ({ id }: { id: string }) => (await get(id)).delivery));
  expect(deliveries).toEqual([SHOWN, null, { ...NONE, expires_at: "2031-01-01T01:00:00.000Z" }]);
  expect(body.rejected).toMatchObject([
    { index: 3, code: "VALIDATION", message: "delivery.expiresAt must be after the time of the schedule" },
    { index: 4, code: "VALIDATION", message: "delivery.retryDelaysMs.4 is one retry too many: this plan has 4" },
  ]);
});

it("PUT replaces the options of a scheduled one, by none where they are left out", async () => {
  const put = (delivery?: unknown) =>
    api.call("PUT", "/v1/schedules/by-key/cart", caller.live, { targetUrl: TARGET, fireAt: FUTURE, delivery });
  const { id } = (await put({ expiresIn: "1h" })).body;
  expect((await get(id)).delivery).toEqual({ ...NONE, expires_at: "2031-01-01T01:00:00.000Z" });
  expect((await put({ expiresAt: FUTURE })).body.error.details).toMatchObject([{ path: "delivery.expiresAt" }]);
  expect((await get(id)).delivery).toMatchObject({ expires_at: "2031-01-01T01:00:00.000Z" });
  await put(ALL);
  expect((await get(id)).delivery).toEqual(SHOWN);
  expect((await put()).status).toBe(200);
  expect((await get(id)).delivery).toBeNull();
});

describe("a copy", () => {
  const copy = (kind: "replay" | "clone", id: string, body: object) =>
    api.call("POST", `/v1/schedules/${id}/${kind}`, caller.live, body);

  it("has the options of the original; a clone may have others, or none", async () => {
    const { id } = (await create(ALL)).body;
    expect((await get((await copy("replay", id, {})).body.id)).delivery).toEqual(SHOWN);
    expect((await get((await copy("clone", id, { payload: "" })).body.id)).delivery).toEqual(SHOWN);
    const other = await copy("clone", id, { payload: "", delivery: { timeoutMs: 2_000 } });
    expect((await get(other.body.id)).delivery).toEqual({ ...NONE, timeout_ms: 2_000 });
    expect((await get((await copy("clone", id, { payload: "", delivery: null })).body.id)).delivery).toBeNull();
    expect((await copy("replay", id, { delivery: ALL })).status).toBe(400);
  });

  it("expires as long after its own time when the original's expiry was a duration", async () => {
    const { id } = (await create({ expiresIn: "1h" })).body;
    const replayed = (await copy("replay", id, { fireAt: "2032-01-01T00:00:00Z" })).body;
    expect((await get(replayed.id)).delivery).toEqual({ ...NONE, expires_at: "2032-01-01T01:00:00.000Z" });
  });

  it("is refused when it would be after an expiry that was an instant, but for a clone with other options", async () => {
    const { id } = (await create(ALL)).body;
    const late = { fireAt: "2032-01-01T00:00:00Z" };
    expect(await copy("replay", id, late)).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
    expect((await copy("clone", id, { ...late, payload: "" })).status).toBe(409);
    expect((await copy("clone", id, { ...late, payload: "", delivery: {} })).status).toBe(201);
  });
});

it("a move keeps the expiry, and may not go beyond it", async () => {
  const { id } = (await create({ expiresIn: "1h" })).body;
  const move = (body: object) => api.call("PATCH", `/v1/schedules/${id}`, caller.live, body);
  const moved = await move({ fireAt: "2031-01-01T00:59:59Z" });
  expect(moved.body.delivery).toEqual({ ...NONE, expires_at: "2031-01-01T01:00:00.000Z" });
  for (const body of [{ fireAt: "2031-01-01T01:00:00Z" }, { fireIn: "36500d" }]) {
    const refused = await move(body);
    expect(refused.body.error.details).toEqual([
      { path: Object.keys(body)[0], message: "must be before the schedule expires" },
    ]);
  }
  expect((await move({ earlyFire: true })).body.delivery).toEqual(moved.body.delivery);
});

it("a schedule says why it is dead, and nothing else does", async () => {
  const { id } = (await create()).body;
  expect((await get(id)).end_reason).toBeNull();
  await api.sql`UPDATE schedules SET status = 'dead', next_attempt_at = NULL, ended_at = now(), end_reason = 'status'
    WHERE id = ${uuidOf(id)}`;
  expect((await get(id)).end_reason).toBe("status");
  const { body } = await api.call("GET", "/v1/schedules?status=dead", caller.live);
  expect(body.items).toMatchObject([{ id, end_reason: "status", delivery: null }]);
});
