import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Api, startApi, type TestCaller, type TestSession } from "./api.ts";

let api: Api;
let caller: TestCaller;
let recent: TestSession;
let old: TestSession;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());
beforeEach(async () => {
  caller = await api.account();
  recent = await api.session(caller.accountId, { ageDays: 0.99 });
  old = await api.session(caller.accountId, { ageDays: 1.01 });
});

const create = (session: TestSession, env: "live" | "test") =>
  api.call("POST", "/v1/api-keys", session, { name: "k", env });
const rotate = (session: TestSession, id: string) => api.call("POST", `/v1/api-keys/${id}/rotate`, session);
const keyOf = async (env: "live" | "test") => (await api.call("GET", "/v1/me", caller[env])).body.apiKey.id;
const rows = () => api.sql`SELECT id, revoked_at FROM api_keys WHERE account_id = ${caller.accountId} ORDER BY id`;

const REFUSED = {
  status: 403,
  body: { error: { code: "FORBIDDEN", message: expect.stringMatching(/sign in again/i) } },
};

describe("a session whose sign-in is more than a day ago", () => {
  it("cannot create a live key, but a test key", async () => {
    const before = await rows();
    expect(await create(old, "live")).toMatchObject(REFUSED);
    expect(await rows()).toEqual(before);
    expect(await create(old, "test")).toMatchObject({ status: 201 });
  });

  it("cannot rotate a live key, but a test key", async () => {
    const before = await rows();
    expect(await rotate(old, await keyOf("live"))).toMatchObject(REFUSED);
    expect(await rows()).toEqual(before);
    expect(await api.call("GET", "/v1/me", caller.live)).toMatchObject({ status: 200 });
    expect(await rotate(old, await keyOf("test"))).toMatchObject({ status: 201 });
  });

  it("learns nothing of the keys of other accounts", async () => {
    const other = await api.account();
    const { id } = (await api.call("GET", "/v1/me", other.live)).body.apiKey;
    expect(await rotate(old, id)).toMatchObject({ status: 404 });
    expect(await rotate(old, "key_x")).toMatchObject({ status: 404 });
  });

  it("does not delete the account", async () => {
    expect(await api.call("DELETE", "/v1/me", old)).toMatchObject(REFUSED);
    expect(await api.call("GET", "/v1/me", caller.live)).toMatchObject({ status: 200 });
  });

  it("may do everything else, such as revoking a live key and ending sessions, which nothing should delay", async () => {
    const id = await keyOf("live");
    expect(await api.call("POST", `/v1/api-keys/${id}/revoke`, old)).toMatchObject({ status: 204 });
    expect(await api.call("PATCH", "/v1/me", old, { name: "Ada" })).toMatchObject({ status: 200 });
    expect(await api.call("POST", "/v1/signing-secrets/rotate", old)).toMatchObject({ status: 200 });
    expect(await api.call("DELETE", "/v1/me/sessions", old)).toMatchObject({ status: 204 });
  });

  it("does not become recent by being used and renewed", async () => {
    expect((await api.call("GET", "/v1/me", old)).headers.has("set-cookie")).toBe(true);
    expect(await create(old, "live")).toMatchObject(REFUSED);
  });
});

describe("a session whose sign-in is less than a day ago", () => {
  it("creates and rotates live keys, and deletes the account", async () => {
    expect(await create(recent, "live")).toMatchObject({ status: 201 });
    expect(await rotate(recent, await keyOf("live"))).toMatchObject({ status: 201 });
    expect(await api.call("DELETE", "/v1/me", recent)).toMatchObject({ status: 204 });
  });
});
