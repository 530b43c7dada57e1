// Guards: app/(dashboard)/keys/**, app/(dashboard)/signing/**, app/(dashboard)/relay/**, app/(dashboard)/account/**, app/(dashboard)/admin/**, components/keys/**, components/signing/**, components/relay/**, components/account/**, components/admin/**, server/api-keys/**, server/signing-secrets/**, server/relay-settings/**, server/admin/**, server/billing/**, server/me/**
import type { Page } from "@playwright/test";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hashApiKey, parseApiKey } from "#domain/api-key.ts";
import { encodeId } from "#domain/ids.ts";
import { loadSigningSecret, signRequest } from "#domain/signing.ts";
import type { TestAccount } from "#tests/helpers/accounts.ts";
import { type DashboardHarness, startDashboardHarness } from "#tests/helpers/dashboard-harness.ts";
import { expectSound, untilInteractive, WIDE } from "#tests/helpers/page-checks.ts";
import { startStripe, type TestStripe } from "#tests/helpers/stripe.ts";
import { dashboardPaths } from "#tests/pages/routes.ts";

let harness: DashboardHarness;
let account: TestAccount;

let boss: TestAccount;
let stripe: TestStripe;

beforeAll(async () => {
  stripe = await startStripe();
  harness = await startDashboardHarness({ ADMIN_EMAILS: "boss@example.com", ...stripe.settings });
  boss = await harness.dispatch.account();
  await harness.sql`UPDATE accounts SET email = 'boss@example.com', email_verified_at = now() WHERE id = ${boss.id}`;
});
afterAll(async () => {
  await harness?.stop();
  await stripe?.close();
});
beforeEach(async () => {
  account = await harness.dispatch.account();
});

const NO_SCRIPTS = { ...WIDE, scripts: false };

const main = (page: Page) => page.getByRole("main");
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** Presses a button that sends a form, and returns once the page that answers is there as a whole. */
async function press(page: Page, name: string) {
  // From here on the next page to be there is another one.
  await page.waitForLoadState("domcontentloaded");
  await Promise.all([page.waitForEvent("domcontentloaded"), button(page, name).click()]);
}

function keys() {
  return harness.sql<{ name: string; env: string; hash: Buffer; revoked: boolean }[]>`
    SELECT name, env, hash, revoked_at IS NOT NULL AS revoked FROM api_keys
    WHERE account_id = ${account.id} ORDER BY created_at`;
}

/** Creates a key on the pages, and returns the page that shows it with its raw value. */
async function createKey(look = WIDE as typeof NO_SCRIPTS, name = "checkout-worker") {
  const opened = await harness.open(account, "/keys/new", look);
  await opened.page.getByLabel("Name").fill(name);
  await press(opened.page, "Create key");
  await opened.page.waitForURL("**/keys/created");
  return { ...opened, raw: await rawKey(opened.page) };
}

async function rawKey(page: Page): Promise<string> {
  return (await page.getByRole("group", { name: /^API key, (live|test) key$/ }).textContent()) ?? "";
}

it("the pages of keys pass axe, fit and log no complaint: none yet, new, created, a list, and both confirm pages", async () => {
  for (const path of ["/keys", "/keys/new", "/keys/new?error=name", "/keys/created"]) {
    const { page, complaints, close } = await harness.open(account, path);
    await expectSound(page, complaints);
    await close();
  }
  const created = await createKey();
  await expectSound(created.page, created.complaints);
  await press(created.page, "I have saved it");
  await created.page.getByText("Saved. The key is not shown again.").waitFor();
  await expectSound(created.page, created.complaints);
  for (const act of ["Rotate", "Revoke"]) {
    await created.page.goto(`${harness.origin}/keys`);
    await created.page.getByRole("link", { name: `${act} checkout-worker` }).click();
    await created.page.getByRole("heading", { name: `${act} checkout-worker?` }).waitFor();
    await expectSound(created.page, created.complaints);
  }
  await created.close();
});

