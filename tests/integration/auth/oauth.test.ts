import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { generateSessionToken } from "#domain/session-token.ts";
import { type SignInApi, sessionOf, startSignInApi } from "../../helpers/sign-in-api.ts";
import { call } from "../api/api.ts";

let signIn: SignInApi;
let nextId = 1_000;

beforeAll(async () => {
  signIn = await startSignInApi();
});
afterAll(() => signIn.stop());

const location = ({ headers }: { headers: Headers }) => headers.get("location");
const REFUSED = "/login?error=provider_refused";

/** Signs a new person in at GitHub. */
function somebody(overrides: Partial<SignInApi["github"]["user"]> = {}) {
  signIn.github.user = {
    id: nextId++,
    login: "x",
    name: "X",
    email: signIn.newEmail(),
    isVerified: true,
    ...overrides,
  };
  return signIn.github.user;
}

async function throughGitHub(cookie = "") {
  const went = await signIn.goToGitHub(cookie);
  return signIn.open(went.back, { cookie: went.cookie });
}

const cookieNamed = (cookies: string, name: string) =>
  cookies
    .split("; ")
    .filter((pair) => !pair.startsWith(`${name}=`))
    .join("; ");

describe("going to a provider", () => {
  it("binds the answer to the browser by state and PKCE, and has it sent to our registered address alone", async () => {
    const { sent, cookie } = await signIn.goToGitHub();
    expect(sent.searchParams.get("redirect_uri")).toBe("https://api.example.com/v1/auth/oauth/github/callback");
    expect(sent.searchParams.get("code_challenge_method")).toBe("S256");
    expect(sent.searchParams.get("state")).toBeTruthy();
    expect(cookie).toMatch(/__Host-sw-state=.+; __Host-sw-pkce=.+; __Host-sw-next=%2Foverview$/);
  });

  it.each(["//attacker.example", "https://attacker.example", "/\\attacker.example", "/v1/auth/oauth/github/start"])(
    "refuses to continue to %s afterwards",
    async (redirectTo) => {
      const query = new URLSearchParams({ redirectTo });
      const answer = await call("GET", `/v1/auth/oauth/github/start?${query}`);
      expect(answer).toMatchObject({ status: 400, body: { error: { code: "VALIDATION" } } });
      somebody();
      const { back, cookie } = await signIn.goToGitHub();
      const planted = `${cookieNamed(cookie, "__Host-sw-next")}; __Host-sw-next=${encodeURIComponent(redirectTo)}`;
      expect(location(await signIn.open(back, { cookie: planted }))).toBe("/overview");
    },
  );

  it.each([
    ["__Host-sw-next=%E0%A4%A"],
    ["__Host-sw-next="],
    ["__Host-sw-return=javascript:1"],
    ["sw_session.0=a; sw_session=b"],
  ])("ignores a junk cookie on the way back: %s", async (junk) => {
    somebody();
    const { back, cookie } = await signIn.goToGitHub();
    const answer = await signIn.open(back, { cookie: `${cookieNamed(cookie, "__Host-sw-next")}; ${junk}` });
    expect([location(answer), sessionOf(answer) !== undefined]).toEqual(["/overview", true]);
  });

  it("accepts nothing else from the caller: no other client, address or scope", async () => {
    const answer = await call("GET", "/v1/auth/oauth/github/start?client_id=evil");
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "VALIDATION" } } });
    const headers = { "x-forwarded-host": "attacker.example", "x-forwarded-proto": "junk" };
    const went = await call("GET", "/v1/auth/oauth/github/start", null, undefined, headers);
    expect(new URL(location(went) ?? "").searchParams.get("redirect_uri")).toMatch(/^https:\/\/api\.example\.com\//);
  });

  it("is 503 without id and secret, and 404 for an unknown provider", async () => {
    expect(await call("GET", "/v1/auth/oauth/google/start")).toMatchObject({
      status: 503,
      body: { error: { code: "UNAVAILABLE", message: "Sign-in with Google is not configured here." } },
    });
    expect(await call("GET", "/v1/auth/oauth/google/callback?code=x")).toMatchObject({ status: 503 });
    for (const name of ["facebook", "email", "__proto__", "GitHub"]) {
      expect(await call("GET", `/v1/auth/oauth/${name}/start`)).toMatchObject({ status: 404 });
      expect(await call("GET", `/v1/auth/oauth/${name}/callback`)).toMatchObject({ status: 404 });
    }
  });

  it.each([
    ["another site", { "sec-fetch-site": "cross-site" }],
    ["a sibling subdomain", { "sec-fetch-site": "same-site", referer: "https://www.example.com/" }],
    ["another site, in a browser that says so by Referer alone", { referer: "https://attacker.example/" }],
  ])("leads to the sign-in page when a page links to it from elsewhere: %s", async (_, headers) => {
    const answer = await call("GET", "/v1/auth/oauth/github/start?redirectTo=/keys", null, undefined, headers);
    expect([answer.status, location(answer)]).toEqual([303, "/login?redirectTo=%2Fkeys"]);
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  it.each([
    ["a page of our own", { "sec-fetch-site": "same-origin", referer: "https://api.example.com/login" }],
    ["a bookmark", { "sec-fetch-site": "none" }],
    ["a page of our own, in a browser that says so by Referer alone", { referer: "https://api.example.com/login" }],
  ])("leads to the provider from %s", async (_, headers) => {
    const answer = await call("GET", "/v1/auth/oauth/github/start", null, undefined, headers);
    expect(new URL(location(answer) ?? "").pathname).toBe("/login/oauth/authorize");
  });

  it("has no effect by HEAD", async () => {
    const answer = await call("HEAD", "/v1/auth/oauth/github/start");
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([303, []]);
    somebody();
    const { back, cookie } = await signIn.goToGitHub();
    expect(sessionOf(await signIn.open(back, { cookie }, "HEAD"))).toBeUndefined();
    expect(sessionOf(await signIn.open(back, { cookie }))).toBeDefined();
  });
});

