import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { waitFor } from "../../helpers/wait-for.ts";
import { type Api, FUTURE, startApi, TARGET, type TestCaller, type TestSession } from "./api.ts";

const OWN = "https://api.example.com";

let api: Api;
let caller: TestCaller;
let session: TestSession;

beforeAll(async () => {
  api = await startApi({ COOKIE_DOMAIN: "example.com", ADMIN_EMAILS: "Root@example.com" });
});
afterAll(() => api.stop());
beforeEach(async () => {
  caller = await api.account();
  session = await api.session(caller.accountId);
});

const read = (cookie: string, headers: Record<string, string> = {}) =>
  api.call("GET", "/v1/me", null, undefined, { cookie, ...headers });

const write = (headers: Record<string, string>) => api.call("PATCH", "/v1/me", session, { name: "Ada" }, headers);

describe("the session cookie", () => {
  it("authenticates its session, among other cookies and whatever surrounds it", async () => {
    for (const cookie of [
      session.cookie,
      `a=b; ${session.cookie}; c="d;e`,
      `; ;=;${session.cookie}`,
      `  sw_session = ${session.token} `,
      `sw_session_x=1; x_sw_session=${"a".repeat(43)}; ${session.cookie}`,
    ]) {
      expect(await read(cookie), cookie).toMatchObject({ status: 200, body: { authSource: "session", apiKey: null } });
    }
  });

  it.each([
    ["another name", (token: string) => `__Secure-sw_session=${token}`],
    ["a name in capitals", (token: string) => `SW_SESSION=${token}`],
    ["quotes", (token: string) => `sw_session="${token}"`],
    ["a character more", (token: string) => `sw_session=${token}a`],
    ["a character less", (token: string) => `sw_session=${token.slice(1)}`],
    ["percent-encoding", (token: string) => `sw_session=%${token.charCodeAt(0).toString(16)}${token.slice(1)}`],
    ["no name", (token: string) => token],
    ["no value", () => "sw_session="],
    ["a comma", (token: string) => `a=b, sw_session=${token}`],
  ])("with %s is not accepted", async (_, cookie) => {
    expect(await read(cookie(session.token))).toMatchObject({ status: 401 });
  });

  it("may be sent several times: invalid values do not affect the valid one", async () => {
    const stranger = `sw_session=${"A".repeat(43)}`;
    expect(await read(`${stranger}; ${session.cookie}`)).toMatchObject({ status: 200 });
    expect(await read(`${session.cookie}; ${stranger}`)).toMatchObject({ status: 200 });
  });

  it("is the first one when it has several valid values of one account", async () => {
    const other = await api.session(caller.accountId);
    const current = async (cookie: string) => {
      const { body } = await api.call("GET", "/v1/me/sessions", { cookie });
      return body.items.find((item: { current: boolean }) => item.current).id;
    };
    expect(await current(`${session.cookie}; ${other.cookie}`)).toBe(await current(session.cookie));
    expect(await current(`${other.cookie}; ${session.cookie}`)).toBe(await current(other.cookie));
  });

  describe("with valid values of two accounts", () => {
    const both = async () => {
      const other = await api.session((await api.account()).accountId);
      const unknown = `sw_session=${"A".repeat(43)}`;
      return [
        `${session.cookie}; ${other.cookie}`,
        `${other.cookie}; ${session.cookie}`,
        `${session.cookie}; ${unknown}; a=b; ${other.cookie}`,
        `${session.cookie}; ${session.cookie}; ${other.cookie}`,
      ];
    };

    it("is refused, on reads and on writes, and ends neither session", async () => {
      for (const cookie of await both()) {
        expect(await read(cookie), cookie).toMatchObject({ status: 401, body: { error: { code: "UNAUTHORIZED" } } });
        expect(await api.call("PATCH", "/v1/me", { cookie }, { name: "Eve" })).toMatchObject({ status: 401 });
        expect(await api.call("POST", "/v1/auth/logout", { cookie })).toMatchObject({ status: 401 });
        for (const one of cookie.split("; ").filter((pair) => pair === session.cookie)) {
          expect(await read(one)).toMatchObject({ status: 200, body: { user: { name: null } } });
        }
      }
    });

    it("is cleared for every path and domain that it can have come from", async () => {
      const [cookie = ""] = await both();
      const { headers } = await api.call("GET", "/v1/me/sessions", { cookie });
      const cleared = headers.getSetCookie();
      expect(new Set(cleared).size).toBe(cleared.length);
      for (const one of cleared)
        expect(one).toMatch(/^sw_session=; Path=\/.*; Max-Age=0; HttpOnly; SameSite=Lax; Secure/);
      const paths = ["/", "/v1", "/v1/", "/v1/me", "/v1/me/", "/v1/me/sessions"];
      for (const domain of ["", "; Domain=api.example.com", "; Domain=example.com"]) {
        for (const path of paths) {
          expect(cleared).toContain(`sw_session=; Path=${path}; Max-Age=0; HttpOnly; SameSite=Lax; Secure${domain}`);
        }
      }
      expect(cleared).toHaveLength(paths.length * 3);
    });

    it("is the remaining one when the other has ended", async () => {
      const other = await api.account();
      const ended = await api.session(other.accountId, { ageDays: 7.001 });
      expect(await read(`${ended.cookie}; ${session.cookie}`)).toMatchObject({ status: 200 });
      const deactivated = await api.session(other.accountId);
      await api.sql`UPDATE accounts SET status = 'deactivated' WHERE id = ${other.accountId}`;
      expect(await read(`${deactivated.cookie}; ${session.cookie}`)).toMatchObject({ status: 200 });
    });
  });

  it("with more than four values is refused and cleared, since one of another account may be among them", async () => {
    const other = await api.session((await api.account()).accountId);
    const unknown = Array.from({ length: 3 }, (_, n) => `sw_session=${String(n).repeat(43)}`);
    expect(await read([session.cookie, ...unknown].join("; "))).toMatchObject({ status: 200 });
    const { status, headers } = await read([session.cookie, ...unknown, other.cookie].join("; "));
    expect([status, headers.getSetCookie()[0]]).toEqual([401, expect.stringMatching(/^sw_session=;/)]);
  });

  it("is ignored when there is an API key", async () => {
    const other = await api.account();
    const headers = { cookie: session.cookie };
    const { body } = await api.call("GET", "/v1/me", other.test, undefined, headers);
    expect(body).toMatchObject({ authSource: "apiKey", apiKey: { env: "test" } });
    for (const authorization of ["Bearer", "", "Basic abc", `Bearer ${caller.live}x`]) {
      expect(await read(session.cookie, { authorization })).toMatchObject({ status: 401 });
    }
    expect(await api.call("DELETE", "/v1/me", caller.live, undefined, headers)).toMatchObject({ status: 403 });
  });
});

