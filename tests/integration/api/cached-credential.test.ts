import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { waitFor } from "#tests/helpers/wait-for.ts";
import { type Api, FUTURE, startApi, TARGET, type TestCaller } from "./api.ts";

let api: Api;
let caller: TestCaller;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());
beforeEach(async () => {
  caller = await api.account();
  // The key is cached from here on.
  await api.create(caller.live);
});

const valid = { targetUrl: TARGET, fireAt: FUTURE };
const post = (body: unknown = valid) => api.call("POST", "/v1/schedules", caller.live, body);
const bulk = (schedules: unknown[]) => api.call("POST", "/v1/schedules/bulk", caller.live, { schedules });
const stored = async () =>
  (await api.sql`SELECT count(*)::int AS n FROM schedules WHERE account_id = ${caller.accountId}`)[0]?.n;
const revoke = () => api.sql`UPDATE api_keys SET revoked_at = now() WHERE account_id = ${caller.accountId}`;
const setPlan = (plan: string) => api.sql`UPDATE accounts SET plan = ${plan} WHERE id = ${caller.accountId}`;

describe("a key in this process's cache", () => {
  it("creates one schedule in one round trip, and many in two: the plan is known before their body is read", async () => {
    const run = vi.spyOn(api.services.database, "run");
    try {
      await post();
      expect(run).toHaveBeenCalledTimes(1);
      await bulk([valid, valid]);
      expect(run).toHaveBeenCalledTimes(3);
    } finally {
      run.mockRestore();
    }
  });

  it.each<[string, () => PromiseLike<unknown>]>([
    ["revoked elsewhere", revoke],
    [
      "expired",
      () => api.sql`UPDATE api_keys SET revoked_at = now(), expires_at = now() WHERE account_id = ${caller.accountId}`,
    ],
    [
      "of an account that is deactivated",
      () => api.sql`UPDATE accounts SET status = 'deactivated' WHERE id = ${caller.accountId}`,
    ],
    ["deleted", () => api.sql`DELETE FROM api_keys WHERE account_id = ${caller.accountId}`],
  ])("is refused at once on every endpoint when it is %s, and stores nothing", async (_, end) => {
    await end();
    const answers = [
      await post(),
      await bulk([valid]),
      await bulk([null]),
      await bulk([]),
      await post({ ...valid, extra: 1 }),
      await post("not JSON"),
      await post({ ...valid, targetUrl: "https://10.0.0.1/" }),
      await api.call("POST", "/v1/schedules?env=test", caller.live, valid),
    ];
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 401, body: { error: { code: "UNAUTHORIZED" } } });
    expect(await stored()).toBe(1);
  });

  it("is refused on the first call after its revocation each time it was cached again", async () => {
    for (const ask of [() => post(), () => bulk([valid]), () => bulk([null])]) {
      expect((await ask()).status).toBeLessThan(300);
      await revoke();
      expect(await ask()).toMatchObject({ status: 401 });
      await api.sql`UPDATE api_keys SET revoked_at = NULL WHERE account_id = ${caller.accountId}`;
    }
  });

  it("has the limits of the current plan, after an upgrade and after a downgrade", async () => {
    const large = { ...valid, payload: "a".repeat(60_000) };
    const batch = Array(101).fill(valid);
    expect(await post(large)).toMatchObject({ status: 413 });
    expect(await bulk(batch)).toMatchObject({ status: 400 });
    await setPlan("indie");
    expect(await post(large)).toMatchObject({ status: 201 });
    await setPlan("free");
    expect(await post(large)).toMatchObject({ status: 413 });
    await setPlan("indie");
    expect((await bulk(batch)).body.accepted).toHaveLength(101);
    await setPlan("free");
    expect(await bulk(batch)).toMatchObject({ status: 400 });
    expect((await bulk([large])).body.rejected[0].code).toBe("PAYLOAD_TOO_LARGE");
    expect(await stored()).toBe(103);
  });

  it("counts in the quota of the current plan", async () => {
    await api.sql`UPDATE usage SET scheduled = 2200 WHERE account_id = ${caller.accountId}`;
    expect(await post()).toMatchObject({ status: 402 });
    await setPlan("indie");
    expect(await post()).toMatchObject({ status: 201, body: { over_limit: false } });
    await setPlan("free");
    expect(await post()).toMatchObject({ status: 402 });
  });

  it("still has its last use recorded", async () => {
    await api.sql`UPDATE api_keys SET last_used_at = now() - interval '1 hour' WHERE account_id = ${caller.accountId}`;
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      await waitFor("a use is recorded", async () => {
        // A use is not recorded while the record of an earlier one is on its way, but a minute later.
        vi.setSystemTime(Date.now() + 61_000);
        await post();
        const [row] = await api.sql`SELECT last_used_at > now() - interval '1 minute' AS fresh FROM api_keys
          WHERE account_id = ${caller.accountId} AND env = 'live'`;
        return row?.fresh;
      });
    } finally {
      vi.useRealTimers();
    }
  });
});
