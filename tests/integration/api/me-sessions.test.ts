import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { encodeId } from "#domain/ids.ts";
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

describe("DELETE /v1/me/sessions/:id", () => {
  const end = (id: string, by: TestSession | string = session) => api.call("DELETE", `/v1/me/sessions/${id}`, by);
  const idOf = ({ id }: TestSession) => encodeId("ses", id);
  const isAlive = async ({ cookie }: TestSession) => (await api.call("GET", "/v1/me", { cookie })).status === 200;

  it("answers 204 and ends that session at once, and no other", async () => {
    const [one, two] = await Promise.all([0, 1].map(() => api.session(caller.accountId)));
    const answer = await end(idOf(one as TestSession));
    expect([answer.status, answer.text, answer.headers.has("set-cookie")]).toEqual([204, "", false]);
    expect(await Promise.all([session, one, two].map((each) => isAlive(each as TestSession)))).toEqual([
      true,
      false,
      true,
    ]);
    expect(await end(idOf(one as TestSession))).toMatchObject({ status: 404 });
  });

  it("clears the cookie when it ends the session of the call", async () => {
    const { status, headers } = await end(idOf(session));
    expect([status, headers.get("set-cookie")]).toEqual([204, expect.stringMatching(/^sw_session=; .*Max-Age=0/)]);
    expect(await isAlive(session)).toBe(false);
  });

  it("clears the cookie rather than renewing it when both are due", async () => {
    const old = await api.session(caller.accountId, { ageDays: 3 });
    expect((await end(idOf(old), old)).headers.getSetCookie()).toEqual([expect.stringMatching(/^sw_session=; /)]);
  });

  it("answers 404 for a session of another account, one that expired, and anything that is no id of a session", async () => {
    const stranger = await api.session((await api.account()).accountId);
    const expired = await api.session(caller.accountId, { ageDays: 7.001 });
    for (const id of [
      idOf(stranger),
      idOf(expired),
      encodeId("key", session.id),
      session.id,
      session.token,
      "ses_",
      "x",
    ]) {
      expect(await end(id), id).toMatchObject({ status: 404, body: { error: { code: "NOT_FOUND" } } });
    }
    expect(await isAlive(stranger)).toBe(true);
  });

  it("needs a session: a key may not end one", async () => {
    expect(await end(idOf(session), caller.live)).toMatchObject({ status: 403 });
    expect(await isAlive(session)).toBe(true);
  });
});