it("the pages of signing secrets pass axe, fit and log no complaint: masked, revealed, checked, and the confirm page", async () => {
  const { page, complaints, close } = await harness.open(account, "/signing");
  await expectSound(page, complaints);
  await page.getByText("Reveal").first().click();
  await page.getByRole("radio", { name: "Go" }).focus();
  await page.keyboard.press("Space");
  await button(page, "Check").click();
  await page.getByText("Missing: webhook-id").waitFor();
  await expectSound(page, complaints);
  await page.getByRole("link", { name: "Rotate live secrets" }).click();
  await page.getByRole("heading", { name: "Rotate the live secrets?" }).waitFor();
  await expectSound(page, complaints);
  await close();
});

it("the relay settings pass axe, fit and log no complaint: saved, changed without saving, and rejected", async () => {
  for (const path of ["/relay", "/relay?typed=1&cps=many&wait=1&wrong=cps"]) {
    const { page, complaints, close } = await harness.open(account, path);
    await expectSound(page, complaints);
    await page.getByLabel("fixed").check();
    await page.getByText("Not saved yet: Waits grow.").waitFor();
    await expectSound(page, complaints);
    await close();
  }
});

it("the account page and the pages behind it pass axe, fit and log no complaint", async () => {
  const paths = ["/account", "/account?wrong=name", "/account?checkout=done", "/account/delete?error=email"];
  for (const path of [...paths, "/account/continue", "/deleted"]) {
    const { page, complaints, close } = await harness.open(account, path);
    await expectSound(page, complaints);
    await close();
  }
});

it("the pages of administrators pass axe, fit and log no complaint", async () => {
  const id = encodeId("acc", account.id);
  await deactivate(id, "Sends to a host that complained.");
  const paths = ["/admin", "/admin?q=nobody-has-this", "/admin/log", `/admin/accounts/${id}`];
  for (const path of [...paths, `/admin/accounts/${id}/reactivate?error=reason`]) {
    const { page, complaints, close } = await harness.open(boss, path);
    await expectSound(page, complaints);
    await close();
  }
});

/** Deactivates an account on the pages. */
async function deactivate(id: string, reason: string) {
  const { page, close } = await harness.open(boss, `/admin/accounts/${id}`, NO_SCRIPTS);
  await page.getByRole("link", { name: "Deactivate" }).click();
  await page.getByLabel("Reason").fill(reason);
  await press(page, "Deactivate");
  await page.getByText("Deactivated. Its sessions have ended").waitFor();
  await close();
}

