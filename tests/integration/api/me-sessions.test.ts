import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Api, startApi, type TestCaller, type TestSession } from "./api.ts";

let api: Api;
let caller: TestCaller;
let session: TestSession;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());
beforeEach(async () => {
  caller = await api.account();
  session = await api.session(caller.accountId);
});

describe("GET /v1/me/sessions", () => {
  it("answers 200 with the active sessions, the last used first, and marks the caller's", async () => {
    const older = await api.session(caller.accountId, { ageDays: 3 });
    await api.session(caller.accountId, { ageDays: 8 });
    await api.session((await api.account()).accountId);
    const { body } = await api.call("GET", "/v1/me/sessions", session);
    expect(body.items).toHaveLength(2);
    expect(body.items.map((item: { current: boolean }) => item.current)).toEqual([true, false]);
    expect(new Date(body.items[1].expiresAt).getTime() - new Date(body.items[1].createdAt).getTime()).toBe(
      7 * 86_400_000,
    );
    expect(JSON.stringify(body)).not.toContain(older.token);
  });
});

describe("DELETE /v1/me/sessions", () => {
  it("answers 204 and ends every other session of the account at once, but no keys and no other account's sessions", async () => {
    const others = await Promise.all([0, 1, 2].map(() => api.session(caller.accountId)));
    const stranger = await api.session((await api.account()).accountId);
    const { status, text } = await api.call("DELETE", "/v1/me/sessions", session);
    expect([status, text]).toEqual([204, ""]);
    for (const { cookie } of others) expect(await api.call("GET", "/v1/me", { cookie })).toMatchObject({ status: 401 });
    for (const { cookie } of [session, stranger])
      expect(await api.call("GET", "/v1/me", { cookie })).toMatchObject({ status: 200 });
    expect(await api.call("GET", "/v1/me", caller.live)).toMatchObject({ status: 200 });
  });
});
