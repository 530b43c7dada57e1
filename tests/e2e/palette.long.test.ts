// Guards: components/layout/**, components/ui/**, app/(dashboard)/find/**, server/find/**, components/schedules/schedule-commands.ts
import type { Page } from "@playwright/test";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decodeId } from "#domain/ids.ts";
import { createTestDatabase, type TestDatabase } from "#tests/helpers/database.ts";
import { expectSound, type Look, untilInteractive, WIDE } from "#tests/helpers/page-checks.ts";
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

async function open(look: Look & { scripts?: boolean } = WIDE, path = "/account", as: "owner" | "newcomer" = "owner") {
  const opened = await harness.open({ path, as }, look);
  if (look.scripts !== false) await untilInteractive(opened.page);
  return opened;
}

const palette = (page: Page) => page.getByRole("dialog", { name: "Commands" });
const shortcuts = (page: Page) => page.getByRole("dialog", { name: "Keyboard shortcuts" });

describe("the command palette", () => {
  it("passes axe and fits when it is open, and so does the list of shortcuts", async () => {
    const { page, complaints, close } = await open();
    await page.keyboard.press("Control+k");
    await palette(page).waitFor();
    await expectSound(page, complaints);
    await page.keyboard.press("Escape");
    await palette(page).waitFor({ state: "hidden" });
    await page.keyboard.press("?");
    await shortcuts(page).waitFor();
    await expectSound(page, complaints);
    await close();
  });

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
    await page.getByRole("option", { name: "API keys", selected: true }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("option", { name: "API reference", selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/docs/api");
    await close();
  });

  it("changes the theme, and searches schedules for what is typed", async () => {
    const { page, close } = await open();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("theme dark");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("trial ends");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/schedules?q=trial+ends");
    await close();
  });
});

describe("what is typed into the palette", () => {
  const field = (page: Page) => page.getByRole("combobox", { name: "Go to or search" });
  const found = (page: Page, name: RegExp) => page.getByRole("option", { name });

  it("finds a schedule by the address of its page, by its idempotency key and by a part of its URL", async () => {
    const id = harness.accounts.owner.schedules.dead ?? "";
    await harness.sql`
      UPDATE schedule_requests SET idempotency_key = 'palette-4711' WHERE schedule_id = ${decodeId("sch", id)}`;
    await harness.sql`
      UPDATE schedule_requests SET target_url = 'https://api.example.com/jobs/settle?batch=palette'
      WHERE schedule_id = ${decodeId("sch", id)}`;
    const texts = [`${harness.origin}/schedules/${id}`, "palette-4711", "batch=palette"];
    for (const text of texts) {
      const { page, complaints, close } = await open();
      await page.keyboard.press("Control+k");
      await field(page).fill(text);
      await found(page, /POST api\.example\.com\/jobs\/settle.*dead, due/i)
        .first()
        .waitFor();
      if (text === texts[0]) expect(await page.getByRole("option").count()).toBe(1);
      else await expectSound(page, complaints);
      await found(page, /dead, due/i)
        .first()
        .click();
      await page.waitForURL(`**/schedules/${id}`);
      expect(complaints).toEqual([]);
      await close();
    }
  });

  it("says that it searches, asks for the last text alone, and says what it did not find, or that it could not", async () => {
    const { page, close } = await open();
    const asked: string[] = [];
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/find?*", async (route) => {
      asked.push(new URL(route.request().url()).searchParams.get("q") ?? "");
      await held;
      await route.continue();
    });
    await page.keyboard.press("Control+k");
    await field(page).waitFor();
    await page.keyboard.type("no-such-key");
    await page.getByText("Searching schedules…").waitFor();
    await expect.poll(() => asked.at(-1)).toBe("no-such-key");
    release();
    await page.getByText("No schedule has this in its URL, or as its id or idempotency key.").waitFor();
    expect(asked.length).toBeLessThan("no-such-key".length);
    await page.route("**/find?*", (route) => route.abort());
    await page.keyboard.type("2");
    await page.getByText("Schedules could not be searched now.").waitFor();
    await close();
  });

  it("runs acts on the open schedule, copies its id, and opens the documentation", async () => {
    const id = harness.accounts.owner.schedules.scheduled ?? "";
    const { page, close } = await open(WIDE, `/schedules/${id}`);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.keyboard.press("Control+k");
    await field(page).fill("copy id");
    await page.keyboard.press("Enter");
    await page.getByText("Copied.").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(id);
    await field(page).fill("rotate sign");
    await found(page, /Rotate signing secrets.*Documentation/).waitFor();
    await field(page).fill("cancel this");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/schedules/${id}/cancel`);
    await untilInteractive(page);
    await page.keyboard.press("Control+k");
    await palette(page).waitFor();
    expect(await found(page, /Cancel this schedule/).count()).toBe(0);
    await close();
  });

  it("signs out", async () => {
    const { page, close } = await open(WIDE, "/usage", "newcomer");
    await page.keyboard.press("Control+k");
    await field(page).fill("sign out");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/login");
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
  it("do nothing from Ctrl K on, until the palette has loaded", async () => {
    const { page, close } = await open();
    await page.route("**/_next/static/**", async (route) => {
      await page.keyboard.press("n");
      await route.continue();
    });
    await page.keyboard.press("Control+k");
    await palette(page).waitFor();
    expect(new URL(page.url()).pathname).toBe("/account");
    await close();
  });

  it("do nothing while somebody types, and nothing once they are turned off, also after a reload", async () => {
    const { page, close } = await open();
    await page.keyboard.press("?");
    await shortcuts(page).waitFor();
    await page.getByRole("checkbox", { name: "Shortcuts of a single key" }).uncheck();
    await page.getByRole("button", { name: "Close" }).click();
    await page.reload();
    await untilInteractive(page);
    await page.keyboard.press("?");
    await page.keyboard.press("n");
    await page.keyboard.press("Control+k");
    await palette(page).waitFor();
    expect(await shortcuts(page).count()).toBe(0);
    await page.keyboard.type("n?");
    await expect.poll(() => page.getByRole("combobox").inputValue()).toBe("n?");
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