describe("API keys", () => {
  it.each([
    { scripts: true, look: WIDE as typeof NO_SCRIPTS },
    { scripts: false, look: NO_SCRIPTS },
  ])(
    "a new key is shown in full once, with a line for .env, and not after it was saved: scripts $scripts",
    async ({ look }) => {
      const { page, raw, close } = await createKey(look);
      expect(parseApiKey(raw)).toEqual({ env: "live" });
      await page.getByRole("radio", { name: "live key" }).press("ArrowRight");
      expect(await page.getByRole("group", { name: "API key, .env" }).textContent()).toBe(`STOPWATCH_API_KEY=${raw}`);
      expect((await keys()).map(({ hash }) => hash)).toEqual([hashApiKey(raw)]);
      await press(page, "I have saved it");
      expect(await main(page).textContent()).toMatch(/checkout-worker\s*live\s*sw_live_…/);
      expect(await page.content()).not.toContain(raw);
      await page.goto(`${harness.origin}/keys/created`);
      expect(await main(page).textContent()).toContain("No key to show");
      await close();
    },
  );

  it("the raw key is in no URL, no readable cookie, no log line and no cache", async () => {
    const { page, raw, close } = await createKey();
    expect(page.url()).toBe(`${harness.origin}/keys/created`);
    expect(JSON.stringify(await page.context().cookies(`${harness.origin}/keys/created`))).not.toContain(raw.slice(8));
    expect(await page.evaluate(() => document.cookie)).not.toContain("hand_over");
    const answer = await page.request.get(page.url());
    expect(answer.headers()["cache-control"]).toContain("no-store");
    expect(harness.web.lines().join("\n")).not.toContain(raw.slice(8));
    await close();
  });

  it("the page of a new key shows it only to the session that created it", async () => {
    const { page, close } = await createKey();
    const cookies = await page.context().cookies(`${harness.origin}/keys/created`);
    const handOver = cookies.find(({ name }) => name === "hand_over");
    const other = await harness.open(account, "/keys");
    await other.page.context().addCookies(handOver ? [handOver] : []);
    await other.page.goto(`${harness.origin}/keys/created`);
    expect(await main(other.page).textContent()).toContain("No key to show");
    await Promise.all([close(), other.close()]);
  });

  it("a double click creates one key, and the page that is shown has its value", async () => {
    for (const look of [WIDE as typeof NO_SCRIPTS, NO_SCRIPTS]) {
      const { page, close } = await harness.open(account, "/keys/new", look);
      await page.getByLabel("Name").fill(`double ${look.scripts}`);
      await page.getByRole("button", { name: "Create key" }).dblclick();
      await expect.poll(() => page.url()).toMatch(/\/keys\/created$/);
      const stored = (await keys()).filter(({ name }) => name === `double ${look.scripts}`);
      expect(stored.map(({ hash }) => hash)).toEqual([hashApiKey(await rawKey(page))]);
      await close();
    }
  });

  it("an invalid name is rejected with the reason, and the typed name is kept", async () => {
    const { page, close } = await harness.open(account, "/keys/new?env=test", NO_SCRIPTS);
    await page.getByLabel("Name").fill("  ");
    await page.getByLabel("Live").check();
    await press(page, "Create key");
    expect(await main(page).getByRole("alert").textContent()).toContain("A name has 1 to 80 characters on one line.");
    expect(await page.getByLabel("Live").isChecked()).toBe(true);
    expect(await keys()).toEqual([]);
    await close();
  });

  it("rotating with an overlap lets the old key work, and the list says until when", async () => {
    const { page, raw, close } = await createKey(NO_SCRIPTS);
    await press(page, "I have saved it");
    await page.getByRole("link", { name: "Rotate checkout-worker" }).click();
    await page.getByLabel("The old key stops working").selectOption("4");
    await press(page, "Rotate now");
    await page.waitForURL("**/keys/created");
    expect(await main(page).textContent()).toContain("The old key still works for now");
    const call = await fetch(`${harness.origin}/v1/me`, { headers: { Authorization: `Bearer ${raw}` } });
    expect(call.status).toBe(200);
    await press(page, "I have saved it");
    expect(await main(page).textContent()).toMatch(/expires in (4 h|3 h 59 m)/);
    expect(await page.getByRole("link", { name: "Rotate checkout-worker" }).count()).toBe(1);
    expect(await page.getByRole("link", { name: "Revoke checkout-worker" }).count()).toBe(2);
    await close();
  });

  it("rotating says that the old key stops working now, and a double click rotates once", async () => {
    const { page, raw, close } = await createKey(NO_SCRIPTS);
    await press(page, "I have saved it");
    await page.getByRole("link", { name: "Rotate checkout-worker" }).click();
    await expect.poll(() => main(page).textContent()).toMatch(/ends in .{4} stops working at once/);
    await page.getByRole("button", { name: "Rotate now" }).dblclick();
    await expect.poll(() => page.url()).toMatch(/\/keys\/created$/);
    expect(await main(page).textContent()).toContain("The old key has stopped working.");
    const stored = await keys();
    expect(stored.map(({ hash, revoked }) => [hash, revoked])).toEqual([
      [hashApiKey(raw), true],
      [hashApiKey(await rawKey(page)), false],
    ]);
    await close();
  });

  it("a key is revoked only after its name was typed", async () => {
    const { page, close } = await createKey(NO_SCRIPTS);
    await press(page, "I have saved it");
    await page.getByRole("link", { name: "Revoke checkout-worker" }).click();
    await page.getByLabel("Type checkout-worker to confirm").fill("checkout");
    await press(page, "Revoke key");
    expect(await main(page).getByRole("alert").textContent()).toContain("Type checkout-worker, exactly.");
    expect((await keys()).map(({ revoked }) => revoked)).toEqual([false]);
    await page.getByLabel("Type checkout-worker to confirm").fill("checkout-worker");
    await press(page, "Revoke key");
    expect(await page.getByRole("status").first().textContent()).toContain("API requests with this key get 401");
    expect(await main(page).textContent()).toContain("revoked");
    expect((await keys()).map(({ revoked }) => revoked)).toEqual([true]);
    await close();
  });

  it.each([true, false])(
    "the result of a form is shown once, and is not in the address: scripts %s",
    async (scripts) => {
      const { page, close } = await createKey({ ...WIDE, scripts });
      const said = page.getByRole("status").filter({ hasText: /Saved\.|Revoked\./ });
      await press(page, "I have saved it");
      expect(await said.textContent()).toBe("Saved. The key is not shown again.");
      await page.getByRole("link", { name: "Revoke checkout-worker" }).click();
      await page.getByLabel("Type checkout-worker to confirm").fill("checkout-worker");
      await press(page, "Revoke key");
      expect(await said.textContent()).toBe("Revoked. API requests with this key get 401 from now on.");
      const address = page.url();
      expect(address).toBe(`${harness.origin}/keys`);
      await page.reload();
      await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
      expect(await said.count()).toBe(0);
      await page.goto(`${harness.origin}/logs`);
      await page.goto(address);
      expect(await said.count()).toBe(0);
      await close();
    },
  );

  it("a key of another account is not found", async () => {
    const { page, close } = await createKey(NO_SCRIPTS);
    await press(page, "I have saved it");
    const rotate = await page.getByRole("link", { name: "Rotate checkout-worker" }).getAttribute("href");
    const stranger = await harness.open(await harness.dispatch.account(), rotate ?? "");
    expect(stranger.answer?.status()).toBe(404);
    expect(await main(stranger.page).textContent()).toContain("No such API key");
    await Promise.all([close(), stranger.close()]);
  });
});

