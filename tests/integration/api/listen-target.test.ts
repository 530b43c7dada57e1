import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Api, FUTURE, startApi, type TestCaller } from "./api.ts";

const HOOK = "https://listen.invalid/hooks/a?b=c";
const REFUSED = "must point to a public host: https://listen.invalid/ is for test keys alone";

describe.each([
  ["no policy", {}],
  ["a policy that denies the host", { DELIVERY_DENY: "invalid,listen.invalid" }],
  ["a policy that allows the host", { DELIVERY_ALLOW: "listen.invalid:443,http://listen.invalid:80" }],
])("https://listen.invalid/<path> on an installation with %s", (_, settings) => {
  let api: Api;
  let caller: TestCaller;

  beforeAll(async () => {
    api = await startApi(settings);
  });
  afterAll(() => api.stop());
  beforeEach(async () => {
    caller = await api.account();
  });

  const create = (key: string | { cookie: string }, targetUrl: string, query = "") =>
    api.call("POST", `/v1/schedules${query}`, key, { targetUrl, fireAt: FUTURE }, SAME_ORIGIN);

  it("is a target of a test key, and stored as it is requested", async () => {
    const { status, body } = await create(caller.test, "https://LISTEN.invalid.:443/hooks/a?b=c#d");
    expect(status).toBe(201);
    expect((await api.call("GET", `/v1/schedules/${body.id}`, caller.test)).body).toMatchObject({ target_url: HOOK });
    const [row] = await api.sql`SELECT origin FROM schedules WHERE account_id = ${caller.accountId}`;
    expect(row).toEqual({ origin: "https://listen.invalid" });
    const copies = await Promise.all([
      api.call("POST", `/v1/schedules/${body.id}/replay`, caller.test, {}),
      api.call("POST", `/v1/schedules/${body.id}/clone`, caller.test, { payload: "new" }),
    ]);
    expect(copies.map(({ status }) => status)).toEqual([201, 201]);
  });

  it("is refused for a live key with a message that names test keys, and stores nothing", async () => {
    const refused = await create(caller.live, HOOK);
    expect(refused).toMatchObject({ status: 400 });
    expect(refused.body.error).toMatchObject({
      code: "VALIDATION",
      message: `targetUrl ${REFUSED}`,
      details: [{ path: "targetUrl", message: REFUSED }],
    });
    const [row] = await api.sql`SELECT count(*)::int AS n FROM schedules WHERE account_id = ${caller.accountId}`;
    expect(row).toEqual({ n: 0 });
  });

  it("is judged item by item in bulk", async () => {
    const schedules = [
      { targetUrl: HOOK, fireAt: FUTURE },
      { targetUrl: "https://example.com/", fireAt: FUTURE },
    ];
    const live = await api.call("POST", "/v1/schedules/bulk", caller.live, { schedules });
    expect(live.body).toMatchObject({ accepted: [{ index: 1 }], rejected: [{ index: 0, code: "VALIDATION" }] });
    const test = await api.call("POST", "/v1/schedules/bulk", caller.test, { schedules });
    expect(test.body).toMatchObject({ accepted: [{ index: 0 }, { index: 1 }], rejected: [] });
  });

  it("follows the environment that a session acts in", async () => {
    const session = await api.session(caller.accountId);
    expect(await create(session, HOOK)).toMatchObject({ status: 400 });
    expect(await create(session, HOOK, "?env=test")).toMatchObject({ status: 201 });
  });

  it.each([
    ...["http://listen.invalid/", "https://listen.invalid:80/", "https://listen.invalid:8443/"],
    ...["https://a@listen.invalid/", "https://a.listen.invalid/", "https://invalid/", "https://xlisten.invalid/"],
    ...["https://listen.invalid\\a", "https://listen%2einvalid/", "listen.invalid/hook", "//listen.invalid/hook"],
  ])("is spelt no other way: %s", async (targetUrl) => {
    expect(await create(caller.test, targetUrl)).toMatchObject({ status: 400 });
    expect(await create(caller.live, targetUrl)).toMatchObject({ status: 400 });
  });
});

const SAME_ORIGIN = { "sec-fetch-site": "same-origin" };
