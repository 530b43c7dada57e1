import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { POST as switchByForm } from "#app/(dashboard)/relay/test-deliveries/route.ts";
import { type Api, startApi, type TestSession } from "./api.ts";

let api: Api;
let accountId: string;
let session: TestSession;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());
beforeEach(async () => {
  ({ accountId } = await api.account("indie"));
  session = await api.session(accountId);
});

const PATH = "/v1/me/relay-settings";
const NOTHING = { cpsLimit: null, retryAttempts: null, retryBackoffMs: null, retryStrategy: null, earlyFire: null };
const DEFAULTS = {
  cpsLimit: 500,
  retryAttempts: 4,
  retryBackoffMs: 30_000,
  retryStrategy: "exponential",
  earlyFire: false,
};

const read = () => api.call("GET", PATH, session);
const patch = (body: unknown) => api.call("PATCH", PATH, session, body);

describe("GET /v1/me/relay-settings 200", () => {
  it("shows the saved values, the effective ones, the limits and the defaults", async () => {
    expect((await read()).body).toEqual({
      ...NOTHING,
      testDeliveriesToListeners: false,
      testDeliveriesToListenersUntil: null,
      effective: DEFAULTS,
      limits: {
        cpsLimit: { min: 1, max: 500 },
        retryAttempts: { min: 0, max: 9 },
        retryBackoffMs: { min: 1_000, max: 3_600_000 },
        retryStrategy: ["exponential", "linear", "fixed"],
      },
      defaults: DEFAULTS,
    });
  });

  it("applies no more than the current plan allows, and shows what was saved under a larger plan", async () => {
    await patch({ cpsLimit: 400, retryAttempts: 9 });
    await api.sql`UPDATE accounts SET plan = 'free' WHERE id = ${accountId}`;
    expect((await read()).body).toMatchObject({
      cpsLimit: 400,
      retryAttempts: 9,
      effective: { cpsLimit: 20, retryAttempts: 4 },
    });
  });
});

describe("PATCH /v1/me/relay-settings 200", () => {
  it("saves the fields in the body and leaves omitted ones unchanged", async () => {
    const all = { cpsLimit: 7, retryAttempts: 2, retryBackoffMs: 5_000, retryStrategy: "linear", earlyFire: true };
    const first = await patch(all);
    expect(first.body).toMatchObject({ ...all, effective: all, defaults: DEFAULTS });
    expect((await patch({ retryAttempts: 0 })).body).toMatchObject({ ...all, retryAttempts: 0 });
    expect((await patch({})).body).toMatchObject({ ...all, retryAttempts: 0 });
    expect((await read()).body).toEqual((await patch({})).body);
  });

  it("returns to the plan's default for null", async () => {
    await patch({ cpsLimit: 7, retryStrategy: "fixed", earlyFire: true });
    const { body } = await patch({ cpsLimit: null, earlyFire: null });
    expect(body).toMatchObject({
      ...NOTHING,
      retryStrategy: "fixed",
      effective: { ...DEFAULTS, retryStrategy: "fixed" },
    });
    expect((await patch(NOTHING)).body).toMatchObject({ ...NOTHING, effective: DEFAULTS });
  });

  it.each([
    [{ cpsLimit: 0 }, { cpsLimit: 1 }],
    [{ cpsLimit: -5 }, { cpsLimit: 1 }],
    [{ cpsLimit: 501 }, { cpsLimit: 500 }],
    [{ retryAttempts: -1 }, { retryAttempts: 0 }],
    [{ retryAttempts: 1e300 }, { retryAttempts: 9 }],
    [{ retryBackoffMs: 1 }, { retryBackoffMs: 1_000 }],
    [{ retryBackoffMs: Number.MAX_SAFE_INTEGER }, { retryBackoffMs: 3_600_000 }],
  ])("saves %j, clamped to the limits, as %j", async (requested, saved) => {
    expect((await patch(requested)).body).toMatchObject({ ...saved, effective: saved });
    expect((await read()).body).toMatchObject(saved);
  });

  it("loses none of several concurrent changes", async () => {
    const knobs = [{ cpsLimit: 3 }, { retryAttempts: 1 }, { retryBackoffMs: 2_000 }, { retryStrategy: "fixed" }];
    await Promise.all(knobs.map(patch));
    expect((await read()).body).toMatchObject(Object.assign({}, ...knobs));
  });
});