describe("signing secrets", () => {
  it("are masked, and revealed without scripts", async () => {
    const { page, close } = await harness.open(account, "/signing", NO_SCRIPTS);
    const secret = page.getByText(account.secrets.live, { exact: true });
    expect(await secret.isVisible()).toBe(false);
    await page.locator("summary").first().focus();
    await page.keyboard.press("Enter");
    await secret.waitFor();
    await page.getByText("It needs scripts.").waitFor();
    await close();
  });

  it("the receivers' code is chosen by keyboard at 320 px, without scripts", async () => {
    const { page, close } = await harness.open(account, "/signing", { ...NO_SCRIPTS, width: 320 });
    await page.getByRole("radio", { name: "Next.js" }).focus();
    for (const label of ["Express", "Hono", "Python", "Go"]) {
      await page.keyboard.press("ArrowRight");
      await page.getByRole("group", { name: `Receiver, ${label}` }).waitFor();
      expect(await page.getByRole("radio", { name: label }).isChecked()).toBe(true);
    }
    await close();
  });

  it("rotate after confirmation; a double click rotates once, and the page shows the next step", async () => {
    const pair = async (env: string) => {
      const [row] = await harness.sql`
        SELECT current, next, former FROM signing_secrets WHERE account_id = ${account.id} AND env = ${env}`;
      return row;
    };
    const [before, live] = [await pair("test"), await pair("live")];
    const { page, close } = await harness.open(account, "/signing?env=test", NO_SCRIPTS);
    await page.getByRole("link", { name: "Rotate test secrets" }).click();
    await expect
      .poll(() => main(page).textContent())
      .toContain("A receiver that has neither secret then refuses requests.");
    await page.getByRole("button", { name: "Rotate test secrets" }).dblclick();
    await page.getByText("Rotated. Put the new next secret").waitFor();
    expect(await main(page).textContent()).toMatch(/The former secret signs too, and stops in 2[34] h/);
    const after = await pair("test");
    expect(after?.current).toEqual(before?.next);
    expect(after?.former).toEqual(before?.current);
    expect(await pair("live")).toEqual(live);
    await close();
  });

  it("the page checks a signature by itself, and sends nothing", async () => {
    const { page, close } = await harness.open(account, "/signing");
    await untilInteractive(page);
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.url()));
    const body = '{"customer":"cus_81"}';
    const headers = signRequest({
      keys: [loadSigningSecret(account.secrets.live)],
      scheduleId: "sch_1",
      timestampSeconds: Math.floor(Date.now() / 1_000),
      body: Buffer.from(body),
    });
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    await page.getByLabel("Received headers").fill(lines.join("\n"));
    await page.getByLabel("Raw body").fill(body);
    await button(page, "Check").click();
    await page.getByText("It matches the current secret.").waitFor();
    await page.getByLabel("Raw body").fill('{"customer": "cus_81"}');
    await button(page, "Check").click();
    await page.getByText("It does not match.").waitFor();
    expect(sent).toEqual([]);
    await close();
  });
});

