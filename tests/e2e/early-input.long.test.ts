// Guards: components/ui/use-early-input.ts, components/schedules/reschedule-form.tsx, components/schedules/new-schedule-form.tsx, components/schedules/use-*.ts, components/schedules/time-*.tsx, components/relay/**, components/signing/**, components/layout/zone-*.tsx
import type { Page } from "@playwright/test";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { encodeId } from "#domain/ids.ts";
import { generateSigningSecret, loadSigningSecret, signRequest } from "#domain/signing.ts";
import type { TestAccount } from "#tests/helpers/accounts.ts";
import { type DashboardHarness, startDashboardHarness } from "#tests/helpers/dashboard-harness.ts";
import { untilInteractive } from "#tests/helpers/page-checks.ts";

// What is typed into a form before React has taken over the page.

let harness: DashboardHarness;
let account: TestAccount;

beforeAll(async () => {
  harness = await startDashboardHarness();
});
afterAll(() => harness?.stop());
beforeEach(async () => {
  account = await harness.dispatch.account();
});

/** Opens a page, of which the scripts arrive only after `type`. */
async function typeEarly(path: string, type: (page: Page) => Promise<void>) {
  const opened = await harness.open(account, "/docs");
  const { page } = opened;
  // The page of the documentation has told the server the browser's zone.
  await page.context().clearCookies({ name: "zone" });
  const scripts = Promise.withResolvers<void>();
  await page.route("**/*.js", async (route) => {
    await scripts.promise;
    await route.continue();
  });
  await page.goto(harness.origin + path, { waitUntil: "commit" });
  await type(page);
  scripts.resolve();
  await untilInteractive(page);
  return opened;
}

const due = (page: Page) => page.getByRole("region", { name: "Due" });

it("a time to move a schedule to", async () => {
  const uuid = await harness.dispatch.schedule(account, "https://example.com/", new Date(Date.now() + 9e6));
  const path = `/schedules/${encodeId("sch", uuid)}/reschedule`;
  const { page, complaints, close } = await typeEarly(path, async (page) => {
    await page.getByLabel("In words").fill("2031-03-31T09:00:00.250Z");
    await page.getByLabel("Zone").fill("Asia/Tokyo");
    await page.getByLabel("Early fire").check();
  });
  await due(page).getByText("18:00:00.250").waitFor();
  await due(page).getByText("Asia/Tokyo, UTC+9").waitFor();
  await page.getByRole("button", { name: "Move it" }).click();
  await page.waitForURL(new RegExp(`${encodeId("sch", uuid)}$`));
  expect(await harness.dispatch.read(uuid)).toMatchObject({
    fire_at: new Date("2031-03-31T09:00:00.250Z"),
    early_fire: true,
  });
  expect(complaints).toEqual([]);
  await close();
});

it("the settings of the relay", async () => {
  const { page, complaints, close } = await typeEarly("/relay", async (page) => {
    await page.getByLabel("Outgoing requests per second", { exact: true }).fill("3");
    await page.getByRole("group", { name: "Early fire for new schedules" }).getByLabel("off", { exact: true }).check();
  });
  await page.getByText("Not saved yet: Outgoing requests per second, Early fire.").waitFor();
  await page.getByLabel("Retries", { exact: true }).fill("2");
  await page.getByText("Not saved yet: Outgoing requests per second, Retries, Early fire.").waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page
    .getByText(/^Saved/)
    .first()
    .waitFor();
  expect(await page.getByLabel("Outgoing requests per second", { exact: true }).inputValue()).toBe("3");
  expect(await page.getByLabel("Retries", { exact: true }).inputValue()).toBe("2");
  expect(complaints).toEqual([]);
  await close();
});

it("a signature to check", async () => {
  const secret = generateSigningSecret();
  const body = Buffer.from('{"customer":"cus_81"}');
  const signed = signRequest({
    keys: [loadSigningSecret(secret)],
    scheduleId: "sch_1",
    body,
    timestampSeconds: Math.floor(Date.now() / 1_000),
  });
  const { page, complaints, close } = await typeEarly("/signing", async (page) => {
    const lines = Object.entries(signed).map((pair) => pair.join(": "));
    await page.getByLabel("Received headers").fill(lines.join("\n"));
    await page.getByLabel("Raw body").fill(body.toString());
    await page.getByLabel("Another secret to try").fill(secret);
  });
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await page.getByText("It matches the typed secret.").waitFor();
  expect(await page.getByLabel("Raw body").inputValue()).toBe(body.toString());
  expect(complaints).toEqual([]);
  await close();
});

it("a zone of a new schedule, which the browser's does not replace", async () => {
  const { page, complaints, close } = await typeEarly("/schedules/new", async (page) => {
    await page.getByLabel("Zone").fill("Asia/Tokyo");
  });
  await due(page).getByText("Asia/Tokyo, UTC+9").waitFor();
  expect(await page.getByLabel("Zone").inputValue()).toBe("Asia/Tokyo");
  expect(complaints).toEqual([]);
  await close();
});
