import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { generateSessionToken } from "#domain/session-token.ts";
import { MailNotSent } from "#mail/mail.ts";
import { bindBrowser } from "#server/auth/browser-binding.ts";
import { getServices } from "#server/services.ts";
import type { Behaviour } from "../../helpers/fake-resend.ts";
import { cookiesOf, type SignInApi, sessionOf, startSignInApi } from "../../helpers/sign-in-api.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { waitingForLock } from "../../helpers/waiting-for-lock.ts";
import { call } from "../api/api.ts";

let signIn: SignInApi;

beforeAll(async () => {
  signIn = await startSignInApi();
});
afterAll(() => signIn.stop());
beforeEach(() => signIn.sql`DELETE FROM sign_in_requests`);

const locationOf = ({ headers }: { headers: Headers }) => headers.get("location");
const INVALID = "/login?error=link_invalid";

describe("a link that is opened in the browser that requested it", () => {
  it("is mailed when its token is stored, not before", async () => {
    const email = signIn.newEmail();
    const { sql, linksTo } = signIn;
    const asked = await sql.begin(async (tx) => {
      await tx`LOCK TABLE sign_in_tokens IN EXCLUSIVE MODE`;
      const asked = signIn.start({ email });
      await waitFor("the token is to be stored", async () => (await waitingForLock(sql)) > 0);
      await tx`SELECT pg_sleep(0.3)`;
      expect(linksTo(email)).toEqual([]);
      return { asked };
    });
    expect((await asked.asked).status).toBe(202);
    expect(linksTo(email)).toHaveLength(1);
  });

  it("starts a session with a cookie that no script can read and no other site can send", async () => {
    const email = signIn.newEmail();
    const { link, cookie } = await signIn.askForLink(` ${email.toUpperCase()} `);
    const answer = await signIn.open(link, { cookie });
    expect([answer.status, locationOf(answer)]).toEqual([303, "/overview"]);
    const [session] = answer.headers.getSetCookie();
    expect(session).toMatch(/^sw_session=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure$/);
    expect(await signIn.accountOf(sessionOf(answer))).toBe(email);
  });

  it.each([
    ...["info@xn--e1afmkfd.xn--p1ai", "a=b@example.com", "o'brien+x=1&y#z@example.com", "a%41b@example.com"],
    ...["{a|b}@example.com", "!#$%&'*+-/=?^_`{|}~@example.com", "1@2.3.io"],
  ])("starts a session for every address that accounts can have: %s", async (email) => {
    const { link, cookie } = await signIn.askForLink(email);
    expect(await signIn.accountOf(sessionOf(await signIn.open(link, { cookie })))).toBe(email);
  });

  it("leads to the page that the person wanted", async () => {
    const { link, cookie } = await signIn.askForLink(signIn.newEmail(), { redirectTo: "/schedules?status=dead" });
    expect(locationOf(await signIn.open(link, { cookie }))).toBe("/schedules?status=dead");
  });

  it("starts a new session and ends the one that the browser had", async () => {
    const before = await signIn.session(signIn.newEmail());
    const email = signIn.newEmail();
    const { link, cookie } = await signIn.askForLink(email);
    const answer = await signIn.open(link, { cookie: `${cookie}; sw_session=${before}` });
    expect(sessionOf(answer)).not.toBe(before);
    expect(await signIn.accountOf(sessionOf(answer))).toBe(email);
    expect(await signIn.accountOf(before)).toBeUndefined();
  });

  it("never gives a session the token that somebody planted in the browser", async () => {
    const planted = generateSessionToken();
    const { link, cookie } = await signIn.askForLink(signIn.newEmail());
    const answer = await signIn.open(link, { cookie: `sw_session=${planted}; ${cookie}` });
    expect(sessionOf(answer)).toMatch(/^[\w-]{43}$/);
    expect(sessionOf(answer)).not.toBe(planted);
    expect(await signIn.accountOf(planted)).toBeUndefined();
  });

  it.each([
    `sw_session=${"x".repeat(3_000)}`,
    "sw_session=; sw_session.0=a; sw_session.1=b",
    `sw_session_extra=${"a".repeat(43)}`,
    'sw_session="quoted"; sw_session={}; sw_session=%00',
    "__Host-sw-return=javascript:alert(1); __Host-sw-csrf=x|y",
  ])("starts a session whatever other cookies the browser has: %s", async (junk) => {
    const email = signIn.newEmail();
    const { link, cookie } = await signIn.askForLink(email);
    const answer = await signIn.open(link, { cookie: `${junk}; ${cookie}` });
    expect(await signIn.accountOf(sessionOf(answer))).toBe(email);
  });

  it("works once: when it is opened twelve times at once, one of them gets a session", async () => {
    const { link, cookie } = await signIn.askForLink(signIn.newEmail());
    const answers = await Promise.all(Array.from({ length: 12 }, () => signIn.open(link, { cookie })));
    expect(answers.filter((answer) => sessionOf(answer) !== undefined)).toHaveLength(1);
    expect(answers.filter((answer) => locationOf(answer) === INVALID)).toHaveLength(11);
    expect(locationOf(await signIn.open(link, { cookie }))).toBe(INVALID);
  });

  it("is refused once it is 15 minutes old", async () => {
    const { link, cookie } = await signIn.askForLink(signIn.newEmail());
    const [row] = await signIn.sql`
      SELECT extract(epoch FROM expires_at - now())::float8 AS s FROM sign_in_tokens ORDER BY expires_at DESC LIMIT 1`;
    expect(row?.s).toBeGreaterThan(600);
    expect(row?.s).toBeLessThanOrEqual(901);
    await signIn.sql`UPDATE sign_in_tokens SET expires_at = now() - interval '1 second'`;
    const answer = await signIn.open(link, { cookie });
    expect([locationOf(answer), sessionOf(answer)]).toEqual([INVALID, undefined]);
  });

  it.each([
    ["another address", "email", "somebody-else@example.com"],
    ["no address", "email", "nobody"],
    ["an address that only Unicode makes the same", "email", "\u212Aim@example.com"],
    ["another token", "token", "A".repeat(43)],
    ["no token", "token", ""],
  ])("is refused with %s", async (_, name, value) => {
    const { link } = await signIn.askForLink(signIn.newEmail());
    link.searchParams.set(name, value);
    link.searchParams.set("confirm", "1");
    const answer = await signIn.open(link);
    expect([locationOf(answer), sessionOf(answer)]).toEqual([INVALID, undefined]);
  });
});

