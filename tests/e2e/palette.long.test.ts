import type { Page } from "@playwright/test";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "#tests/helpers/database.ts";
import { expectSound, LOOKS, type Look } from "#tests/helpers/page-checks.ts";
import { type PageHarness, startPageHarness } from "#tests/pages/harness.ts";

let database: TestDatabase;
let harness: PageHarness;

beforeAll(async () => {
  database = await createTestDatabase();
  harness = await startPageHarness(database.url);
});
afterAll(async () => {
  await harness?.stop();
  await database?.drop();
});

const WIDE: Look = { theme: "light", width: 1280 };

async function open(look: Look & { scripts?: boolean } = WIDE) {
  const opened = await harness.open({ path: "/account", as: "owner" }, look);
  await opened.page.waitForLoadState("networkidle");
  return opened;
}

const palette = (page: Page) => page.getByRole("dialog", { name: "Commands" });
const shortcuts = (page: Page) => page.getByRole("dialog", { name: "Keyboard shortcuts" });

describe("the command palette", () => {
  it.each(LOOKS)(
    "passes axe and fits when it is open, and so does the list of shortcuts: $theme, $width px",
    async (look) => {
      const { page, complaints, close } = await open(look);
      await page.keyboard.press("Control+k");
      await palette(page).waitFor();
      await expectSound(page, complaints);
      await page.keyboard.press("Escape");
      await palette(page).waitFor({ state: "hidden" });
      await page.keyboard.press("?");
      await shortcuts(page).waitFor();
      await expectSound(page, complaints);
      await close();
    },
  );

  it("goes to the chosen page by typing, arrows and Enter, and gives focus back when it is closed", async () => {
    const { page, close } = await open();
    const button = page.getByRole("button", { name: "Go to or search" });
    await button.click();
    await palette(page).waitFor();
    await page.keyboard.press("Escape");
    await palette(page).waitFor({ state: "hidden" });
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Go to or search" }).fill("api");
    expect(await page.getByRole("option", { selected: true }).textContent()).toContain("API keys");
    await page.keyboard.press("ArrowDown");
    expect(await page.getByRole("option", { selected: true }).textContent()).toContain("API reference");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/docs/api");
    await close();
  });

  it("changes the theme, and searches schedules for what is typed", async () => {
    const { page, close } = await open();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("theme dark");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("trial ends");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/schedules?q=trial+ends");
    await close();
  });
});

describe("after Escape", () => {
  it.each([
    { opens: "Control+k", next: "?" },
    { opens: "Control+k", next: "Control+k" },
    { opens: "?", next: "?" },
    { opens: "?", next: "/" },
  ])("the next shortcut works at once: $opens, Escape, $next", async ({ opens, next }) => {
    const { page, complaints, close } = await open();
    const dialogOf = (key: string) => (key === "?" ? shortcuts(page) : palette(page));
    await page.keyboard.press(opens);
    await dialogOf(opens).waitFor();
    await pressAtOnce(page, ["Escape", next]);
    await dialogOf(next).waitFor();
    // It stays open: a late close event of the first dialog closes no other.
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    expect(await dialogOf(next).isVisible()).toBe(true);
    expect(complaints).toEqual([]);
    await close();
  });

  it("in the search field, a single key opens the form of a new schedule", async () => {
    const { page, close } = await open();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Go to or search" }).fill("usage");
    await pressAtOnce(page, ["Escape", "n"]);
    await page.waitForURL("**/schedules/new");
    await close();
  });
});

/** Presses keys one after the other, without waiting until the page has dealt with each. */
async function pressAtOnce(page: Page, keys: readonly string[]) {
  await Promise.all(keys.map((key) => page.keyboard.press(key)));
}

describe("shortcuts of a single key", () => {
  it("do nothing while somebody types, and nothing once they are turned off, also after a reload", async () => {
    const { page, close } = await open();
    await page.keyboard.press("?");
    await shortcuts(page).waitFor();
    await page.getByRole("checkbox", { name: "Shortcuts of a single key" }).uncheck();
    await page.getByRole("button", { name: "Close" }).click();
    await page.reload({ waitUntil: "networkidle" });
    await page.keyboard.press("?");
    await page.keyboard.press("n");
    await page.keyboard.press("Control+k");
    await palette(page).waitFor();
    expect(await shortcuts(page).count()).toBe(0);
    await page.keyboard.type("n?");
    expect(await page.getByRole("combobox").inputValue()).toBe("n?");
    expect(new URL(page.url()).pathname).toBe("/account");
    await close();
  });

  it("lead to the commands with / where a page has no search field", async () => {
    const { page, close } = await open();
    await page.keyboard.press("/");
    await palette(page).waitFor();
    await close();
  });

  it("lead to the form of a new schedule with n", async () => {
    const { page, close } = await open();
    await page.keyboard.press("n");
    await page.waitForURL("**/schedules/new");
    await close();
  });
});

it("without scripts there is no button of the palette, and every page it names is in the navigation or the footer", async () => {
  const { page, close } = await open({ ...WIDE, scripts: false });
  expect(await page.getByRole("button", { name: "Go to or search" }).count()).toBe(0);
  expect(await page.getByRole("navigation", { name: "Main" }).getByRole("link").count()).toBeGreaterThanOrEqual(9);
  await close();
});