describe("an answer of a provider signs nobody in when it comes", () => {
  it.each([
    ["without the cookie of the state", (cookie: string) => cookieNamed(cookie, "__Host-sw-state")],
    ["without the cookie of PKCE", (cookie: string) => cookieNamed(cookie, "__Host-sw-pkce")],
    [
      "with junk as cookie of the state",
      (cookie: string) => `${cookieNamed(cookie, "__Host-sw-state")}; __Host-sw-state=junk`,
    ],
    [
      "with junk as cookie of PKCE",
      (cookie: string) => `${cookieNamed(cookie, "__Host-sw-pkce")}; __Host-sw-pkce=junk`,
    ],
    ["in a browser that was not sent there", () => ""],
  ])("%s", async (_, change) => {
    somebody();
    const { back, cookie } = await signIn.goToGitHub();
    const answer = await signIn.open(back, { cookie: change(cookie) });
    expect([location(answer), sessionOf(answer)]).toEqual([REFUSED, undefined]);
  });

  it.each([
    ["without state", (url: URL) => url.searchParams.delete("state")],
    ["with another state", (url: URL) => url.searchParams.set("state", "other")],
    ["with another code", (url: URL) => url.searchParams.set("code", "other")],
    ["without code", (url: URL) => url.searchParams.delete("code")],
    ["of another issuer", (url: URL) => url.searchParams.set("iss", "https://attacker.example")],
    ["that says no", (url: URL) => url.searchParams.set("error", "access_denied")],
  ])("%s", async (_, change) => {
    somebody();
    const { back, cookie } = await signIn.goToGitHub();
    change(back);
    const answer = await signIn.open(back, { cookie });
    expect([location(answer), sessionOf(answer)]).toEqual([REFUSED, undefined]);
  });

  it.each(["code", "state", "error", "iss", "scope"])(
    "with %s given twice, and the answer as the provider sent it still signs the person in",
    async (name) => {
      const { email } = somebody();
      const { back, cookie } = await signIn.goToGitHub();
      for (const other of [back.searchParams.get(name) ?? "x", "another"]) {
        const twice = new URL(back);
        if (!twice.searchParams.has(name)) twice.searchParams.set(name, "");
        twice.searchParams.append(name, other);
        const answer = await signIn.open(twice, { cookie });
        expect([location(answer), answer.headers.getSetCookie()]).toEqual([REFUSED, []]);
      }
      expect(await signIn.accountOf(sessionOf(await signIn.open(back, { cookie })))).toBe(email);
    },
  );

  it("with the state of one visit and the PKCE of another", async () => {
    somebody();
    const [one, two] = [await signIn.goToGitHub(), await signIn.goToGitHub()];
    const mixed = `${cookieNamed(one.cookie, "__Host-sw-pkce")}; ${two.cookie.split("; ").find((pair) => pair.startsWith("__Host-sw-pkce="))}`;
    expect(sessionOf(await signIn.open(one.back, { cookie: mixed }))).toBeUndefined();
  });

  it("twice, the second time", async () => {
    somebody();
    const { back, cookie } = await signIn.goToGitHub();
    expect(sessionOf(await signIn.open(back, { cookie }))).toBeDefined();
    const again = await signIn.open(back, { cookie });
    expect([location(again), sessionOf(again)]).toEqual([REFUSED, undefined]);
  });

  it("while the provider is away", async () => {
    const { back, cookie } = await signIn.goToGitHub();
    const { url } = signIn.github;
    await signIn.github.stop();
    const answer = await signIn.open(back, { cookie });
    expect([location(answer), sessionOf(answer)]).toEqual([REFUSED, undefined]);
    expect(url).toBe(signIn.github.url);
    await signIn.stop();
    signIn = await startSignInApi();
  });
});

