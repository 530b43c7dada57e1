import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, startApi } from "./api.ts";

let api: Api;

beforeAll(async () => {
  api = await startApi({ PLANS: JSON.stringify({ free: { monthlyQuota: 15 }, indie: { monthlyQuota: 99 } }) });
});
afterAll(() => api.stop());

const month = () => new Date().toISOString().slice(0, 7).replace("-", "");

describe("GET /v1/usage 200", () => {
  it("shows the month, the plan, its quota and its limits for a call before the first create", async () => {
    const limits = { bulk_items: 100, payload_bytes: 51_200, requests_per_minute: 600 };
    const free = { period: month(), plan: "free", scheduled: 0, limit: 15, grace_limit: 16, over_limit: false, limits };
    expect((await api.call("GET", "/v1/usage", (await api.account("free")).live)).body).toEqual(free);
    // A tenth of 99 is 9.9, which is rounded down.
    const more = { bulk_items: 500, payload_bytes: 262_144, requests_per_minute: 6_000 };
    const indie = { plan: "indie", limit: 99, grace_limit: 108, limits: more };
    expect((await api.call("GET", "/v1/usage", (await api.account("indie")).live)).body).toMatchObject(indie);
  });

  it("counts created schedules, cancelled or not, and is over the limit within the grace", async () => {
    const caller = await api.account("free");
    const usage = async () => (await api.call("GET", "/v1/usage", caller.live)).body;
    for (let n = 0; n < 15; n++) await api.create(caller.live);
    const id = await api.create(caller.live);
    expect(await usage()).toMatchObject({ scheduled: 16, over_limit: true });
    await api.call("DELETE", `/v1/schedules/${id}`, caller.live);
    expect(await usage()).toMatchObject({ scheduled: 16, over_limit: true });
    expect(
      (
        await api.call("POST", "/v1/schedules", caller.live, {
          targetUrl: "https://example.com",
          fireAt: "2031-01-01T00:00:00Z",
        })
      ).status,
    ).toBe(402);
    expect(await usage()).toMatchObject({ scheduled: 16 });
  });

  it("omits other months", async () => {
    const caller = await api.account("free");
    await api.sql`INSERT INTO usage (account_id, env, period, scheduled) VALUES (${caller.accountId}, 'live', '202001', 9)`;
    await api.create(caller.live);
    expect((await api.call("GET", "/v1/usage", caller.live)).body).toMatchObject({ period: month(), scheduled: 1 });
  });

  it("shows the test environment alone, which has a cap of its own without grace", async () => {
    const caller = await api.account("free");
    await api.create(caller.live);
    await api.create(caller.test);
    await api.create(caller.test);
    const ofTest = { scheduled: 2, limit: 1_000, grace_limit: 1_000, over_limit: false };
    expect((await api.call("GET", "/v1/usage", caller.live)).body).toMatchObject({ scheduled: 1, limit: 15 });
    expect((await api.call("GET", "/v1/usage", caller.test)).body).toMatchObject(ofTest);
    const session = await api.session(caller.accountId);
    expect((await api.call("GET", "/v1/usage", session)).body).toMatchObject({ scheduled: 1 });
    expect((await api.call("GET", "/v1/usage?env=test", session)).body).toMatchObject(ofTest);
  });
});

describe("GET /v1/usage 400", () => {
  it.each(["env=test", "period=202601", "env=live&env=live"])("answers ?%s with a live key", async (query) => {
    expect((await api.call("GET", `/v1/usage?${query}`, (await api.account()).live)).status).toBe(400);
  });
});

describe("GET /v1/usage 401", () => {
  it("answers a call without a credential", async () => {
    expect((await api.call("GET", "/v1/usage")).status).toBe(401);
  });
});