describe("a link stays usable", () => {
  it.each(["token", "email", "redirectTo", "confirm", "utm_source"])(
    "after it was opened with %s given twice, which leads to the sign-in page",
    async (name) => {
      const email = signIn.newEmail();
      const { link, cookie } = await signIn.askForLink(email, { redirectTo: "/logs" });
      for (const other of [link.searchParams.get(name) ?? "1", "another"]) {
        const twice = new URL(link);
        if (!twice.searchParams.has(name)) twice.searchParams.set(name, "1");
        twice.searchParams.append(name, other);
        const answer = await signIn.open(twice, { cookie });
        expect(locationOf(answer)).toBe(name === "redirectTo" ? INVALID : `${INVALID}&redirectTo=%2Flogs`);
        expect(answer.headers.getSetCookie()).toEqual([]);
      }
      expect(await signIn.accountOf(sessionOf(await signIn.open(link, { cookie })))).toBe(email);
    },
  );

  const bound = [true, false];

  it.each(bound)("after a HEAD request, in the browser that requested it: %s", async (isBound) => {
    const { link, cookie } = await signIn.askForLink(signIn.newEmail());
    const answer = await signIn.open(link, isBound ? { cookie } : {}, "HEAD");
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([303, []]);
    expect(sessionOf(await signIn.open(link, { cookie }))).toBeDefined();
  });

  it("after somebody opens it without having requested it, such as a mail scanner, who gets a confirmation page", async () => {
    const email = signIn.newEmail();
    const { link, cookie } = await signIn.askForLink(email, { redirectTo: "/logs" });
    const answer = await signIn.open(link);
    const token = link.searchParams.get("token") ?? "";
    expect(locationOf(answer)).toBe(`/login/confirm?${new URLSearchParams({ token, email, redirectTo: "/logs" })}`);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(sessionOf(await signIn.open(link, { cookie }))).toBeDefined();
  });

  it.each([
    ["Sec-Purpose", "prefetch"],
    ["Sec-Purpose", "prefetch;prerender"],
    ["Purpose", "prefetch"],
    ["X-Moz", "prefetch"],
  ])("after a browser prefetched it: %s: %s", async (name, value) => {
    const { link, cookie } = await signIn.askForLink(signIn.newEmail());
    expect(sessionOf(await signIn.open(link, { cookie, [name]: value }))).toBeUndefined();
    expect(sessionOf(await signIn.open(link, { cookie }))).toBeDefined();
  });

  const page = "text/html,application/xhtml+xml";
  it.each([
    ["another site", { "sec-fetch-site": "cross-site", accept: page }],
    ["a sibling of ours", { "sec-fetch-site": "same-site", accept: page }],
    ["a mail or a bookmark", { "sec-fetch-site": "none", accept: page }],
    ["another site, in an old browser", { referer: "https://attacker.example/", accept: page }],
    ["another site that hides itself, in an old browser", { accept: page }],
  ])("and signs nobody in under another account when %s leads to the address of our button", async (_, headers) => {
    const { link, cookie } = await signIn.askForLink(signIn.newEmail());
    const confirmed = new URL(link);
    confirmed.searchParams.set("confirm", "1");
    const answer = await signIn.open(confirmed, headers);
    expect(sessionOf(answer)).toBeUndefined();
    expect(locationOf(answer)).toMatch(/^\/login\/confirm\?/);
    expect(sessionOf(await signIn.open(link, { cookie }))).toBeDefined();
  });

  it.each([
    ["of another address", (secret: string) => bindBrowser(signIn.api.config, secret, "mallory@example.com")],
    ["that was made up", () => `__Host-sw-signin=${Date.now() + 60_000}.${"A".repeat(43)}`],
    ["of another installation", () => bindBrowser(signIn.api.config, "another secret", "ada@example.com")],
    ["of another form", () => "__Host-sw-signin=1"],
  ])("after a browser opened it with a cookie %s", async (_, make) => {
    const email = "ada@example.com";
    const { link } = await signIn.askForLink(email);
    const { authSecret } = await signIn.api.services.installation();
    const answer = await signIn.open(link, { cookie: make(authSecret).split(";", 1)[0] as string });
    expect([sessionOf(answer), locationOf(answer)?.startsWith("/login/confirm?")]).toEqual([undefined, true]);
  });

  it("after a browser opened it that had requested another link too long ago", async () => {
    const email = signIn.newEmail();
    const { link, cookie } = await signIn.askForLink(email);
    const { authSecret } = await signIn.api.services.installation();
    vi.spyOn(Date, "now").mockReturnValueOnce(Date.now() - 15 * 60_000 - 1_000);
    const [older = ""] = bindBrowser(signIn.api.config, authSecret, email).split(";", 1);
    expect(sessionOf(await signIn.open(link, { cookie: older }))).toBeUndefined();
    const [, until = "", seal = ""] = /=(\d+)\.(.*)$/.exec(older) ?? [];
    const later = `__Host-sw-signin=${Number(until) + 60_000}.${seal}`;
    expect(sessionOf(await signIn.open(link, { cookie: later }))).toBeUndefined();
    expect(sessionOf(await signIn.open(link, { cookie }))).toBeDefined();
  });
});