describe("relay settings", () => {
  const stored = async () => {
    const [row] = await harness.sql`
      SELECT cps_limit, retry_attempts, retry_backoff_ms, retry_strategy, early_fire
      FROM relay_settings WHERE account_id = ${account.id}`;
    return row;
  };
  const cells = (page: Page, setting: string) =>
    page.getByRole("row", { name: setting }).last().getByRole("cell").allTextContents();

  it("are saved without scripts, empty fields as the plan's default, and the retries that result are listed", async () => {
    const { page, close } = await harness.open(account, "/relay", NO_SCRIPTS);
    await page.getByLabel("Outgoing requests per second", { exact: true }).fill("40");
    await page.getByLabel("First wait (s)").fill("1.5");
    await page.getByLabel("linear").check();
    await page
      .getByRole("group", { name: "Early fire for new schedules" })
      .getByLabel("on", { exact: false })
      .first()
      .check();
    await press(page, "Save");
    expect(await page.getByRole("status").first().textContent()).toBe("Saved. It applies to the next attempts.");
    expect(await stored()).toMatchObject({
      cps_limit: 40,
      retry_attempts: null,
      retry_backoff_ms: 1_500,
      retry_strategy: "linear",
    });
    expect(await cells(page, "Outgoing requests per second")).toEqual(["40", "40", "500"]);
    expect(await cells(page, "Retries")).toEqual(["—", "4", "4"]);
    expect(await cells(page, "Retry 2")).toEqual(["3 s to 3.7 s", "4.5 s"]);
    await page.getByLabel("Outgoing requests per second", { exact: true }).fill("");
    await press(page, "Save");
    expect(await stored()).toMatchObject({ cps_limit: null, retry_backoff_ms: 1_500 });
    await close();
  });

  it("say which values were clamped to the plan's limits, and keep typed text that is not a number", async () => {
    const { page, close } = await harness.open(account, "/relay", NO_SCRIPTS);
    await page.getByLabel("Outgoing requests per second", { exact: true }).fill("100000");
    await press(page, "Save");
    expect(await page.getByRole("status").first().textContent()).toContain(
      "outgoing requests per second was brought into its range",
    );
    expect(await stored()).toMatchObject({ cps_limit: 500 });
    await page.getByLabel("Retries", { exact: true }).fill("2.5");
    await page.getByLabel("Outgoing requests per second", { exact: true }).fill("7");
    await press(page, "Save");
    expect(await main(page).getByRole("alert").textContent()).toContain("Retries is a whole number, or empty.");
    expect(await page.getByLabel("Outgoing requests per second", { exact: true }).inputValue()).toBe("7");
    expect(await stored()).toMatchObject({ cps_limit: 500, retry_attempts: null });
    await close();
  });

  it("slider and number move together, and the table of retries follows", async () => {
    const { page, close } = await harness.open(account, "/relay");
    await untilInteractive(page);
    const slider = page.getByRole("slider", { name: "Retries, slider" });
    const number = page.getByLabel("Retries", { exact: true });
    const rows = page.getByRole("row", { name: /Retry \d/ });
    await slider.focus();
    await page.keyboard.press("End");
    await expect.poll(() => number.inputValue()).toBe("9");
    await page.getByRole("row", { name: "Retry 9" }).waitFor();
    await number.fill("1");
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole("button", { name: "Use default: Retries" }).click();
    await expect.poll(() => number.inputValue()).toBe("");
    await expect.poll(() => rows.count()).toBe(4);
    await close();
  });
});