describe("PATCH /v1/me/relay-settings 400", () => {
  it.each<[unknown, string]>([
    [{ cpsLimit: "20" }, "cpsLimit"],
    [{ cpsLimit: 1.5 }, "cpsLimit"],
    [{ retryAttempts: true }, "retryAttempts"],
    [{ retryBackoffMs: [1_000] }, "retryBackoffMs"],
    [{ retryStrategy: "random" }, "retryStrategy"],
    [{ retryStrategy: "" }, "retryStrategy"],
    [{ earlyFire: 1 }, "earlyFire"],
    [{ testDeliveriesToListeners: "on" }, "testDeliveriesToListeners"],
    [{ testDeliveriesToListenersUntil: null }, "testDeliveriesToListenersUntil"],
    [{ limits: {} }, "limits"],
    [{ accountId: "acc_x" }, "accountId"],
  ])("for %j names %s, and nothing of the call is saved", async (body, path) => {
    const answer = await patch({ retryAttempts: 1, ...(body as object) });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "VALIDATION", details: [{ path }] } } });
    expect((await read()).body).toMatchObject(NOTHING);
  });
});

describe("testDeliveriesToListeners", () => {
  const DAY_MS = 86_400_000;
  const events = async () => {
    const { body } = await api.call("GET", "/v1/me/events", session);
    return body.items.map(({ kind, by, env }: { kind: string; by: { kind: string }; env: string }) => [
      kind,
      by.kind,
      env,
    ]);
  };
  const on = () => patch({ testDeliveriesToListeners: true });
  const off = () => patch({ testDeliveriesToListeners: false });

  it("is on for seven days by the database's clock, and off again before that when it is set so", async () => {
    const [before] = await api.sql`SELECT now() + interval '7 days' AS at`;
    const { body } = await on();
    expect(body.testDeliveriesToListeners).toBe(true);
    const untilMs = Date.parse(body.testDeliveriesToListenersUntil);
    expect(untilMs - before?.at.getTime()).toBeGreaterThanOrEqual(-1);
    expect(untilMs - before?.at.getTime()).toBeLessThan(30_000);
    expect((await read()).body).toMatchObject(body);
    expect((await patch({ cpsLimit: 3 })).body).toMatchObject({
      testDeliveriesToListenersUntil: body.testDeliveriesToListenersUntil,
    });
    expect((await off()).body).toMatchObject({
      cpsLimit: 3,
      testDeliveriesToListeners: false,
      testDeliveriesToListenersUntil: null,
    });
    await on();
    expect((await patch({ testDeliveriesToListeners: null })).body).toMatchObject({ testDeliveriesToListeners: false });
  });

  it("is off once the seven days are over", async () => {
    await on();
    await api.sql`UPDATE relay_settings SET test_deliveries_until = now() - interval '1 ms' WHERE account_id = ${accountId}`;
    expect((await read()).body).toMatchObject({
      testDeliveriesToListeners: false,
      testDeliveriesToListenersUntil: null,
    });
  });

  it("begins its seven days anew when it is set again", async () => {
    await on();
    await api.sql`UPDATE relay_settings SET test_deliveries_until = now() + interval '1 day' WHERE account_id = ${accountId}`;
    const { body } = await on();
    expect(Date.parse(body.testDeliveriesToListenersUntil) - Date.now()).toBeGreaterThan(6 * DAY_MS);
  });

  it("is in the security log each time it is opened or closed, and nothing is when it was off already", async () => {
    await off();
    expect(await events()).toEqual([]);
    await on();
    await on();
    await off();
    await off();
    const [opened, closed] = ["test_deliveries_opened", "test_deliveries_closed"].map((kind) => [
      kind,
      "session",
      "test",
    ]);
    expect(await events()).toEqual([closed, opened, opened]);
  });

  it("is switched by a form of a session, too, and by no key: 403 for the live and the test key, and nothing changes", async () => {
    const caller = await api.account();
    for (const key of [caller.live, caller.test]) {
      const refused = await api.call("PATCH", PATH, key, { testDeliveriesToListeners: true });
      expect(refused).toMatchObject({ status: 403, body: { error: { code: "FORBIDDEN" } } });
      expect(await api.call("GET", PATH, key)).toMatchObject({ status: 403 });
    }
    const own = await api.session(caller.accountId);
    expect((await api.call("GET", PATH, own)).body.testDeliveriesToListeners).toBe(false);
    for (const [to, isOn] of [
      ["on", true],
      ["off", false],
    ] as const) {
      const request = new Request("http://127.0.0.1/relay/test-deliveries", {
        method: "POST",
        headers: {
          cookie: own.cookie,
          origin: "https://api.example.com",
          "content-type": "application/x-www-form-urlencoded",
        },
        body: `env=test&switch=${to}`,
      });
      const answer = await switchByForm(request, { params: Promise.resolve({}) });
      expect([answer.status, answer.headers.get("location")]).toEqual([303, "/relay?env=test"]);
      expect((await api.call("GET", PATH, own)).body.testDeliveriesToListeners).toBe(isOn);
    }
  });
});
