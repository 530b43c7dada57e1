import type { Page } from "@playwright/test";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type SignInStage, startSignInStage } from "#tests/helpers/sign-in-stage.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";

let stage: SignInStage;

beforeAll(async () => {
  stage = await startSignInStage();
}, 240_000);
afterAll(() => stage?.stop());

// The limits of other tests are not these tests' matter.
beforeEach(() => stage.sql`DELETE FROM sign_in_requests`);
afterEach(() => Promise.all(stage.browser.contexts().map((context) => context.close())));

const newEmail = () => `${crypto.randomUUID()}@example.com`;

async function askForLink(page: Page, email: string, path = "/login"): Promise<URL> {
  const before = stage.resend.linksTo(email).length;
  await page.goto(path);
  await page.getByLabel("E-mail").fill(email);
  await page.getByRole("button", { name: "Send the link" }).click();
  await page.getByText(email).waitFor();
  return waitFor("the mail is there", () => stage.resend.linksTo(email)[before]);
}

const isSignedInAs = (page: Page, email: string) =>
  page
    .getByRole("heading", { name: "Account" })
    .waitFor()
    .then(() => page.getByText(email).first().waitFor());

const alertOf = (page: Page) => page.locator("main").getByRole("alert").textContent();

const sessionOf = async (page: Page) => (await page.context().cookies()).find(({ name }) => name === "sw_session");

describe.each([
  ["with scripts", true],
  ["without scripts", false],
])("somebody %s", (_, javaScriptEnabled) => {
  it("signs in with a link that is opened in the same browser, sees who that is, and signs out", async () => {
    const page = await stage.newPage({ javaScriptEnabled });
    const email = newEmail();
    const link = await askForLink(page, email);
    await page.goto(link.href);
    await isSignedInAs(page, email);
    expect(new URL(page.url()).pathname).toBe("/account");
    const session = await sessionOf(page);
    expect(session).toMatchObject({ httpOnly: true, sameSite: "Lax", path: "/", domain: "localhost" });

    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await sessionOf(page)).toBeUndefined();
    const answer = await fetch(`${stage.origin}/v1/me`, { headers: { cookie: `sw_session=${session?.value}` } });
    expect(answer.status).toBe(401);
  });

  it("confirms on a page when the link is opened in another browser, and goes on to where they wanted", async () => {
    const email = newEmail();
    const link = await askForLink(
      await stage.newPage({ javaScriptEnabled }),
      email,
      `/login?${new URLSearchParams({ redirectTo: "/account?ended=1" })}`,
    );
    const page = await stage.newPage({ javaScriptEnabled });
    await page.goto(link.href);
    expect(await sessionOf(page)).toBeUndefined();
    await page.getByRole("button", { name: `Sign in as ${email}` }).click();
    await isSignedInAs(page, email);
    await page.getByText("All other sessions have ended.").waitFor();
    expect(new URL(page.url()).search).toBe("?ended=1");
  });
});

describe("an account page", () => {
  it("leads to sign-in and back when nobody is signed in", async () => {
    const page = await stage.newPage();
    await page.goto("/account");
    expect(new URL(page.url()).pathname).toBe("/login");
    const email = newEmail();
    const link = await askForLink(page, email, page.url());
    await page.goto(link.href);
    await isSignedInAs(page, email);
    await page.goto("/login");
    expect(new URL(page.url()).pathname).toBe("/account");
  });

  it("shows where somebody is signed in, and ends the other sessions", async () => {
    const email = newEmail();
    const [one, two] = [await stage.newPage(), await stage.newPage({ userAgent: "Another browser" })];
    for (const page of [one, two]) await page.goto((await askForLink(page, email)).href);
    await one.reload();
    await one.getByText("Another browser").waitFor();
    await one.getByRole("button", { name: "Sign out elsewhere" }).click();
    await one.getByText("All other sessions have ended.").waitFor();
    await two.goto("/account");
    expect(new URL(two.url()).pathname).toBe("/login");
    await one.goto("/account");
    await isSignedInAs(one, email);
  });
});