describe("a link that is opened in another browser", () => {
  it.each([
    ["our own page", { "sec-fetch-site": "same-origin", accept: "text/html" }],
    ["our own page, in an old browser", { referer: "https://api.example.com/login/confirm", accept: "text/html" }],
    ["a program", {}],
  ])("starts a session once it is confirmed by %s", async (_, headers) => {
    const email = signIn.newEmail();
    const { link } = await signIn.askForLink(email);
    link.searchParams.set("confirm", "1");
    expect(await signIn.accountOf(sessionOf(await signIn.open(link, headers)))).toBe(email);
  });
});

describe("the database", () => {
  it("stores neither the token of a link nor that of a session, only their SHA-256", async () => {
    const { link, cookie } = await signIn.askForLink(signIn.newEmail());
    const token = link.searchParams.get("token") ?? "";
    const { authSecret } = await signIn.api.services.installation();
    const [stored] = await signIn.sql`SELECT token_hash FROM sign_in_tokens ORDER BY expires_at DESC LIMIT 1`;
    expect(stored?.token_hash).toBe(createHash("sha256").update(`${token}${authSecret}`).digest("hex"));
    const session = sessionOf(await signIn.open(link, { cookie })) ?? "";
    const rows = await signIn.sql`SELECT token_hash FROM sessions`;
    expect(rows.map((row) => row.token_hash)).toContain(createHash("sha256").update(session).digest("hex"));
    expect(JSON.stringify(rows)).not.toContain(session);
    const asked = await signIn.sql`SELECT key FROM sign_in_requests`;
    expect(JSON.stringify(asked)).not.toContain("@");
  });

  it("stores in which browser a session was started", async () => {
    const { link, cookie } = await signIn.askForLink(signIn.newEmail());
    const answer = await signIn.open(link, { cookie, "user-agent": `Mozilla/5.0 ${"x".repeat(1_000)}` });
    const sessions = await call("GET", "/v1/me/sessions", { cookie: cookiesOf(answer) });
    expect(sessions.body.items[0].userAgent).toMatch(/^Mozilla\/5.0 x{200,300}$/);
  });
});

