// Guards: app/(dashboard)/**, components/**, pages/index.tsx, pages/login/**, server/find/**
import type { Locator, Page } from "@playwright/test";
import { afterAll, beforeAll, expect, it } from "vitest";
import { loadSigningSecret, signRequest } from "#domain/signing.ts";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import type { TestAccount } from "#tests/helpers/accounts.ts";
import { recordTestAttempt } from "#tests/helpers/attempts.ts";
import { curlArguments } from "#tests/helpers/curl-arguments.ts";
import { type DashboardHarness, startDashboardHarness } from "#tests/helpers/dashboard-harness.ts";
import { startFakeResend } from "#tests/helpers/fake-resend.ts";
import { mailedLinks } from "#tests/helpers/mailed-links.ts";
import { openPage, untilInteractive, WIDE } from "#tests/helpers/page-checks.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";

const ADMIN = "boss@example.com";

let receiver: Receiver;
let resend: Awaited<ReturnType<typeof startFakeResend>>;
let harness: DashboardHarness;
let account: TestAccount;

beforeAll(async () => {
  [receiver, resend] = await Promise.all([startReceiver({ tls: false }), startFakeResend()]);
  const allowed = { DELIVERY_ALLOW: receiver.origin };
  const mail = { RESEND_API_KEY: resend.apiKey, RESEND_BASE_URL: resend.baseUrl, MAIL_FROM: "S <hello@example.com>" };
  harness = await startDashboardHarness({ ...allowed, ...mail, ADMIN_EMAILS: ADMIN }, undefined, allowed);
  await harness.dispatch.dispatcher();
});
afterAll(async () => {
  await harness?.stop();
  await Promise.all([receiver?.close(), resend?.close()]);
});

/** What a person does on the page that they are on; each call is one step. */
type Hand = {
  page: Page;
  press: (what: Locator | string) => Promise<void>;
  fill: (label: string, text: string) => Promise<void>;
  choose: (label: string, option: string) => Promise<void>;
  keys: (keys: string) => Promise<void>;
};

function handOn(page: Page): Hand & { steps: () => number } {
  let steps = 0;
  const step = async (act: () => Promise<unknown>) => {
    steps++;
    await act();
  };
  const named = (name: string) =>
    page
      .getByRole("main")
      .getByRole("link", { name, exact: true })
      .or(page.getByRole("main").getByRole("button", { name, exact: true }))
      .filter({ visible: true })
      .first();
  return {
    page,
    press: (what) => step(() => (typeof what === "string" ? named(what) : what).click()),
    fill: (label, text) => step(() => page.getByLabel(label, { exact: true }).fill(text)),
    choose: (label, option) => step(() => page.getByLabel(label, { exact: true }).selectOption({ label: option })),
    keys: (keys) =>
      step(() =>
        keys.length > 1 && !/^\w+\+|^Enter$/.test(keys) ? page.keyboard.type(keys) : page.keyboard.press(keys),
      ),
    steps: () => steps,
  };
}

