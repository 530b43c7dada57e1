// Guards: server/auth/**, server/sign-in/**, server/identities/**, app/(public)/login/**, components/sign-in/**, mail/**, server/me/**, pages/login/**
// Final: its verdict is about who is let in.
import type { Page } from "@playwright/test";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sendRaw } from "#tests/helpers/raw-request.ts";
import { type SignInHarness, startSignInHarness } from "#tests/helpers/sign-in-harness.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";
import type { WebProcess } from "#tests/helpers/web-process.ts";

let harness: SignInHarness;

beforeAll(async () => {
  harness = await startSignInHarness();
});
afterAll(() => harness?.stop());

// Links that other tests requested must not count towards the limits of this one.
beforeEach(() => harness.sql`DELETE FROM sign_in_requests`);
afterEach(() => Promise.all(harness.browser.contexts().map((context) => context.close())));

const newEmail = () => `${crypto.randomUUID()}@example.com`;

async function askForLink(page: Page, email: string, path = "/login"): Promise<URL> {
  const before = harness.linksTo(email).length;
  await page.goto(path);
  await page.getByLabel("E-mail").fill(email);
  await page.getByRole("button", { name: "Send the link" }).click();
  await page.getByText(email).waitFor();
  return waitFor("the mail is there", () => harness.linksTo(email)[before]);
}

const isSignedInAs = (page: Page, email: string) =>
  page
    .getByRole("heading", { level: 1, name: /^(Overview|Account and billing)$/ })
    .waitFor()
    .then(() => page.getByText(email).first().waitFor());

const alertOf = (page: Page) => page.locator("main").getByRole("alert").textContent();

const sessionOf = async (page: Page) => (await page.context().cookies()).find(({ name }) => name === "sw_session");

describe.each([
  ["with scripts", true],
  ["without scripts", false],
])("a person %s", (_, javaScriptEnabled) => {
  it("signs in with a link that is opened in the same browser, sees the account, and signs out", async () => {
    const page = await harness.newPage({ javaScriptEnabled });
    const email = newEmail();
    const link = await askForLink(page, email);
    await page.goto(link.href);
    await isSignedInAs(page, email);
    expect(new URL(page.url()).pathname).toBe("/overview");
    const session = await sessionOf(page);
    expect(session).toMatchObject({ httpOnly: true, sameSite: "Lax", path: "/", domain: "localhost" });

    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await sessionOf(page)).toBeUndefined();
    const answer = await fetch(`${harness.origin}/v1/me`, { headers: { cookie: `sw_session=${session?.value}` } });
    expect(answer.status).toBe(401);
  });

  it("confirms on a page when the link is opened in another browser, and then gets to the page they wanted", async () => {
    const email = newEmail();
    const link = await askForLink(
      await harness.newPage({ javaScriptEnabled }),
      email,
      `/login?${new URLSearchParams({ redirectTo: "/account?env=test" })}`,
    );
    const page = await harness.newPage({ javaScriptEnabled });
    await page.goto(link.href);
    expect(await sessionOf(page)).toBeUndefined();
    await page.getByRole("button", { name: `Sign in as ${email}` }).click();
    await isSignedInAs(page, email);
    expect(new URL(page.url()).search).toBe("?env=test");
  });
});

describe("an account page", () => {
  it("leads to sign-in and back when nobody is signed in", async () => {
    const page = await harness.newPage();
    await page.goto("/account");
    expect(new URL(page.url()).pathname).toBe("/login");
    const email = newEmail();
    const link = await askForLink(page, email, page.url());
    await page.goto(link.href);
    await isSignedInAs(page, email);
    expect(new URL(page.url()).pathname).toBe("/account");
    await page.goto("/login");
    expect(new URL(page.url()).pathname).toBe("/overview");
  });

  it("lists the signed-in sessions, and ends the other ones", async () => {
    const email = newEmail();
    const [one, two] = [await harness.newPage(), await harness.newPage({ userAgent: "Another browser" })];
    for (const page of [one, two]) await page.goto((await askForLink(page, email)).href);
    await one.goto("/account");
    await one.getByRole("region", { name: "Where you are signed in" }).getByText("Another browser").waitFor();
    await one.getByRole("button", { name: "Sign out elsewhere" }).click();
    await one.getByText("All other sessions have ended.").waitFor();
    expect(new URL(one.url()).search).toBe("");
    await two.goto("/account");
    expect(new URL(two.url()).pathname).toBe("/login");
    await one.goto("/account");
    await isSignedInAs(one, email);
  });
});