describe("requesting a link", () => {
  it.each([
    ["Origin", "https://attacker.example"],
    ["Origin", "https://app.example.com"],
    ["Origin", "null"],
    ["Sec-Fetch-Site", "cross-site"],
    ["Referer", "https://attacker.example/page"],
  ])("from a page of another site is FORBIDDEN: %s: %s", async (name, value) => {
    const before = signIn.resend.accepted.length;
    const answer = await signIn.start({ email: signIn.newEmail() }, { [name]: value });
    expect(answer).toMatchObject({ status: 403, body: { error: { code: "FORBIDDEN" } } });
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(signIn.resend.accepted).toHaveLength(before);
  });

  it("puts our own address into the mail, whatever the request's headers claim", async () => {
    const email = signIn.newEmail();
    const headers = {
      "x-forwarded-host": "attacker.example",
      "x-forwarded-proto": "gopher",
      forwarded: "host=attacker.example",
    };
    expect(await signIn.start({ email }, headers)).toMatchObject({ status: 202 });
    expect(signIn.linksTo(email)[0]?.origin).toBe("https://api.example.com");
    expect(JSON.stringify(signIn.resend.accepted.at(-1))).not.toContain("attacker");
  });

  it.each([
    ...[
      "https://attacker.example",
      "//attacker.example",
      "/\\attacker.example",
      "/.//attacker.example",
      "\\/attacker.example",
    ],
    ...[
      "/\t/attacker.example",
      "/%09/../..//attacker.example",
      "javascript:alert(1)",
      "account",
      "/v1/auth/logout",
      "/\u0000",
    ],
    ...["/..//attacker.example", "http:/attacker.example", "/a b", `/${"a".repeat(2_000)}`],
  ])("with the return path %j is VALIDATION, and a link with it leads to the account page", async (redirectTo) => {
    const answer = await signIn.start({ email: signIn.newEmail(), redirectTo });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "VALIDATION" } } });
    const { link, cookie } = await signIn.askForLink(signIn.newEmail());
    link.searchParams.set("redirectTo", redirectTo);
    expect(locationOf(await signIn.open(link, { cookie }))).toBe("/overview");
  });

  it.each([
    {},
    { email: "x" },
    { email: "a@b@example.com" },
    { email: '"a@b"@example.com' },
    { email: "a@example.com\r\nBcc: b@example.com" },
    { email: ["a@example.com"] },
    { email: "a@example.com", extra: 1 },
    ...["\u212Aim@example.com", "kim@example.co\uFF4D", "\u00A0kim@example.com", "kim\u00AD@example.com"].map(
      (email) => ({ email }),
    ),
    ...["kim@b\u00FCcher.example", "kim@example.com.", "a@example.com,b@example.com"].map((email) => ({ email })),
    { email: `${"a".repeat(65)}@example.com` },
  ])("requires one address and accepts no other field: %j", async (body) => {
    const before = signIn.resend.accepted.length;
    expect(await signIn.start(body)).toMatchObject({ status: 400, body: { error: { code: "VALIDATION" } } });
    expect(signIn.resend.accepted).toHaveLength(before);
  });

  it("is answered with 503 when the mail is not accepted, and sets no cookie", async () => {
    signIn.resend.behave({ status: 422 });
    const answer = await signIn.start({ email: signIn.newEmail() }).finally(() => {
      signIn.resend.behave("accept");
    });
    expect(answer).toMatchObject({ status: 503, body: { error: { code: "UNAVAILABLE" } } });
    expect(answer.headers.getSetCookie()).toEqual([]);
  });
});

