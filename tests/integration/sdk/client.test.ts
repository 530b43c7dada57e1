import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Stopwatch, StopwatchError } from "../../../sdk/src/index.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { type Api, FUTURE, startApi, TARGET, type TestCaller } from "../api/api.ts";
import { serveApi } from "./serve-api.ts";

let api: Api;
let service: Awaited<ReturnType<typeof serveApi>>;
beforeAll(async () => {
  api = await startApi();
  service = await serveApi();
});
afterAll(async () => {
  await service?.stop();
  await api?.stop();
});

const clientOf = ({ live }: TestCaller) => new Stopwatch(live, { baseUrl: service.origin });
const newClient = async () => clientOf(await api.account());
const input = { targetUrl: TARGET, fireAt: FUTURE };

describe("a schedule", () => {
  it("is created at an instant, after a duration and at a local time", async () => {
    const { schedules } = await newClient();
    const atDate = await schedules.create({ targetUrl: new URL(TARGET), fireAt: new Date(FUTURE), json: { n: 1 } });
    expect(atDate).toMatchObject({
      status: "scheduled",
      fire_at: FUTURE,
      over_limit: false,
      replayed: false,
      mismatch: false,
    });
    expect(await schedules.get(atDate.id)).toMatchObject({ has_payload: true, payload_size_bytes: 7, method: "POST" });
    const fromNow = await schedules.create({ targetUrl: TARGET, fireIn: "1h30m", payload: "é" });
    expect(Date.parse(fromNow.fire_at) - Date.now()).toBeCloseTo(5_400_000, -4);
    const skipped = { fireAtLocal: "2031-03-30T02:30", timezone: "Europe/Berlin" };
    expect(await schedules.create({ targetUrl: TARGET, ...skipped })).toMatchObject({
      fire_at: "2031-03-30T01:30:00.000Z",
      clock_change: "gap",
    });
    await expect(schedules.create({ targetUrl: TARGET, ...skipped, onClockChange: "refuse" })).rejects.toMatchObject({
      code: "VALIDATION",
      details: [{ path: "fireAtLocal" }],
    });
  });

  it("is moved, fired, cancelled, replayed and cloned", async () => {
    const { schedules } = await newClient();
    const { id } = await schedules.create({ ...input, json: { n: 1 }, headers: { "X-A": "1" } });
    const moved = await schedules.reschedule(id, { fireIn: "2h", earlyFire: true });
    expect(moved).toMatchObject({ id, early_fire: true });
    expect(Date.parse(moved.fire_at) - Date.now()).toBeCloseTo(7_200_000, -4);
    const fired = await schedules.fire(id);
    expect(Date.parse(fired.fire_at)).toBeLessThan(Date.now() + 1_000);
    expect(await schedules.cancel(id)).toMatchObject({ status: "cancelled" });
    expect(await schedules.cancel(id)).toMatchObject({ status: "cancelled" });
    expect(await schedules.wait(id)).toMatchObject({ id, status: "cancelled" });
    expect(await schedules.attempts(id)).toMatchObject({ items: [] });
    const copy = await schedules.replay(id, { fireIn: "1h", idempotencyKey: "again" });
    expect(await schedules.replay(id, { fireIn: "1h", idempotencyKey: "again" })).toMatchObject({
      id: copy.id,
      replayed: true,
      mismatch: false,
    });
    expect(await schedules.get(copy.id)).toMatchObject({ replay_of: id, payload_size_bytes: 7 });
    const clone = await schedules.clone(id, { json: [1, 2, 3], fireAt: FUTURE });
    expect(await schedules.get(clone.id)).toMatchObject({ replay_of: id, payload_size_bytes: 7, fire_at: FUTURE });
    await expect(schedules.reschedule(id, { fireIn: "1h" })).rejects.toMatchObject({ code: "CONFLICT", status: 409 });
    await expect(schedules.fire(id)).rejects.toMatchObject({ code: "CONFLICT" });
  });

  it("is waited for until it ends", async () => {
    const { schedules } = await newClient();
    const { id } = await schedules.create({ targetUrl: TARGET, fireIn: "2s" });
    const looks = () => service.requests.filter((request) => request === `GET /v1/schedules/${id}`).length;
    const ended = schedules.wait(id);
    await waitFor("a first look", () => looks() > 0);
    await schedules.cancel(id);
    expect(await ended).toMatchObject({ id, status: "cancelled" });
    expect(looks()).toBe(2);
  });
});