describe.each([
  ["with scripts", true],
  ["without scripts", false],
])("the account page %s", (_, javaScriptEnabled) => {
  it("ends one session, which leaves the others, and its own, which leads to sign-in", async () => {
    const email = newEmail();
    const pages = [
      await harness.newPage({ javaScriptEnabled }),
      await harness.newPage({ userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" }),
      await harness.newPage(),
    ] as const;
    for (const page of pages) await page.goto((await askForLink(page, email)).href);
    const [own, firefox, third] = pages;
    await own.goto("/account");
    await own.getByRole("button", { name: "End the session of Firefox on Linux" }).click();
    await own.getByText("The session has ended.").waitFor();
    await firefox.goto("/account");
    expect(new URL(firefox.url()).pathname).toBe("/login");
    await third.goto("/account");
    await isSignedInAs(third, email);

    await own.getByRole("button", { name: "End this session" }).click();
    await own.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await sessionOf(own)).toBeUndefined();
    await third.goto("/account");
    await isSignedInAs(third, email);
  });
});

describe.each([
  ["with scripts", true],
  ["without scripts", false],
])("a person %s who signed in more than a day ago", (_, javaScriptEnabled) => {
  const signIn = async () => {
    const email = newEmail();
    const page = await harness.newPage({ javaScriptEnabled });
    await page.goto((await askForLink(page, email)).href);
    await isSignedInAs(page, email);
    return { page, email };
  };
  const age = (email: string) => harness.sql`
    UPDATE sessions SET created_at = created_at - interval '25 hours'
    WHERE account_id = (SELECT id FROM accounts WHERE email = ${email})`;
  const confirmByLink = async (page: Page, email: string) => {
    await page.getByRole("heading", { name: "Confirm that it is you" }).waitFor();
    const before = harness.linksTo(email).length;
    await page.getByRole("button", { name: `Mail a link to ${email}` }).click();
    await page.getByRole("heading", { name: "Check your e-mail" }).waitFor();
    await page.goto((await waitFor("the mail is there", () => harness.linksTo(email)[before])).href);
  };

  it("confirms by a mailed link before a live key is made, and comes back to the form with its values", async () => {
    const { page, email } = await signIn();
    await age(email);
    await page.goto("/keys/new?env=test");
    const name = 'till "1" & ✓ #2';
    await page.getByLabel("Name").fill(name);
    await page.getByRole("radio", { name: "Live" }).check();
    await page.getByRole("button", { name: "Create key" }).click();
    const former = await sessionOf(page);
    await confirmByLink(page, email);
    expect(new URL(page.url()).pathname).toBe("/keys/new");
    expect((await sessionOf(page))?.value).not.toBe(former?.value);
    expect(await page.getByLabel("Name").inputValue()).toBe(name);
    expect(await page.getByRole("radio", { name: "Live" }).isChecked()).toBe(true);
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("heading", { name: "Your new key" }).waitFor();
    const keys = await harness.sql`
      SELECT name, env FROM api_keys WHERE account_id = (SELECT id FROM accounts WHERE email = ${email})`;
    expect(keys.map((key) => [key.name, key.env])).toEqual([[name, "live"]]);
  });

  it("makes a test key without confirming", async () => {
    const { page, email } = await signIn();
    await age(email);
    await page.goto("/keys/new?env=test");
    await page.getByLabel("Name").fill("ci");
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("heading", { name: "Your new key" }).waitFor();
  });

  it("confirms at a provider before a live key is rotated", async () => {
    const { page, email } = await signIn();
    harness.github.user = { id: Date.now(), login: "w", name: null, email, isVerified: true };
    await linkGitHub(page);
    await page.goto("/keys/new");
    await page.getByLabel("Name").fill("worker");
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("heading", { name: "Your new key" }).waitFor();
    await page.goto("/keys");
    await page.getByRole("link", { name: "Rotate worker" }).click();
    await page.getByRole("button", { name: "Rotate now" }).waitFor();
    await age(email);
    await page.getByRole("button", { name: "Rotate now" }).click();
    await page.getByRole("heading", { name: "Confirm that it is you" }).waitFor();
    const path = new URL(page.url()).pathname;
    await page.getByRole("link", { name: "Continue with GitHub" }).click();
    await page.locator("#authorize").click();
    await page.getByRole("button", { name: "Rotate now" }).click();
    expect(path).toMatch(/^\/keys\/key_\w+\/rotate$/);
    await page.getByRole("heading", { name: "Your new key" }).waitFor();
  });

  it("confirms before the account is deleted, and what was typed is kept when the session grew old meanwhile", async () => {
    const { page, email } = await signIn();
    await page.goto("/account/delete");
    await page.getByLabel(`Type ${email} to confirm`).fill(email.toUpperCase());
    await age(email);
    await page.getByRole("button", { name: /^Delete account/ }).click();
    await confirmByLink(page, email);
    expect(new URL(page.url()).pathname).toBe("/account/delete");
    expect(await page.getByLabel(`Type ${email} to confirm`).inputValue()).toBe(email);
    await age(email);
    await page.reload();
    await page.getByRole("heading", { name: "Confirm that it is you" }).waitFor();
    expect(await page.getByRole("button", { name: /^Delete account/ }).count()).toBe(0);
    expect(await harness.sql`SELECT status FROM accounts WHERE email = ${email}`).toMatchObject([{ status: "active" }]);
  });
});

describe("a browser with sessions of two accounts", () => {
  it("is signed out on every page, and both cookies are gone", async () => {
    const [page, other] = [await harness.newPage(), await harness.newPage()];
    for (const one of [page, other]) {
      const email = newEmail();
      await one.goto((await askForLink(one, email)).href);
      await isSignedInAs(one, email);
    }
    const stranger = await sessionOf(other);
    await page.context().addCookies([
      { name: "sw_session", value: stranger?.value ?? "", domain: "localhost", path: "/keys" },
      { name: "sw_session", value: stranger?.value ?? "", domain: "localhost", path: "/keys/" },
    ]);
    await page.goto("/keys/new");
    expect(new URL(page.url()).pathname).toBe("/login");
    expect(await sessionOf(page)).toBeUndefined();
    await page.goto("/keys");
    expect(new URL(page.url()).pathname).toBe("/login");
  });
});

describe("a magic link", () => {
  it("that was used before is refused with an explanation, and a new link can be requested there", async () => {
    const page = await harness.newPage();
    const email = newEmail();
    const link = await askForLink(page, email);
    await page.goto(link.href);
    await isSignedInAs(page, email);
    const other = await harness.newPage();
    await other.goto(link.href);
    await other.getByRole("button", { name: `Sign in as ${email}` }).click();
    expect(await alertOf(other)).toContain("That link is no longer valid.");
    await other.getByRole("button", { name: "Send a new link" }).waitFor();
    expect(await sessionOf(other)).toBeUndefined();
  });

  it("that another site opens with the confirmation already filled in signs nobody in", async () => {
    const link = await askForLink(await harness.newPage(), newEmail());
    link.searchParams.set("confirm", "1");
    const victim = await harness.newPage();
    await victim.route("http://attacker.example/**", (route) =>
      route.fulfill({
        contentType: "text/html",
        body: `<a href="${link.href.replaceAll("&", "&amp;")}" rel="noreferrer">prize</a>`,
      }),
    );
    await victim.goto("http://attacker.example/");
    await victim.getByText("prize").click();
    await victim.getByRole("heading", { name: "Confirm it is you" }).waitFor();
    expect(await sessionOf(victim)).toBeUndefined();
  });
});

/** Links the person at GitHub to the account that is signed in, by the account page. */
async function linkGitHub(page: Page) {
  await page.goto("/account");
  await page.getByRole("link", { name: "Link an identity" }).click();
  await page.getByRole("link", { name: "Link GitHub" }).click();
  await page.locator("#authorize").click();
  await page.getByText("The identity is linked.").waitFor();
}

describe("signing in with Google", () => {
  it("opens the same account each time, and keeps no token of the provider", async () => {
    const email = newEmail();
    harness.google.user = {
      sub: crypto.randomUUID(),
      email,
      isVerified: true,
      name: "Grace Hopper",
      hd: "example.com",
    };
    for (let n = 0; n < 2; n++) {
      const page = await harness.newPage();
      await page.goto("/login?redirectTo=%2Faccount%3Fenv%3Dtest");
      await page.getByRole("link", { name: "Continue with Google" }).click();
      await page.locator("#go-on").click();
      await isSignedInAs(page, email);
      await expect.poll(() => page.getByLabel("Name").inputValue()).toBe("Grace Hopper");
      expect(new URL(page.url()).search).toBe("?env=test");
      // The zone is stored by a script, some time after the page is shown.
      const cookies = (await page.context().cookies("http://localhost")).map(({ name }) => name);
      expect(cookies.filter((name) => name !== "zone")).toEqual(["sw_session"]);
    }
    const rows = await harness.sql`SELECT * FROM identities WHERE provider_account_id = ${harness.google.user.sub}`;
    expect(rows.map((row) => Object.keys(row).toSorted())).toEqual([
      ["account_id", "created_at", "id", "provider", "provider_account_id"],
    ]);
  });

  it("shows a refusal at Google to the person, who can try again", async () => {
    const page = await harness.newPage();
    await page.goto("/login");
    await page.getByRole("link", { name: "Continue with Google" }).click();
    await page.locator("#refuse").click();
    expect(await alertOf(page)).toContain("The provider did not sign you in.");
    expect(await sessionOf(page)).toBeUndefined();
  });

  it("opens no account for an address that Google has not verified", async () => {
    const email = newEmail();
    harness.google.user = { sub: crypto.randomUUID(), email, isVerified: false, name: "Mallory" };
    const page = await harness.newPage();
    await page.goto("/login");
    await page.getByRole("link", { name: "Continue with Google" }).click();
    await page.locator("#go-on").click();
    expect(await alertOf(page)).toContain("That e-mail address is not verified.");
    expect(await harness.sql`SELECT 1 FROM accounts WHERE email = ${email}`).toHaveLength(0);
  });

  it("asks the owner of an address that has an account to sign in with a link, and says why", async () => {
    const email = newEmail();
    const first = await harness.newPage();
    await first.goto((await askForLink(first, email)).href);
    await isSignedInAs(first, email);
    harness.google.user = { sub: crypto.randomUUID(), email, isVerified: true, name: "Grace Hopper" };
    const page = await harness.newPage({ javaScriptEnabled: false });
    await page.goto("/login");
    await page.getByRole("link", { name: "Continue with Google" }).click();
    await page.locator("#go-on").click();
    expect(await alertOf(page)).toContain("Sign in with a link first.");
    await page.getByRole("button", { name: "Send the link" }).waitFor();
  });
});

describe("signing in with GitHub", () => {
  it("opens the account that was created by a link once the person has linked it there, and not before", async () => {
    const email = newEmail();
    const first = await harness.newPage();
    await first.goto((await askForLink(first, email)).href);
    await isSignedInAs(first, email);
    harness.github.user = {
      id: Date.now(),
      login: "ada",
      name: "Ada Lovelace",
      email: email.toUpperCase(),
      isVerified: true,
    };
    const page = await harness.newPage();
    await page.goto("/login");
    await page.getByRole("link", { name: "Continue with GitHub" }).click();
    await page.locator("#authorize").click();
    expect(await alertOf(page)).toContain("Sign in with a link first.");
    await linkGitHub(first);
    await page.goto("/login");
    await page.getByRole("link", { name: "Continue with GitHub" }).click();
    await page.locator("#authorize").click();
    await isSignedInAs(page, email);
    await page.goto("/account");
    await expect.poll(() => page.getByLabel("Name").inputValue()).toBe("Ada Lovelace");
    expect(await harness.sql`SELECT 1 FROM accounts WHERE email = ${email}`).toHaveLength(1);
  });

  it("signs nobody in with an answer that was meant for another browser", async () => {
    harness.github.user = { id: Date.now(), login: "m", name: null, email: newEmail(), isVerified: true };
    const attacker = await harness.newPage();
    await attacker.goto("/v1/auth/oauth/github/start");
    const answer = new URL((await attacker.locator("#authorize").getAttribute("href")) ?? "");
    const victim = await harness.newPage();
    await victim.goto(answer.href);
    expect(await alertOf(victim)).toContain("The provider did not sign you in.");
    expect(await sessionOf(victim)).toBeUndefined();
    // Not even while the victim is on the way to the provider themselves.
    await victim.goto("/v1/auth/oauth/github/start");
    await victim.goto(answer.href);
    expect(await alertOf(victim)).toContain("The provider did not sign you in.");
    expect(await sessionOf(victim)).toBeUndefined();
  });
});

describe("the sign-in page says", () => {
  it("that the mail could not be sent", async () => {
    const page = await harness.newPage();
    harness.resend.behave({ status: 500 });
    try {
      await page.goto("/login");
      await page.getByLabel("E-mail").fill(newEmail());
      await page.getByRole("button", { name: "Send the link" }).click();
      expect(await alertOf(page)).toContain("The mail could not be sent.");
    } finally {
      harness.resend.behave("accept");
    }
  });

  it("that too many links were requested", async () => {
    const page = await harness.newPage();
    const email = newEmail();
    for (let n = 0; n < 5; n++) await askForLink(page, email);
    await page.goto("/login");
    await page.getByLabel("E-mail").fill(email);
    await page.getByRole("button", { name: "Send the link" }).click();
    expect(await alertOf(page)).toContain("Too many links were requested.");
    expect(harness.linksTo(email)).toHaveLength(5);
  });

  it("that the text is not an e-mail address", async () => {
    const page = await harness.newPage({ javaScriptEnabled: false });
    await page.goto("/login");
    await page.getByLabel("E-mail").fill("nobody@nowhere");
    await page.getByRole("button", { name: "Send the link" }).click();
    await page.getByText("An e-mail address looks like you@example.com.").waitFor();
    expect(await page.getByLabel("E-mail").inputValue()).toBe("nobody@nowhere");
  });

  it("that an account is deactivated", async () => {
    const page = await harness.newPage();
    const email = newEmail();
    await page.goto((await askForLink(page, email)).href);
    await isSignedInAs(page, email);
    await harness.sql`UPDATE accounts SET status = 'deactivated' WHERE email = ${email}`;
    await page.goto("/account");
    expect(new URL(page.url()).pathname).toBe("/login");
    await page.goto((await askForLink(page, email)).href);
    expect(await alertOf(page)).toContain("This account is deactivated.");
    expect(
      await harness.sql`SELECT 1 FROM sessions s JOIN accounts a ON a.id = s.account_id
      WHERE a.email = ${email} AND s.created_at > now() - interval '2 seconds' AND a.status = 'active'`,
    ).toHaveLength(0);
  });
});

describe("several web processes", () => {
  it("together mail at most five links an hour to an address and twenty to callers of one address, also behind a proxy", async () => {
    const proxied = await harness.anotherWeb({ TRUSTED_PROXIES: "127.0.0.1", BASE_URL: harness.origin });
    const ask = async (web: WebProcess, email: string, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${web.origin}/v1/auth/magic/start`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ email }),
      });
      await answer.text();
      return answer.status;
    };
    const webs = [harness.web, proxied];
    const email = newEmail();
    const caller = (nth: number) => ({ "x-forwarded-for": `198.51.100.${nth}` });
    const ofAddress = await Promise.all(
      Array.from({ length: 12 }, (_, nth) => ask(webs[nth % 2] as WebProcess, email, caller(nth))),
    );
    expect(ofAddress.filter((status) => status === 202)).toHaveLength(5);
    expect(ofAddress.filter((status) => status === 429)).toHaveLength(7);
    expect(harness.linksTo(email)).toHaveLength(5);

    await harness.sql`DELETE FROM sign_in_requests`;
    // Without a trusted proxy all requests come from this machine. With one they come from the address that it names.
    const direct = await Promise.all(Array.from({ length: 23 }, (_, nth) => ask(harness.web, newEmail(), caller(nth))));
    expect(direct.filter((status) => status === 202)).toHaveLength(20);
    expect(await ask(proxied, newEmail())).toBe(429);
    const behind = await Promise.all(Array.from({ length: 23 }, (_, nth) => ask(proxied, newEmail(), caller(nth))));
    expect(behind).toEqual(Array.from({ length: 23 }, () => 202));
  });
});

describe("junk in the headers of a request", () => {
  it.each([
    { "x-forwarded-host": "attacker.example" },
    { "x-forwarded-host": "{}\\", "x-forwarded-proto": "gopher" },
    { "x-forwarded-proto": "https,http", forwarded: "host=attacker.example" },
    { host: "attacker.example" },
    { host: "a b" },
  ])("changes no URL that a person is sent to: %j", async (headers) => {
    const ask = (path: string, more: Record<string, string> = {}) =>
      sendRaw(
        harness.web.port,
        `GET ${path} HTTP/1.1\r\n${Object.entries({ host: "x", connection: "close", ...headers, ...more })
          .map((pair) => pair.join(": "))
          .join("\r\n")}\r\n\r\n`,
      );
    const start = await ask("/v1/auth/oauth/github/start");
    expect(start.status).toBe(303);
    const went = new URL(start.headers.get("location") ?? "");
    expect(went.origin).toBe(harness.github.url);
    expect(went.searchParams.get("redirect_uri")).toBe(`${harness.origin}/v1/auth/oauth/github/callback`);
    for (const path of [
      "/v1/auth/magic/verify?token=x&email=a@example.com",
      "/v1/auth/oauth/github/callback?code=x",
      "/account",
    ]) {
      const answer = await ask(path, { accept: "text/html" });
      expect(answer.headers.get("location") ?? "").toMatch(/^\/login/);
      expect(answer.raw).not.toContain("attacker");
    }
  });
});

describe("while the database is away", () => {
  it("pages and links say so, and no page shows a bare error", async () => {
    const away = await harness.anotherWeb({ DATABASE_URL: "postgres://nobody:x@127.0.0.1:1/nowhere" });
    const location = async (path: string) =>
      (await fetch(`${away.origin}${path}`, { redirect: "manual" })).headers.get("location");
    const cookie = `sw_session=${"a".repeat(43)}`;
    const account = await fetch(`${away.origin}/account`, { redirect: "manual", headers: { cookie } });
    expect(account.status).toBe(503);
    expect(await account.text()).toContain("The database cannot be reached right now.");
    expect(await location("/v1/auth/magic/verify?token=x&email=a%40example.com")).toBe("/login?error=unavailable");
    expect(await location("/v1/auth/oauth/github/callback?code=x")).toBe("/login?error=unavailable");
    const page = await harness.newPage({ baseURL: `http://localhost:${away.port}` });
    await page.goto("/login");
    expect(await alertOf(page)).toContain("Signing in does not work right now.");
    await page.getByLabel("E-mail").fill(newEmail());
    await page.getByRole("button", { name: "Send the link" }).click();
    expect(await alertOf(page)).toContain("Signing in does not work right now.");
  });
});

describe("the log", () => {
  it("contains no token of a link or of a session, no code of a provider, and no address of a person", async () => {
    const page = await harness.newPage();
    const email = newEmail();
    const link = await askForLink(page, email);
    await page.goto(link.href);
    const session = await sessionOf(page);
    await page.goto(link.href);
    harness.github.user = { id: Date.now(), login: "l", name: null, email: newEmail(), isVerified: true };
    await page.goto("/v1/auth/oauth/github/start");
    const answer = new URL((await page.locator("#authorize").getAttribute("href")) ?? "");
    await page.goto(answer.href);
    await page.goto(answer.href);
    const [token, code] = [link.searchParams.get("token"), answer.searchParams.get("code")];
    await waitFor(
      "calls are logged",
      () => harness.web.lines().filter((line) => line.includes("/oauth/github/callback")).length > 1,
    );
    for (const secret of [token, code, session?.value, email, harness.github.user.email, ...harness.github.tokens]) {
      expect(secret).toBeTruthy();
      expect(harness.web.lines().filter((line) => line.includes(secret as string))).toEqual([]);
    }
  });
});

describe("a form on another site", () => {
  it.each(["/login/send", "/account/sign-out", "/account/sign-out-elsewhere", "/account/end-session"])(
    "has no effect here: %s",
    async (path) => {
      const page = await harness.newPage();
      const email = newEmail();
      await page.goto((await askForLink(page, email)).href);
      await isSignedInAs(page, email);
      const cookie = `sw_session=${(await sessionOf(page))?.value}`;
      const mails = harness.resend.accepted.length;
      const answer = await fetch(`${harness.origin}${path}`, {
        method: "POST",
        headers: { cookie, origin: "https://attacker.example", "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ email: newEmail() }),
        redirect: "manual",
      });
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []]);
      expect(harness.resend.accepted).toHaveLength(mails);
      expect((await fetch(`${harness.origin}/v1/me`, { headers: { cookie } })).status).toBe(200);
    },
  );
});

describe("a returning browser", () => {
  it("gets seven more days for its cookie with the first page of a day, and no cookie that it did not have", async () => {
    const page = await harness.newPage();
    const email = newEmail();
    await page.goto((await askForLink(page, email)).href);
    await isSignedInAs(page, email);
    const session = await sessionOf(page);
    await harness.sql`
      UPDATE sessions SET created_at = created_at - interval '2 days', expires_at = expires_at - interval '2 days'
      WHERE account_id = (SELECT id FROM accounts WHERE email = ${email})`;
    await page
      .context()
      .addCookies([{ ...(session as NonNullable<typeof session>), expires: Date.now() / 1000 + 3_600 }]);
    await page.goto("/account");
    const later = await sessionOf(page);
    expect(later?.value).toBe(session?.value);
    expect(later?.expires).toBeGreaterThan(Date.now() / 1000 + 6.9 * 86_400);
    const stranger = await harness.newPage();
    await stranger.goto("/login");
    expect(await sessionOf(stranger)).toBeUndefined();
  });
});