describe("test deliveries to listeners", () => {
  const BAND = "anyone with a test key can receive all test deliveries";

  it("are switched without scripts, and every page of the test environment says so, with the way to end it", async () => {
    const { page, close } = await harness.open(account, "/relay?env=test", NO_SCRIPTS);
    expect(await page.getByText(BAND).count()).toBe(0);
    await press(page, "Turn it on for 7 days");
    expect(await page.getByRole("status").first().textContent()).toBe(
      "On. Test keys may receive all test deliveries for 7 days.",
    );
    const paths = dashboardPaths().filter((path) => !path.startsWith("/admin"));
    expect(paths.length).toBeGreaterThan(20);
    for (const path of paths) {
      const url = new URL(path, harness.origin);
      url.searchParams.set("env", "test");
      const status = (await page.goto(url.href))?.status() ?? 0;
      if (status === 200) expect([path, await page.getByText(BAND).count()]).toEqual([path, 1]);
    }
    await page.goto(`${harness.origin}/overview`);
    expect(await page.getByText(BAND).count()).toBe(0);
    await page.goto(`${harness.origin}/logs?env=test`);
    await press(page, "Turn this off");
    expect(await page.getByRole("status").first().textContent()).toMatch(/^Off\./);
    expect(await page.getByText(BAND).count()).toBe(0);
    await close();
  });

  it("pass axe, fit and log no complaint while they are on", async () => {
    await harness.sql`
      INSERT INTO relay_settings (account_id, test_deliveries_until) VALUES (${account.id}, now() + interval '7 days')`;
    for (const path of ["/relay?env=test", "/overview?env=test"]) {
      const { page, complaints, close } = await harness.open(account, path);
      await page.getByText(BAND).waitFor();
      await expectSound(page, complaints);
      await close();
    }
  });
});

