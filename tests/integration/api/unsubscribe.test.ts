import { createSecretKey, randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readUnsubscribeKey } from "#db/queries/fleet/instance-secrets.ts";
import { decodeId } from "#domain/ids.ts";
import { unsubscribeToken } from "#domain/unsubscribe-token.ts";
import { type Api, startApi, testConfig } from "./api.ts";

const PATH = "/v1/notices/unsubscribe";

let api: Api;
let accountId: string;
let token: string;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());
beforeEach(async () => {
  ({ accountId } = await api.account());
  const key = await readUnsubscribeKey(api.sql as never, testConfig("postgres://localhost/x").keyRing);
  token = unsubscribeToken(key, uuidOf(accountId));
});

const uuidOf = (id: string) => decodeId("acc", id) ?? id;

async function wantsNotices(id = accountId): Promise<boolean> {
  const [row] = await api.sql`SELECT notices FROM accounts WHERE id = ${uuidOf(id)}`;
  return row?.notices;
}

const FORM = "application/x-www-form-urlencoded";
const oneClick = (query: string, headers: Record<string, string> = {}) =>
  api.call("POST", `${PATH}?${query}`, null, "List-Unsubscribe=One-Click", { "content-type": FORM, ...headers });

describe("POST /v1/notices/unsubscribe", () => {
  it("as a mail program sends it, without a cookie and from another site, turns off the notices of that account and of no other", async () => {
    const other = await api.account();
    const foreign = { origin: "https://mail.example.net", "sec-fetch-site": "cross-site" };
    expect(await oneClick(`token=${token}`, foreign)).toMatchObject({ status: 200, body: { notices: false } });
    expect(await wantsNotices()).toBe(false);
    expect(await wantsNotices(other.accountId)).toBe(true);
  });

  it("is 200 again when it is repeated, with a form of the other kind, or without a body", async () => {
    await oneClick(`token=${token}`);
    const multipart = '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n';
    const type = { "content-type": "multipart/form-data; boundary=x" };
    expect((await api.call("POST", `${PATH}?token=${token}`, null, multipart, type)).status).toBe(200);
    expect((await api.call("POST", `${PATH}?token=${token}`)).status).toBe(200);
  });

  it("leads to the page that says so when a page sent it", async () => {
    const { status, headers } = await oneClick(`token=${token}&answer=page`);
    expect([status, headers.get("location")]).toEqual([303, "/unsubscribe?done=1"]);
    expect(await wantsNotices()).toBe(false);
  });

  it("with a token that is not ours is VALIDATION, and changes nothing", async () => {
    const forged = unsubscribeToken(createSecretKey(randomBytes(32)), uuidOf(accountId));
    for (const wrong of [forged, token.slice(0, -1), `${token}A`, uuidOf(accountId), accountId]) {
      const { status, body } = await oneClick(`token=${wrong}`);
      expect([status, body.error.code]).toEqual([400, "VALIDATION"]);
    }
    for (const query of ["", `token=${token}&token=${token}`, `token=${token}&answer=https://example.net`, "token="])
      expect((await oneClick(query)).status).toBe(400);
    expect(await wantsNotices()).toBe(true);
  });

  it("is 200 for a deleted account, which gets no mail", async () => {
    await api.sql`UPDATE accounts SET status = 'deleted', deleted_at = now() WHERE id = ${uuidOf(accountId)}`;
    expect((await oneClick(`token=${token}`)).status).toBe(200);
  });

  it("is undone by PATCH /v1/me with a session", async () => {
    await oneClick(`token=${token}`);
    const session = await api.session(uuidOf(accountId));
    const { body } = await api.call("PATCH", "/v1/me", session, { notices: true });
    expect(body.user.notices).toBe(true);
  });
});

describe("a scanner's request for /v1/notices/unsubscribe", () => {
  it.each(["GET", "HEAD"] as const)("by %s leads to the page and changes nothing", async (method) => {
    const { status, headers } = await api.call(method, `${PATH}?token=${token}`);
    expect([status, headers.get("location")]).toEqual([303, `/unsubscribe?token=${token}`]);
    expect(await wantsNotices()).toBe(true);
  });
});