/** A job of somebody who is signed in, from the page at `from`. */
function job(title: string, most: number, from: string, walk: (hand: Hand) => Promise<void>, width = WIDE.width): void {
  it(`${title}: at most ${most} steps`, async () => {
    const { page, complaints, close } = await harness.open(account, from, { ...WIDE, width });
    const hand = handOn(page);
    await walk(hand);
    expect(hand.steps()).toBeLessThanOrEqual(most);
    expect(complaints).toEqual([]);
    await close();
  });
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FAILED = 12;

/** An account with a night behind it: deliveries, of which two were late, dead ones, and much that is still to be sent. */
beforeAll(async () => {
  account = await harness.dispatch.account({ settings: { retry_attempts: 0 } });
  await harness.sql`UPDATE accounts SET email = 'ana@example.com', email_verified_at = now() WHERE id = ${account.id}`;
  const night = new Date();
  // In last night whatever time it is now: that is from 18:00 yesterday to 06:00 today.
  night.setUTCDate(night.getUTCDate() - 1);
  night.setUTCHours(22, 0, 0, 0);
  // This evening too once it is over: from midnight on it is in last night.
  const evenings = [night, new Date(night.getTime() + DAY_MS)].filter((at) => at.getTime() < Date.now());
  for (const attemptedAt of evenings)
    for (const lateMs of [3, 4, 5, 900, 1_200]) {
      const due = new Date(Date.now() + HOUR_MS);
      const id = await harness.dispatch.schedule(account, `${receiver.origin}/reminders`, due);
      await recordTestAttempt(harness.sql, id, { attemptedAt, offsetMs: lateMs });
    }
  const later = (path: string, ms: number) => harness.dispatch.schedule(account, path, new Date(Date.now() + ms));
  for (let n = 0; n < 6; n++) await later(`https://old.example.com/jobs/${n}`, (n + 2) * HOUR_MS);
  const [keyed] = [
    await later("https://example.com/orders/4711", 9 * HOUR_MS),
    await later("https://example.com/remind", HOUR_MS),
  ];
  await harness.sql`UPDATE schedule_requests SET idempotency_key = 'order-4711' WHERE schedule_id = ${keyed}`;
  receiver.respond((_, response) => {
    response.statusCode = 503;
    response.end('{"error":"settlement window closed"}');
  });
  for (let n = 0; n < FAILED; n++) await harness.dispatch.schedule(account, `${receiver.origin}/settle?n=${n}`, null);
  await waitFor("they are dead", async () => (await inStatus("dead")) === FAILED, 30_000);
});

async function inStatus(status: string): Promise<number> {
  const [row] = await harness.sql`
    SELECT count(*)::int AS n FROM schedules WHERE account_id = ${account.id} AND status = ${status}`;
  return row?.n;
}

const nav = (page: Page, name: RegExp) => page.getByRole("navigation", { name: "Main" }).getByRole("link", { name });
const shown = (page: Page, text: string | RegExp) => page.getByText(text).filter({ visible: true }).first().waitFor();

it("sign in, in the same browser: at most 3 steps and the mailed link", async () => {
  const { page, close } = await visit("/");
  const hand = handOn(page);
  await hand.press(page.getByRole("link", { name: "Sign in" }).first());
  await hand.fill("E-mail", "newcomer@example.com");
  await hand.press("Send the link");
  const link = await waitFor("the mail is there", () => mailedLinks(resend.accepted, "newcomer@example.com")[0]);
  await page.goto(link.href);
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  expect(hand.steps()).toBe(3);
  await close();
});

async function visit(path: string) {
  const { page, close } = await openPage(harness.browser, harness.origin, WIDE);
  await page.goto(harness.origin + path);
  return { page, close };
}

job("a first schedule by form", 4, "/overview", async ({ page, press, fill }) => {
  await press("New schedule");
  await fill("URL", "https://example.com/first");
  await fill("In words", "in 2h");
  await press("Schedule it");
  await page.waitForURL(/\/schedules\/sch_\w+$/);
});

it("a first schedule by curl, from an empty account: at most 5 steps", async () => {
  const newcomer = await harness.dispatch.account();
  const { page, close } = await harness.open(newcomer, "/overview");
  const hand = handOn(page);
  const raw = await makeKey(hand);
  await hand.press(nav(page, /^Overview/));
  const call = (await page.getByRole("group", { name: "First API request, curl" }).textContent()) ?? "";
  const { url, method, headers, body } = await curlArguments(call.replace("sw_live_…", raw));
  const answer = await fetch(url, { method, headers, body: body ?? null });
  expect({ status: answer.status, stored: await answer.json() }).toMatchObject({ status: 201 });
  expect(hand.steps()).toBeLessThanOrEqual(5);
  await close();
});

/** Makes a key, and returns its raw value. */
async function makeKey({ page, press, fill }: Hand): Promise<string> {
  await press("New key");
  await fill("Name", "my laptop");
  await press("Create key");
  const raw = (await page.getByRole("group", { name: /^API key, (live|test) key$/ }).textContent()) ?? "";
  await press("I have saved it");
  return raw;
}

job("why did it fail", 2, "/overview", async ({ page, press }) => {
  await press(page.getByRole("link", { name: /503 settlement window closed/ }));
  await press(
    page
      .locator("tbody")
      .getByRole("link", { name: /settle/ })
      .first(),
  );
  const why = () => page.getByRole("main").textContent();
  await expect.poll(why).toMatch(/Dead after 1 attempt\..*503.*settlement window closed/s);
});

job("which requests were late last night, and was it punctual", 4, "/overview", async ({ page, keys, press, fill }) => {
  await fill("Range of time, in words (UTC)", "last night");
  await keys("Enter");
  await shown(page, /Half of 5 first attempts/);
  await press(page.getByRole("link", { name: /^p95/ }));
  await page.waitForURL("**/logs?**");
  await page
    .locator("tbody")
    .getByRole("link", { name: /reminders/ })
    .first()
    .waitFor();
  expect(await page.locator("tbody tr").count()).toBe(2);
});

job("replay the failed ones and see them succeed", 2, "/overview", async ({ page, press }) => {
  receiver.respond((_, response) => void response.end("ok"));
  await press(`Replay ${FAILED}`);
  await press(`Replay ${FAILED} schedules`);
  await page.getByText(`${FAILED} of ${FAILED} delivered`, { exact: true }).waitFor();
});

job("cancel everything to a host", 5, "/overview", async ({ page, press, fill, keys }) => {
  await press(nav(page, /^Schedules/));
  await fill("Part of the URL, or a whole schedule id", "old.example.com");
  await keys("Enter");
  await press(page.getByRole("link", { name: /^Cancel all/ }));
  await press("Cancel 6 schedules");
  await shown(page, /Cancelled 6|6 cancelled|6 of 6/);
  expect(await inStatus("cancelled")).toBe(6);
});

it("make a key: at most 4 steps", async () => {
  const { page, close } = await harness.open(account, "/keys");
  const hand = handOn(page);
  await makeKey(hand);
  expect(hand.steps()).toBeLessThanOrEqual(4);
  await close();
});

job("rotate a key", 3, "/overview", async ({ page, press }) => {
  await press(nav(page, /^API keys/));
  await press(page.getByRole("link", { name: /^Rotate/ }).first());
  await press("Rotate now");
  await page.waitForURL("**/keys/created");
});

job("verify a signature", 4, "/overview", async ({ page, press, fill }) => {
  const body = Buffer.from("{}");
  const keys = [loadSigningSecret(account.secrets.live)];
  const signed = signRequest({ keys, scheduleId: "sch_1", timestampSeconds: Math.floor(Date.now() / 1_000), body });
  await press(nav(page, /^Signing/));
  await fill(
    "Received headers",
    Object.entries(signed)
      .map((pair) => pair.join(": "))
      .join("\n"),
  );
  await fill("Raw body", "{}");
  await untilInteractive(page);
  await press("Check");
  await shown(page, "It matches the current secret.");
});

job("change the outgoing rate", 3, "/overview", async ({ page, press, fill }) => {
  await press(nav(page, /^Relay/));
  await fill("Outgoing requests per second", "3");
  await press("Save");
  await shown(page, /^Saved/);
});

job("find a schedule by its idempotency key", 3, "/overview", async ({ page, keys }) => {
  await untilInteractive(page);
  await keys("Control+k");
  await page.getByRole("dialog").getByRole("combobox").waitFor();
  await keys("order-4711");
  await page.getByRole("option", { name: /example\.com\/orders\/4711/ }).waitFor();
  await keys("Enter");
  await page.waitForURL(/\/schedules\/sch_\w+$/);
  await shown(page, /orders\/4711/);
});

job(
  "on a phone: see what stands, and cancel one",
  4,
  "/overview",
  async ({ page, press }) => {
    await shown(page, /due within the hour/);
    await press(page.getByRole("link", { name: /due within the hour/ }));
    await press(
      page
        .locator("tbody")
        .getByRole("link", { name: /remind/ })
        .first(),
    );
    await press("Cancel");
    await press("Cancel it");
    await shown(page, "Cancelled.");
  },
  375,
);

it("an administrator upgrades an account: at most 5 steps", async () => {
  const boss = await harness.dispatch.account();
  await harness.sql`UPDATE accounts SET email = ${ADMIN}, email_verified_at = now() WHERE id = ${boss.id}`;
  const { page, close } = await harness.open(boss, "/admin");
  const { steps, press, fill, keys, choose } = handOn(page);
  await fill("Part of an e-mail address, or a whole account id", "ana@");
  await keys("Enter");
  await press(page.getByRole("link", { name: "ana@example.com" }));
  await page.getByRole("heading", { level: 1, name: "ana@example.com" }).waitFor();
  await choose("Plan", "free");
  await press("Set plan");
  await shown(page, "The plan is set.");
  expect(steps()).toBeLessThanOrEqual(5);
  await close();
});

job("sign out", 1, "/schedules", async ({ page, press }) => {
  await press(page.getByRole("button", { name: "Sign out", exact: true }));
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});