describe("the account", () => {
  const row = async () => (await harness.sql`SELECT * FROM accounts WHERE id = ${account.id}`)[0];

  it("is renamed, and notices are turned off and on, without scripts", async () => {
    const { page, close } = await harness.open(account, "/account", NO_SCRIPTS);
    await page.getByLabel("Name").fill("Ana Vidal");
    await page.getByLabel("Notices by e-mail").uncheck();
    await press(page, "Save");
    expect(await page.getByRole("status").first().textContent()).toBe("Saved.");
    expect(await row()).toMatchObject({ name: "Ana Vidal", notices: false });
    await page.getByLabel("Notices by e-mail").check();
    await page.getByLabel("Name").fill(" ");
    await press(page, "Save");
    expect(await main(page).getByRole("alert").textContent()).toContain("A name has 1 to 80 characters on one line.");
    expect(await row()).toMatchObject({ name: "Ana Vidal", notices: false });
    await close();
  });

  it("is deleted only after its e-mail address was typed, on a page that counts what is lost", async () => {
    for (let n = 0; n < 2; n++) {
      await harness.dispatch.schedule(account, "https://example.com/hook", new Date(Date.now() + 3_600_000));
    }
    const { page, token, close } = await harness.open(account, "/account", NO_SCRIPTS);
    await page.getByRole("link", { name: "Delete account" }).click();
    await expect
      .poll(() => main(page).textContent())
      .toContain("2 pending schedules, live and test: none will be sent");
    await page.getByLabel(/^Type .* to confirm$/).fill("somebody@example.com");
    await press(page, "Delete account and 2 pending schedules");
    expect(await main(page).getByRole("alert").textContent()).toContain(`Type ${account.id}@example.com, exactly.`);
    expect(await row()).toMatchObject({ status: "active" });
    await page.getByLabel(/^Type .* to confirm$/).fill(`${account.id}@example.com`);
    await press(page, "Delete account and 2 pending schedules");
    await page.getByRole("heading", { name: "The account is deleted" }).waitFor();
    expect(await row()).toMatchObject({ status: "deleted" });
    expect((await page.context().cookies()).map(({ name }) => name)).not.toContain("sw_session");
    const answer = await fetch(`${harness.origin}/v1/me`, { headers: { cookie: `sw_session=${token}` } });
    expect(answer.status).toBe(401);
    await close();
  });

  it.each([
    { scripts: true, look: WIDE as typeof NO_SCRIPTS },
    { scripts: false, look: NO_SCRIPTS },
  ])(
    "leads to payment and to the portal by plain links, which no policy blocks: scripts $scripts",
    async ({ look }) => {
      account = await harness.dispatch.account({ plan: "free" });
      const { page, complaints, close } = await harness.open(account, "/account", look);
      await page.getByRole("button", { name: "Upgrade to Indie" }).dblclick();
      const payment = page.getByRole("link", { name: "Continue to payment" });
      await payment.waitFor();
      expect(await payment.getAttribute("href")).toMatch(/^https:\/\/checkout\.example\/cs_/);
      expect(page.url()).toBe(`${harness.origin}/account/continue`);
      const [billing] = await harness.sql`SELECT customer_id FROM subscriptions WHERE account_id = ${account.id}`;
      expect(stripe.sessions.filter(({ customer }) => customer === billing?.customer_id)).toHaveLength(1);

      await harness.sql`
      UPDATE subscriptions SET status = 'past_due', paying = true, paid_until = '2031-04-01T12:00:00Z'
      WHERE account_id = ${account.id}`;
      await page.goto(`${harness.origin}/account`);
      expect(await main(page).getByRole("alert").textContent()).toContain("The last payment failed.");
      await press(page, "Manage billing");
      const portal = page.getByRole("link", { name: "Continue to the billing portal" });
      await portal.waitFor();
      expect(await portal.getAttribute("href")).toBe(`https://billing.example/${billing?.customer_id}`);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it("says when the billing provider does not answer", async () => {
    account = await harness.dispatch.account({ plan: "free" });
    stripe.conduct.isDown = true;
    const { page, close } = await harness.open(account, "/account", NO_SCRIPTS);
    await press(page, "Upgrade to Indie");
    expect(await main(page).getByRole("alert").textContent()).toContain("Nothing was charged.");
    stripe.reset();
    await close();
  });
});

describe("the pages of administrators", () => {
  it("do not exist for anybody else, who cannot post there either", async () => {
    const other = await harness.dispatch.account();
    const id = encodeId("acc", other.id);
    for (const path of ["/admin", "/admin/log", `/admin/accounts/${id}`, `/admin/accounts/${id}/deactivate`]) {
      const { page, answer, close } = await harness.open(account, path);
      expect(answer?.status()).toBe(404);
      await page.getByRole("heading", { name: "Nothing is here" }).waitFor();
      expect(await page.content()).not.toMatch(/ADMIN_EMAILS|administrator/);
      await page.goto(`${harness.origin}/account`);
      expect(await page.content()).not.toMatch(/ADMIN_EMAILS|administrator/);
      await close();
    }
    const { token, close } = await harness.open(account, "/account", NO_SCRIPTS);
    for (const act of ["deactivate", "plan"]) {
      await fetch(`${harness.origin}/admin/${act}`, {
        method: "POST",
        redirect: "manual",
        headers: { cookie: `sw_session=${token}`, origin: harness.origin },
        body: new URLSearchParams({ id, reason: "because", plan: "free" }),
      });
    }
    const [row] = await harness.sql`SELECT status, plan FROM accounts WHERE id = ${other.id}`;
    expect(row).toEqual({ status: "active", plan: "indie" });
    await close();
  });

  it("find accounts by part of the address, and say when none matches", async () => {
    const { page, close } = await harness.open(boss, "/admin?env=test", NO_SCRIPTS);
    const filter = page.getByRole("search", { name: "Filter accounts" });
    const chips = filter.getByRole("link", { name: /^Remove filter/ });
    const found = main(page).getByRole("link", { name: `${account.id}@example.com` });
    await filter.getByLabel("Part of an e-mail address, or a whole account id").fill(account.id.slice(0, 30));
    await filter.getByLabel("Plan").selectOption("indie");
    await press(page, "Apply");
    await found.waitFor();
    expect(await chips.allTextContents()).toEqual([
      `Remove filter “${account.id.slice(0, 30)}”`,
      "Remove filter Plan: indie",
    ]);
    await filter.getByLabel("Status").selectOption("deactivated");
    await press(page, "Apply");
    await main(page).getByText("No account matches").waitFor();
    await filter.getByRole("link", { name: "Remove filter Status: deactivated" }).click();
    await found.waitFor();
    expect(await filter.getByLabel("Plan").inputValue()).toBe("indie");
    await filter.getByRole("link", { name: "Reset" }).click();
    await page.waitForURL((url) => url.search === "?env=test");
    await close();
  });

  it("set a plan, deactivate with a reason after a page that asks, reactivate, and show it all in the audit log", async () => {
    const id = encodeId("acc", account.id);
    const theirs = await harness.open(account, "/account", NO_SCRIPTS);
    const { page, close } = await harness.open(boss, `/admin/accounts/${id}`, NO_SCRIPTS);
    await page.getByRole("combobox", { name: "Plan" }).selectOption("free");
    await press(page, "Set plan");
    expect(await page.getByRole("status").first().textContent()).toBe("The plan is set.");
    await page.getByRole("link", { name: "Deactivate" }).click();
    await expect.poll(() => main(page).textContent()).toContain("Sessions that end: 1.");
    await page.getByLabel("Reason").fill(" ");
    await press(page, "Deactivate");
    expect(await main(page).getByRole("alert").textContent()).toContain("Give a reason of 1 to 200 characters.");
    await page.getByLabel("Reason").fill("Asked for by mail.");
    await press(page, "Deactivate");
    await page.getByText("Deactivated. Its sessions have ended").waitFor();
    await theirs.page.goto(`${harness.origin}/account`);
    expect(new URL(theirs.page.url()).pathname).toBe("/login");
    await page.getByRole("link", { name: "Reactivate" }).click();
    await page.getByLabel("Reason").fill("Asked for again.");
    await press(page, "Reactivate");
    await page.getByText("Reactivated. What is overdue").waitFor();
    const acts = await page.getByRole("region", { name: "Audit log" }).first().getByRole("row").allTextContents();
    expect(acts.slice(1).map((text) => text.replace(/now.*|\d+ s ago.*/, ""))).toEqual([
      "Reactivatedeactivated to activeAsked for again.boss@example.com",
      "Deactivateactive to deactivatedAsked for by mail.boss@example.com",
      "Set planindie to free—boss@example.com",
    ]);
    const [act] = await harness.sql`SELECT request_id FROM audit_log WHERE subject_id = ${account.id} LIMIT 1`;
    expect(act?.request_id).toMatch(/^req_/);
    await Promise.all([close(), theirs.close()]);
  });

  it("do not let administrators deactivate themselves", async () => {
    const { page, close } = await harness.open(
      boss,
      `/admin/accounts/${encodeId("acc", boss.id)}/deactivate`,
      NO_SCRIPTS,
    );
    await page.getByLabel("Reason").fill("A try.");
    await press(page, "Deactivate");
    expect(await main(page).getByRole("alert").textContent()).toContain("Your own account cannot be deactivated");
    await close();
  });

  it("show the queue, and which dispatcher holds how many shards, and refresh by themselves", async () => {
    const { page, close } = await harness.open(boss, "/admin");
    const dispatcher = await harness.dispatch.dispatcher();
    await expect.poll(() => main(page).textContent()).toContain("every shard has one");
    await page.getByRole("button", { name: "Pause refresh" }).click();
    await page.getByText("Refresh paused").waitFor();
    expect(await page.getByRole("table", { name: "Dispatchers" }).textContent()).toMatch(/beats\s*64/);
    expect(await page.getByRole("region", { name: "Queue" }).textContent()).toContain("Oldest due, not sent0 ms");
    await dispatcher.stop();
    await close();
  });
});