describe("the account that a provider's identity belongs to", () => {
  it("is never found or created by an address that the provider has not verified, which takes no address from its owner", async () => {
    const owner = signIn.newEmail();
    await signIn.session(owner);
    const before = await signIn.count("accounts");
    for (const email of [owner, signIn.newEmail()]) {
      somebody({ email, isVerified: false });
      const answer = await throughGitHub();
      expect([location(answer), sessionOf(answer)]).toEqual(["/login?error=email_unverified", undefined]);
    }
    expect(await signIn.count("accounts")).toBe(before);
    expect(await signIn.sql`SELECT 1 FROM identities WHERE provider_account_id = ${String(nextId - 1)}`).toHaveLength(
      0,
    );
  });

  it("is not found by an invalid address, which counts as unverified", async () => {
    somebody({ email: "not an address" });
    expect(location(await throughGitHub())).toBe("/login?error=email_unverified");
  });

  it("is never one that it is not linked to, whatever address GitHub verified once, in any letter case, and its links go on working", async () => {
    const email = signIn.newEmail();
    await signIn.session(email);
    const before = [await signIn.count("identities"), await signIn.count("sessions")];
    for (const spelling of [email, email.toUpperCase()]) {
      somebody({ email: spelling });
      const answer = await throughGitHub();
      expect([location(answer), sessionOf(answer)]).toEqual(["/login?error=link_needed", undefined]);
    }
    expect([await signIn.count("identities"), await signIn.count("sessions")]).toEqual(before);
    expect(await signIn.sql`SELECT 1 FROM accounts WHERE email = ${email}`).toHaveLength(1);
    expect(await signIn.accountOf(await signIn.session(email))).toBe(email);
  });

  it("stays the same when the person's address at the provider changes or is no longer verified", async () => {
    const { id, email } = somebody();
    await throughGitHub();
    somebody({ id, email: signIn.newEmail(), isVerified: false });
    expect(await signIn.accountOf(sessionOf(await throughGitHub()))).toBe(email);
  });

  it("is not the account of a session that the browser has, live or expired", async () => {
    const victim = signIn.newEmail();
    const live = await signIn.session(victim);
    const expired = generateSessionToken();
    const { accountId } = await signIn.api.account();
    const { token } = await signIn.api.session(accountId, { ageDays: 8 });
    for (const session of [live, token, expired]) {
      const { email } = somebody();
      const answer = await throughGitHub(`sw_session=${session}`);
      expect(await signIn.accountOf(sessionOf(answer))).toBe(email);
    }
    const [linked] = await signIn.sql`
      SELECT count(*)::integer AS n FROM identities i JOIN accounts a ON a.id = i.account_id
      WHERE a.email = ${victim} OR a.id = ${accountId}`;
    expect(linked?.n).toBe(0);
    expect(await signIn.accountOf(live)).toBeUndefined();
  });

  it("is a single one when the person comes for the first time several times at once", async () => {
    const { email } = somebody();
    const went = await Promise.all(Array.from({ length: 4 }, () => signIn.goToGitHub()));
    const answers = await Promise.all(went.map(({ back, cookie }) => signIn.open(back, { cookie })));
    expect(answers.some((answer) => sessionOf(answer))).toBe(true);
    expect(await signIn.sql`SELECT 1 FROM accounts WHERE email = ${email}`).toHaveLength(1);
  });

  it("gets the name of a new person cleaned and cut, as for one who is known already", async () => {
    const { email } = somebody({ name: `Ada\u0000\r\n${"a".repeat(5_000)}` });
    expect(await signIn.accountOf(sessionOf(await throughGitHub()))).toBe(email);
    const [row] = await signIn.sql`SELECT name FROM accounts WHERE email = ${email}`;
    expect(row?.name).toMatch(/^Ada a{76}$/);
  });

  it("stores nothing that the provider issued", async () => {
    somebody();
    await throughGitHub();
    const rows = await signIn.sql`SELECT * FROM identities`;
    expect(signIn.github.tokens.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain("gho_");
    const columns =
      await signIn.sql`SELECT column_name FROM information_schema.columns WHERE column_name LIKE '%token%' AND table_name IN ('identities', 'accounts')`;
    expect(columns).toHaveLength(0);
  });
});

describe("linking an identity from inside a session", () => {
  const PAGE = "/account/identities/new";

  const identitiesOf = async (email: string) =>
    (
      await signIn.sql`
      SELECT i.provider_account_id FROM identities i JOIN accounts a ON a.id = i.account_id WHERE a.email = ${email}`
    ).map((row) => row.provider_account_id);

  it("has the identity open that account from then on, whatever its address, keeps the session, and is in the security log", async () => {
    const email = signIn.newEmail();
    const session = await signIn.session(email);
    const { id } = somebody({ isVerified: false });
    const answer = await signIn.link(session);
    expect([location(answer), sessionOf(answer)]).toEqual(["/account", undefined]);
    expect(answer.headers.getSetCookie().join()).toContain("flash=result=linked");
    expect(await signIn.accountOf(session)).toBe(email);
    expect(await signIn.accountOf(sessionOf(await throughGitHub()))).toBe(email);
    expect(await identitiesOf(email)).toEqual([String(id)]);
    const events = await call("GET", "/v1/me/events", { cookie: `sw_session=${session}` });
    expect(events.body.items).toContainEqual(
      expect.objectContaining({ kind: "identity_linked", by: expect.objectContaining({ kind: "session" }) }),
    );
  });

  it("verifies no address: only its mailbox does", async () => {
    const { accountId } = await signIn.api.account();
    const { token } = await signIn.api.session(accountId);
    await signIn.sql`UPDATE accounts SET email_verified_at = NULL WHERE id = ${accountId}`;
    somebody();
    expect(location(await signIn.link(token))).toBe("/account");
    const [row] = await signIn.sql`SELECT email_verified_at FROM accounts WHERE id = ${accountId}`;
    expect(row?.email_verified_at).toBeNull();
  });

  it.each([
    ["a page of another site", { "sec-fetch-site": "cross-site" }],
    ["a sibling subdomain", { "sec-fetch-site": "same-site" }],
    ["a bookmark or a mail", { "sec-fetch-site": "none" }],
    ["another site, in a browser that says so by Referer alone", { referer: "https://attacker.example/" }],
  ])("is asked for on a page of our own when the link is on %s", async (_, headers) => {
    const { start } = await signIn.goToLink(await signIn.session(signIn.newEmail()), headers as Record<string, string>);
    expect([location(start), start.headers.getSetCookie()]).toEqual([PAGE, []]);
  });

  it("needs a session, and one of the last day", async () => {
    const { accountId } = await signIn.api.account();
    const { token } = await signIn.api.session(accountId, { ageDays: 2 });
    for (const session of [undefined, generateSessionToken(), token]) {
      expect(location((await signIn.goToLink(session)).start)).toBe(PAGE);
    }
  });

  it("links nothing, and signs nobody in, once the session has ended or the browser has another one", async () => {
    const [email, other] = [signIn.newEmail(), signIn.newEmail()];
    const session = await signIn.session(email);
    const otherSession = await signIn.session(other);
    somebody();
    const one = await signIn.goToLink(session);
    const swapped = one.cookie.replace(session, otherSession);
    const answer = await signIn.open(one.back as URL, { cookie: swapped });
    expect([location(answer), sessionOf(answer)]).toEqual([`${PAGE}?error=provider_refused`, undefined]);
    const two = await signIn.goToLink(session);
    await call("POST", "/v1/auth/logout", { cookie: `sw_session=${session}` });
    const late = await signIn.open(two.back as URL, { cookie: two.cookie });
    expect(location(late)).toBe(`/login?error=signed_out&redirectTo=${encodeURIComponent(PAGE)}`);
    expect(sessionOf(late)).toBeUndefined();
    expect([...(await identitiesOf(email)), ...(await identitiesOf(other))]).toEqual([]);
  });

  it("is not begun by planting a cookie: an answer of a sign-in is never linked to the session that the browser has", async () => {
    const email = signIn.newEmail();
    const session = await signIn.session(email);
    somebody();
    const { back, cookie } = await signIn.goToGitHub(`sw_session=${session}`);
    const planted = `${cookie}; __Host-sw-link=${Date.now() + 60_000}.${"A".repeat(43)}`;
    const answer = await signIn.open(back, { cookie: planted });
    expect([location(answer), sessionOf(answer)]).toEqual([`${PAGE}?error=provider_refused`, undefined]);
    expect(await identitiesOf(email)).toEqual([]);
  });

  it("is forgotten by the next sign-in: what was begun before and left does not link the identity of that sign-in", async () => {
    const email = signIn.newEmail();
    const left = await signIn.goToLink(await signIn.session(email));
    const { email: mine } = somebody();
    const answer = await call("GET", "/v1/auth/oauth/github/start", null, undefined, { cookie: left.cookie });
    expect(answer.headers.getSetCookie().some((line) => line.startsWith("__Host-sw-link=;"))).toBe(true);
    expect(await signIn.accountOf(sessionOf(await throughGitHub()))).toBe(mine);
    expect(await identitiesOf(email)).toEqual([]);
  });

  it("moves no identity away from the account that it opens, and says so; linking one's own twice changes nothing", async () => {
    const theirs = somebody();
    await throughGitHub();
    const email = signIn.newEmail();
    const session = await signIn.session(email);
    expect(location(await signIn.link(session))).toBe(`${PAGE}?error=identity_taken`);
    expect(await identitiesOf(theirs.email)).toEqual([String(theirs.id)]);
    const mine = somebody();
    for (let n = 0; n < 2; n++) expect(location(await signIn.link(session))).toBe("/account");
    expect(await identitiesOf(email)).toEqual([String(mine.id)]);
  });
});

describe("a setting that next-auth would read from the environment", () => {
  it.each(["AUTH_URL", "NEXTAUTH_URL", "AUTH_REDIRECT_PROXY_URL"])("changes no redirect: %s", async (name) => {
    vi.stubEnv(name, "https://attacker.example/auth");
    try {
      const { email } = somebody();
      const went = await signIn.goToGitHub();
      expect(went.sent.href).not.toContain("attacker");
      expect(await signIn.accountOf(sessionOf(await signIn.open(went.back, { cookie: went.cookie })))).toBe(email);
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