describe("a list", () => {
  it("yields every item once, by pages and by items, while others are created", async () => {
    const { schedules } = await newClient();
    const { accepted } = await schedules.createMany(Array.from({ length: 25 }, () => input));
    const ids = new Set<string>();
    for await (const { id } of schedules.list({
      limit: 10,
      status: ["scheduled", "dead"],
      sort: "fire_at",
      from: new Date(0),
    })) {
      if (ids.size === 5) await schedules.create(input);
      ids.add(id);
    }
    for (const { id } of accepted) expect(ids).toContain(id);
    const sizes: number[] = [];
    for await (const { items, total } of schedules.list({ limit: 10, to: "2032-01-01T00:00:00Z" }).pages()) {
      sizes.push(items.length);
      expect(total).toBe(26);
    }
    expect(sizes).toEqual([10, 10, 6]);
    expect(await schedules.list({ status: "dead" })).toMatchObject({ items: [], total: 0, next_cursor: null });
    await expect(schedules.list({ status: "gone" as never })).rejects.toMatchObject({ details: [{ path: "status" }] });
  });

  it("of the log and of operations has pages, too", async () => {
    const { logs, operations } = await newClient();
    expect(await logs.list({ outcome: "failed", code: "5xx" })).toMatchObject({ items: [], retention_days: 7 });
    for (let n = 0; n < 3; n++) await operations.start({ action: "cancel", all: true });
    const ids = new Set<string>();
    for await (const { id } of operations.list({ limit: 2 })) ids.add(id);
    expect(ids.size).toBe(3);
  });
});

it("an operation is started once, read, stopped and waited for", async () => {
  const { operations, schedules } = await newClient();
  const { id } = await schedules.create(input);
  const start = { action: "cancel", schedules: [id], idempotencyKey: "once" } as const;
  const started = await operations.start(start);
  expect(started).toMatchObject({ status: "running", total: 1, replayed: false });
  expect(await operations.start(start)).toMatchObject({ id: started.id, replayed: true, mismatch: false });
  expect(await operations.get(started.id)).toMatchObject({ id: started.id });
  await expect(operations.wait(started.id, { timeoutMs: 1_500 })).rejects.toMatchObject({ code: "TIMEOUT" });
  expect(await operations.stop(started.id)).toMatchObject({ status: "stopped" });
  expect(await operations.wait(started.id)).toMatchObject({ status: "stopped" });
});

it("figures, profile and secrets of the key's environment are read", async () => {
  const caller = await api.account("indie");
  const { live: _, ...rest } = caller;
  const client = new Stopwatch(rest.test, { baseUrl: service.origin });
  expect(client.env).toBe("test");
  expect(await client.me()).toMatchObject({
    authSource: "apiKey",
    apiKey: { env: "test" },
    user: { id: expect.stringMatching(/^acc_/) },
  });
  expect(await client.usage()).toMatchObject({ plan: "indie", limits: { bulk_items: 500 } });
  expect(await client.overview({ period: "7d" })).toMatchObject({ period: "7d", active_schedules: 0 });
  expect(await client.punctuality()).toMatchObject({ window: "24h" });
  const { current, next } = await client.signingSecrets.get();
  expect(await client.signingSecrets.rotate()).toMatchObject({ current: next, replayed: false });
  expect(current).not.toBe(next);
});

it("client.request reaches an endpoint that has no method", async () => {
  const client = await newClient();
  expect(await client.request("GET", "/v1/openapi.json")).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) });
  await expect(client.request("GET", "/v1/api-keys")).rejects.toMatchObject({ code: "FORBIDDEN", status: 403 });
  await expect(client.request("GET", "/v1/no-such-thing")).rejects.toMatchObject({ code: "NOT_FOUND" });
});

describe("an error", () => {
  it("has the code, the details and the id of the request", async () => {
    const { schedules } = await newClient();
    const error = await schedules.create({ targetUrl: "http://10.0.0.1", fireIn: "1h" }).catch((thrown) => thrown);
    expect(StopwatchError.is(error, "VALIDATION")).toBe(true);
    expect(error).toMatchObject({
      status: 400,
      requestId: expect.stringMatching(/^req_/),
      details: [{ path: "targetUrl" }],
    });
    await expect(schedules.create({ ...input, payload: "\ud800" })).rejects.toMatchObject({
      details: [{ path: "payload" }],
    });
    await expect(schedules.get("sch_01kbm5qk4f8rz3c2x7w9v6n1ta")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("about a time that is past says how far this machine's clock is from the service's", async () => {
    const { schedules } = await newClient();
    const past = schedules.create({ targetUrl: TARGET, fireAt: new Date(Date.now() - 60_000) });
    await expect(past).rejects.toThrow(/\(this machine's clock is [01] s (ahead|behind)\)$/);
  });

  it("is UNAUTHORIZED for a key that was revoked", async () => {
    const caller = await api.account();
    await api.sql`UPDATE api_keys SET revoked_at = now() WHERE account_id = ${caller.accountId}`;
    await expect(clientOf(caller).me()).rejects.toMatchObject({ code: "UNAUTHORIZED", attempts: 1 });
    const { rejected } = await clientOf(caller).schedules.createMany([input]);
    expect(rejected).toMatchObject([{ index: 0, code: "UNAUTHORIZED" }]);
  });
});