describe("a session", () => {
  const term = async () => {
    const [row] = await api.sql`
      SELECT extract(epoch FROM expires_at - now()) / 86400 AS days, last_used_at > now() - interval '1 min' AS used
      FROM sessions WHERE id = ${session.id}`;
    return { days: Number(row?.days), used: row?.used as boolean };
  };

  it("is not renewed on the day it was started", async () => {
    session = await api.session(caller.accountId, { ageDays: 0.99 });
    const { headers } = await read(session.cookie);
    expect(headers.has("set-cookie")).toBe(false);
    await waitFor("its use is recorded", async () => (await term()).used);
    expect((await term()).days).toBeLessThan(6.02);
  });

  it("is renewed for seven days by a call on a later day, and so is its cookie", async () => {
    session = await api.session(caller.accountId, { ageDays: 6.99 });
    const { headers } = await read(session.cookie);
    expect(headers.get("set-cookie")).toBe(
      `sw_session=${session.token}; Path=/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure; Domain=example.com`,
    );
    await waitFor("it is renewed", async () => (await term()).days > 6.99);
    expect((await read(session.cookie)).headers.has("set-cookie")).toBe(false);
  });

  describe("that is used every day", () => {
    const signedInAgo = async (days: number, daysLeft: number) => {
      await api.sql`
        UPDATE sessions SET created_at = now() - ${days}::float8 * interval '1 day', last_used_at = now() - interval '1 day',
          expires_at = now() + ${daysLeft}::float8 * interval '1 day'
        WHERE id = ${session.id}`;
    };
    const maxAgeS = ({ headers }: { headers: Headers }) =>
      Number(/Max-Age=(\d+)/.exec(headers.get("set-cookie") ?? "")?.[1] ?? Number.NaN);

    it("is renewed until 30 days after its sign-in and no further, and so is its cookie", async () => {
      await signedInAgo(25, 4);
      expect(maxAgeS(await read(session.cookie)) / 86_400).toBeCloseTo(5, 3);
      await waitFor("it is renewed", async () => (await term()).days > 4.5);
      expect((await term()).days).toBeCloseTo(5, 3);
      const { body } = await api.call("GET", "/v1/me/sessions", session);
      const [{ createdAt, expiresAt }] = body.items;
      expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(30 * 86_400_000);
    });

    it("is not renewed on its last days, since it has its full time", async () => {
      await signedInAgo(25, 5);
      await api.sql`UPDATE sessions SET expires_at = created_at + interval '720 hours' WHERE id = ${session.id}`;
      expect((await read(session.cookie)).headers.has("set-cookie")).toBe(false);
    });

    it("ends 30 days after its sign-in, whatever else its row says", async () => {
      await signedInAgo(29.999, 7);
      expect(await read(session.cookie)).toMatchObject({ status: 200 });
      await signedInAgo(30.001, 7);
      const { status, headers } = await read(session.cookie);
      expect([status, headers.has("set-cookie")]).toEqual([401, false]);
      const later = await api.session(caller.accountId);
      expect((await api.call("GET", "/v1/me/sessions", later)).body.items).toHaveLength(1);
    });
  });

  it("that has expired is refused and not renewed", async () => {
    session = await api.session(caller.accountId, { ageDays: 7.001 });
    const { status, headers } = await read(session.cookie);
    expect([status, headers.has("set-cookie")]).toEqual([401, false]);
    expect((await term()).days).toBeLessThan(0);
  });

  it("is stored only as a hash", async () => {
    const [row] = await api.sql`SELECT sessions::text AS text FROM sessions WHERE id = ${session.id}`;
    expect(row?.text).toMatch(/^\([0-9a-f]{64},/);
    expect(row?.text).not.toContain(session.token);
  });

  it("acts on live by default, and on test when the request asks for it", async () => {
    const body = { targetUrl: TARGET, fireAt: FUTURE };
    const live = (await api.call("POST", "/v1/schedules", session, body)).body.id;
    const test = (await api.call("POST", "/v1/schedules?env=test", session, body)).body.id;
    expect(await api.call("GET", `/v1/schedules/${live}?env=live`, session)).toMatchObject({ status: 200 });
    expect(await api.call("GET", `/v1/schedules/${live}?env=test`, session)).toMatchObject({ status: 404 });
    expect(await api.call("GET", `/v1/schedules/${test}`, session)).toMatchObject({ status: 404 });
    expect(await api.call("GET", `/v1/schedules/${test}`, caller.test)).toMatchObject({ status: 200 });
    expect(await api.call("GET", "/v1/schedules?env=prod", session)).toMatchObject({ status: 400 });
    expect(await api.call("GET", "/v1/schedules?env=test", caller.live)).toMatchObject({ status: 400 });
    expect(await api.call("GET", "/v1/me?env=test", session)).toMatchObject({ status: 400 });
  });

  it("is an administrator's when its verified e-mail address is in ADMIN_EMAILS", async () => {
    const isAdmin = async () => (await read(session.cookie)).body.isAdmin;
    await api.sql`UPDATE accounts SET email = 'root@example.com' WHERE id = ${caller.accountId}`;
    expect(await isAdmin()).toBe(false);
    await api.sql`UPDATE accounts SET email_verified_at = now() WHERE id = ${caller.accountId}`;
    expect(await isAdmin()).toBe(true);
    expect((await api.call("GET", "/v1/me", caller.live)).body.isAdmin).toBe(false);
    await api.sql`UPDATE accounts SET email = 'user@example.com' WHERE id = ${caller.accountId}`;
    expect(await isAdmin()).toBe(false);
  });
});

describe("a write with a session cookie", () => {
  it.each<[string, Record<string, string>]>([
    ["our own Origin", { origin: OWN }],
    [
      "our own Origin, whatever the rest says",
      { origin: OWN, "sec-fetch-site": "cross-site", referer: "https://x.test" },
    ],
    ["Sec-Fetch-Site: same-origin", { "sec-fetch-site": "same-origin" }],
    ["a Referer of ours", { referer: `${OWN}/keys?x=1` }],
    ["none of the three, as no browser sends it", {}],
  ])("is accepted with %s", async (_, headers) => {
    expect(await write(headers)).toMatchObject({ status: 200 });
  });

  it.each<[string, Record<string, string>]>([
    ["another site's Origin", { origin: "https://evil.example" }],
    ["a sibling's Origin", { origin: "https://blog.example.com" }],
    ["the parent's Origin", { origin: "https://example.com" }],
    ["our host on another port", { origin: `${OWN}:8443` }],
    ["our host without TLS", { origin: "http://api.example.com" }],
    ["our host as a prefix", { origin: `${OWN}.evil.example` }],
    ["an opaque Origin", { origin: "null" }],
    ["an empty Origin", { origin: "" }],
    ["two Origins", { origin: `${OWN}, ${OWN}` }],
    ["another Origin, whatever the rest says", { origin: "https://evil.example", "sec-fetch-site": "same-origin" }],
    ["Sec-Fetch-Site: same-site", { "sec-fetch-site": "same-site" }],
    ["Sec-Fetch-Site: cross-site", { "sec-fetch-site": "cross-site", referer: `${OWN}/keys` }],
    ["Sec-Fetch-Site: none", { "sec-fetch-site": "none" }],
    ["another site's Referer", { referer: "https://evil.example/https://api.example.com" }],
    ["our host as user of a Referer", { referer: "https://api.example.com@evil.example/" }],
    ["a Referer that is no address", { referer: "api.example.com" }],
  ])("is refused with %s, and changes nothing", async (_, headers) => {
    expect(await write(headers)).toMatchObject({ status: 403, body: { error: { code: "FORBIDDEN" } } });
    expect((await read(session.cookie)).body.user.name).toBeNull();
  });

  it("is refused before its body and query are validated", async () => {
    const answer = await api.call("POST", "/v1/api-keys?x=1", session, "{", { origin: "https://evil.example" });
    expect(answer).toMatchObject({ status: 403 });
  });

  it("is the only kind of call with this check: reads by cookie and writes by key are accepted from anywhere, without CORS headers", async () => {
    const origin = "https://evil.example";
    const seen = await read(session.cookie, { origin });
    const body = { targetUrl: TARGET, fireAt: FUTURE };
    const written = await api.call("POST", "/v1/schedules", caller.live, body, { origin });
    expect([seen.status, written.status]).toEqual([200, 201]);
    for (const { headers } of [seen, written]) expect(headers.has("access-control-allow-origin")).toBe(false);
  });
});
