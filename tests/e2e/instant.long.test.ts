// Guards: components/layout/page-script.tsx, components/layout/page-behaviour.ts, components/layout/apply-on-change.tsx, components/layout/rendered-page.tsx, components/ui/filter-form.tsx, server/edge/loaded-ahead.ts, server/edge/show-flash-once.ts, domain/load-ahead.ts, proxy.ts, app/(dashboard)/logs/**, app/(dashboard)/preferences/**
import type { Page } from "@playwright/test";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TestAccount } from "#tests/helpers/accounts.ts";
import { recordTestAttempt } from "#tests/helpers/attempts.ts";
import { type DashboardHarness, startDashboardHarness } from "#tests/helpers/dashboard-harness.ts";
import { untilInteractive, WIDE } from "#tests/helpers/page-checks.ts";

let harness: DashboardHarness;
let account: TestAccount;

beforeAll(async () => {
  harness = await startDashboardHarness();
});
afterAll(() => harness?.stop());
beforeEach(async () => {
  account = await harness.dispatch.account();
  for (const statusCode of [200, 503]) {
    const uuid = await harness.dispatch.schedule(account, "https://api.example.com/x", new Date(Date.now() + 60_000));
    await recordTestAttempt(harness.sql, uuid, { attemptedAt: new Date(), offsetMs: 4, statusCode });
  }
});

/** How the document came that the page shows. */
const delivery = (page: Page) =>
  page.evaluate(() => {
    const [navigation] = performance.getEntriesByType("navigation");
    return (navigation as unknown as { deliveryType: string }).deliveryType;
  });

const rows = (page: Page) => page.locator("tbody tr").count();

describe("a link that is pressed down", () => {
  it("has its page loaded before the click, and no page that asks to confirm", async () => {
    const { page, close } = await harness.open(account, "/overview", WIDE);
    await press(page, page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /^Logs/ }));
    await page.waitForURL(/\/logs/);
    expect(await delivery(page)).toBe("navigational-prefetch");
    await press(
      page,
      page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /^Account and billing/ }),
    );
    await page.waitForURL(/\/account/);
    expect(await delivery(page)).toBe("");
    await close();
  });

  it("shows what a form has done after its page was loaded ahead", async () => {
    const { page, close } = await harness.open(account, "/keys", WIDE);
    const link = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /^API keys/ });
    await link.hover();
    await page.mouse.down();
    await page.mouse.move(0, 0);
    await page.mouse.up();
    const loaded = page.waitForEvent("load");
    await page.evaluate(() => {
      const form = Object.assign(document.createElement("form"), { method: "post", action: "/preferences" });
      form.innerHTML = '<input name="times" value="local"><input name="back" value="/keys">';
      document.body.append(form);
      form.submit();
    });
    await loaded;
    expect(new URL(page.url()).pathname).toBe("/keys");
    expect(await delivery(page)).toBe("");
    await close();
  });
});

describe("a filter", () => {
  it("applies when it is changed: focus stays, the back button takes it back, and its effect is said", async () => {
    const { page, complaints, close } = await harness.open(account, "/logs", WIDE);
    await untilInteractive(page);
    expect(await rows(page)).toBe(2);
    const documents: string[] = [];
    page.on("request", (request) => request.isNavigationRequest() && documents.push(request.url()));
    const code = page.getByLabel("Answer");
    await code.focus();
    await code.selectOption("5xx");
    await page.waitForURL(/code=5xx/);
    await expect.poll(() => rows(page)).toBe(1);
    expect(await code.evaluate((select) => select === document.activeElement)).toBe(true);
    await expect.poll(() => page.locator("search [role=status]").textContent()).toBe("1 attempt");
    await code.selectOption("2xx");
    await page.waitForURL(/code=2xx/);
    await page.goBack();
    await page.waitForURL(/code=5xx/);
    await expect.poll(() => code.inputValue()).toBe("5xx");
    await page.goBack();
    await page.waitForURL(/\/logs$/);
    await expect.poll(() => code.inputValue()).toBe("");
    await expect.poll(() => rows(page)).toBe(2);
    expect([documents, complaints]).toEqual([[], []]);
    await close();
  });

  it("of text applies by Enter, and without scripts all apply by the button", async () => {
    const { page, close } = await harness.open(account, "/logs", WIDE);
    await untilInteractive(page);
    await page.getByRole("searchbox").first().fill("nowhere");
    await page.keyboard.press("Enter");
    await page.waitForURL(/q=nowhere/);
    await expect.poll(() => rows(page)).toBe(0);
    await close();
    const plain = await harness.open(account, "/logs", { ...WIDE, scripts: false });
    await plain.page.getByLabel("Answer").selectOption("5xx");
    await plain.page.getByRole("button", { name: "Apply" }).click();
    await plain.page.waitForURL(/code=5xx/);
    expect(await rows(plain.page)).toBe(1);
    await plain.close();
  });
});

/** Presses a link as a person does, with the button down for 150 ms. */
async function press(page: Page, link: ReturnType<Page["getByRole"]>): Promise<void> {
  await page.waitForLoadState("networkidle");
  await link.click({ delay: 150 });
}