describe("a link", () => {
  it("that was used is refused with words, and a new one can be had there", async () => {
    const page = await stage.newPage();
    const email = newEmail();
    const link = await askForLink(page, email);
    await page.goto(link.href);
    await isSignedInAs(page, email);
    const other = await stage.newPage();
    await other.goto(link.href);
    await other.getByRole("button", { name: `Sign in as ${email}` }).click();
    expect(await alertOf(other)).toContain("That link is no longer valid.");
    expect(await other.getByRole("button", { name: "Send a new link" }).isVisible()).toBe(true);
    expect(await sessionOf(other)).toBeUndefined();
  });

  it("that another site opens with the confirmation already in it signs nobody in", async () => {
    const link = await askForLink(await stage.newPage(), newEmail());
    link.searchParams.set("confirm", "1");
    const victim = await stage.newPage();
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

describe("with Google", () => {
  it("somebody signs in, comes back, and it is the same account; no token of the provider is kept", async () => {
    const email = newEmail();
    stage.google.user = { sub: crypto.randomUUID(), email, isVerified: true, name: "Grace Hopper" };
    for (let n = 0; n < 2; n++) {
      const page = await stage.newPage();
      await page.goto("/login?redirectTo=%2Faccount%3Fended%3D1");
      await page.getByRole("link", { name: "Continue with Google" }).click();
      await page.locator("#go-on").click();
      await isSignedInAs(page, email);
      await page.getByText("Grace Hopper").waitFor();
      expect(new URL(page.url()).search).toBe("?ended=1");
      expect((await page.context().cookies("http://localhost")).map(({ name }) => name)).toEqual(["sw_session"]);
    }
    const rows = await stage.sql`SELECT * FROM identities WHERE provider_account_id = ${stage.google.user.sub}`;
    expect(rows.map((row) => Object.keys(row).toSorted())).toEqual([
      ["account_id", "created_at", "provider", "provider_account_id"],
    ]);
  });

  it("somebody who refuses there is told so, and can try again", async () => {
    const page = await stage.newPage();
    await page.goto("/login");
    await page.getByRole("link", { name: "Continue with Google" }).click();
    await page.locator("#refuse").click();
    expect(await alertOf(page)).toContain("The provider did not sign you in.");
    expect(await sessionOf(page)).toBeUndefined();
  });

  it("an address that Google has not verified opens no account", async () => {
    const email = newEmail();
    stage.google.user = { sub: crypto.randomUUID(), email, isVerified: false, name: "Mallory" };
    const page = await stage.newPage();
    await page.goto("/login");
    await page.getByRole("link", { name: "Continue with Google" }).click();
    await page.locator("#go-on").click();
    expect(await alertOf(page)).toContain("That e-mail address is not verified.");
    expect(await stage.sql`SELECT 1 FROM accounts WHERE email = ${email}`).toHaveLength(0);
  });
});

describe("with GitHub", () => {
  it("somebody who has an account by a link signs into the same one, since the address is verified there", async () => {
    const email = newEmail();
    const first = await stage.newPage();
    await first.goto((await askForLink(first, email)).href);
    await isSignedInAs(first, email);
    stage.github.user = {
      id: Date.now(),
      login: "ada",
      name: "Ada Lovelace",
      email: email.toUpperCase(),
      isVerified: true,
    };
    const page = await stage.newPage();
    await page.goto("/login");
    await page.getByRole("link", { name: "Continue with GitHub" }).click();
    await page.locator("#authorize").click();
    await isSignedInAs(page, email);
    await page.getByText("Ada Lovelace").waitFor();
    expect(await stage.sql`SELECT 1 FROM accounts WHERE email = ${email}`).toHaveLength(1);
  });

  it("an answer that was meant for another browser signs nobody in", async () => {
    stage.github.user = { id: Date.now(), login: "m", name: null, email: newEmail(), isVerified: true };
    const attacker = await stage.newPage();
    await attacker.goto("/v1/auth/oauth/github/start");
    const answer = new URL((await attacker.locator("#authorize").getAttribute("href")) ?? "");
    const victim = await stage.newPage();
    await victim.goto(answer.href);
    expect(await alertOf(victim)).toContain("The provider did not sign you in.");
    expect(await sessionOf(victim)).toBeUndefined();
    // Not even while the victim is on the way to the provider for themselves.
    await victim.goto("/v1/auth/oauth/github/start");
    await victim.goto(answer.href);
    expect(await alertOf(victim)).toContain("The provider did not sign you in.");
    expect(await sessionOf(victim)).toBeUndefined();
  });
});

describe("the page of sign-in says", () => {
  it("that the mail could not be sent", async () => {
    const page = await stage.newPage();
    stage.resend.status = 500;
    try {
      await page.goto("/login");
      await page.getByLabel("E-mail").fill(newEmail());
      await page.getByRole("button", { name: "Send the link" }).click();
      expect(await alertOf(page)).toContain("The mail could not be sent.");
    } finally {
      stage.resend.status = 200;
    }
  });

  it("that too many links were asked for", async () => {
    const page = await stage.newPage();
    const email = newEmail();
    for (let n = 0; n < 5; n++) await askForLink(page, email);
    await page.goto("/login");
    await page.getByLabel("E-mail").fill(email);
    await page.getByRole("button", { name: "Send the link" }).click();
    expect(await alertOf(page)).toContain("Too many links were asked for.");
    expect(stage.resend.linksTo(email)).toHaveLength(5);
  });

  it("that what was typed is no address", async () => {
    const page = await stage.newPage({ javaScriptEnabled: false });
    await page.goto("/login");
    await page.getByLabel("E-mail").fill("nobody@nowhere");
    await page.getByRole("button", { name: "Send the link" }).click();
    await page.getByText("An e-mail address looks like you@example.com.").waitFor();
    expect(await page.getByLabel("E-mail").inputValue()).toBe("nobody@nowhere");
  });

  it("that an account is deactivated", async () => {
    const page = await stage.newPage();
    const email = newEmail();
    await page.goto((await askForLink(page, email)).href);
    await isSignedInAs(page, email);
    await stage.sql`UPDATE accounts SET status = 'deactivated' WHERE email = ${email}`;
    await page.goto("/account");
    expect(new URL(page.url()).pathname).toBe("/login");
    await page.goto((await askForLink(page, email)).href);
    expect(await alertOf(page)).toContain("This account is deactivated.");
    expect(
      await stage.sql`SELECT 1 FROM sessions s JOIN accounts a ON a.id = s.account_id
      WHERE a.email = ${email} AND s.created_at > now() - interval '2 seconds' AND a.status = 'active'`,
    ).toHaveLength(0);
  });
});