it.each<[string, Behaviour]>([
  ["is busy", { status: 429, headers: { "retry-after": "1" } }],
  ["gives no answer", "drop before accepting"],
  ["accepts the mail and gives no answer", "drop after accepting"],
])("a mail provider that %s at first is asked again, and sends one mail", async (_, first) => {
  const email = signIn.newEmail();
  const from = signIn.resend.calls();
  signIn.resend.behave((_mail, nth) => (nth === from + 1 ? first : "accept"));
  const answer = await signIn.start({ email }).finally(() => signIn.resend.behave("accept"));
  expect(answer.status).toBe(202);
  expect(signIn.linksTo(email)).toHaveLength(1);
});

describe("a mail that fails at once, before anything waits for it,", () => {
  it("is answered with 503 and leaves no unhandled rejection", async () => {
    const held = getServices();
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    const send = vi
      .spyOn(held.mailer, "send")
      .mockImplementation(() => Promise.reject(new MailNotSent("refused", { inDoubt: false })));
    const before = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection").on("unhandledRejection", note);
    try {
      expect(await signIn.start({ email: signIn.newEmail() })).toMatchObject({ status: 503 });
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.removeAllListeners("unhandledRejection");
      for (const listener of before) process.on("unhandledRejection", listener);
      send.mockRestore();
    }
    expect(unhandled).toEqual([]);
  });
});

describe("signing out", () => {
  it("ends the session and clears its cookie", async () => {
    const session = await signIn.session(signIn.newEmail());
    const answer = await call("POST", "/v1/auth/logout", { cookie: `sw_session=${session}` });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("set-cookie")).toMatch(
      /^sw_session=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(await signIn.accountOf(session)).toBeUndefined();
  });

  it("is FORBIDDEN from a page of another site, which can sign nobody out", async () => {
    const session = await signIn.session(signIn.newEmail());
    const cookie = `sw_session=${session}`;
    const answer = await call("POST", "/v1/auth/logout", { cookie }, undefined, { origin: "https://attacker.example" });
    expect(answer.status).toBe(403);
    expect(await signIn.accountOf(session)).toBeDefined();
  });

  it("also ends an old session in a second cookie of the same name", async () => {
    const email = signIn.newEmail();
    const [one, two] = [await signIn.session(email), await signIn.session(email)];
    await call("POST", "/v1/auth/logout", { cookie: `sw_session=${one}; sw_session=${two}` });
    expect([await signIn.accountOf(one), await signIn.accountOf(two)]).toEqual([undefined, undefined]);
  });
});
