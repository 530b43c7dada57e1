// Guards: components/**, app/dev/**, app/globals.css
import type { Browser } from "@playwright/test";
import { beforeAll, describe, expect, it } from "vitest";
import { renderDashboard, renderEdges, renderGallery } from "#tests/helpers/gallery.tsx";
import { expectSound, type Look, openPage, WIDE } from "#tests/helpers/page-checks.ts";
import type { WebProcess } from "#tests/helpers/web-process.ts";
import { withPages } from "#tests/helpers/with-pages.ts";

// The components as the server renders them, with the style sheet of the production build and a policy as strict as
// that of the pages, which lets no script run. Whatever works here works without scripts.
const POLICY = "default-src 'self'; script-src 'none'; style-src 'self'; img-src 'self' data:; object-src 'none'";

let web: WebProcess;
let browser: Browser;
let head: string;

withPages({}, (made) => {
  ({ web, browser } = made);
});
beforeAll(async () => {
  const landing = await (await fetch(web.origin)).text();
  const [, typefaces = ""] = /<html[^>]* class="([^"]*)"/.exec(landing) ?? [];
  const styles = landing.match(/<link [^>]*rel="stylesheet"[^>]*>/g) ?? [];
  expect(styles.length).toBeGreaterThan(0);
  head =
    `<!doctype html><html lang="en" class="${typefaces}"><head><meta charset="utf-8"><title>Parts</title>` +
    `<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">${styles.join("")}</head>`;
});

async function show(body: string, look: Look = WIDE) {
  const { page, complaints, close } = await openPage(browser, web.origin, look);
  const address = `${web.origin}/parts`;
  await page.route(address, (route) =>
    route.fulfill({
      body: `${head}<body>${body}</body></html>`,
      headers: { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": POLICY },
    }),
  );
  await page.goto(address, { waitUntil: "networkidle" });
  return { page, complaints, close };
}

/** The gallery shows a part in several states, under one name. A page shows it once. */
const SIDE_BY_SIDE = ["landmark-unique"];

it("every component in every state passes axe, fits into the window, and is large enough to press", async () => {
  const { page, complaints, close } = await show(renderGallery());
  await expectSound(page, complaints, { without: SIDE_BY_SIDE });
  await close();
});

it("the parts of pages pass axe and fit in their rare states, with values as long and as large as they can be", async () => {
  const { page, complaints, close } = await show(renderEdges());
  await expectSound(page, complaints, { without: SIDE_BY_SIDE });
  await close();
});

it("an open dialog and an open popover pass axe, fit into the window, and are large enough to press", async () => {
  const { page, complaints, close } = await show(renderGallery());
  await page.getByRole("button", { name: "Cancel 1,281" }).first().click();
  await page.getByRole("dialog", { name: "Cancel 1,281 schedules?" }).waitFor();
  await expectSound(page, complaints, { without: SIDE_BY_SIDE });
  await page.getByRole("button", { name: "Keep them" }).click();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Actions" }).click();
  await page.getByRole("link", { name: "Clone" }).waitFor();
  await expectSound(page, complaints, { without: SIDE_BY_SIDE });
  await close();
});

it.each(["live", "test"] as const)(
  "the frame of the dashboard and its menu pass axe, fit into the window, and are large enough to press: %s",
  async (env) => {
    const { page, complaints, close } = await show(renderDashboard(env), { theme: "light", width: 320 });
    await expectSound(page, complaints);
    expect(await page.getByRole("link", { name: "Logs" }).isVisible()).toBe(false);
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("link", { name: "Logs" }).waitFor();
    await expectSound(page, complaints);
    const current = page.getByRole("navigation", { name: "Main" }).locator("[aria-current=page]");
    expect(await current.textContent()).toMatch(/^Schedules/);
    await close();
  },
);

describe("a dialog", () => {
  it("takes the focus, keeps it, and returns it when Escape closes it", async () => {
    const { page, close } = await show(renderGallery());
    const opener = page.getByRole("button", { name: "Cancel 1,281" }).first();
    await opener.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.closest("dialog") !== null);
    expect(await focused()).toBe(true);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    expect(await opener.evaluate((button) => button === document.activeElement)).toBe(true);
    await close();
  });
});

describe("an animation", () => {
  it("does not move for people who prefer reduced motion", async () => {
    const { page, close } = await show(renderGallery());
    const moving = () => page.evaluate(() => document.getAnimations().length);
    expect(await moving()).toBeGreaterThan(0);
    await page.emulateMedia({ reducedMotion: "reduce" });
    await expect.poll(moving).toBe(0);
    await close();
  });
});

describe("the keyboard focus", () => {
  it("is visible on each component", async () => {
    const { page, close } = await show(renderGallery());
    const stops = await page.evaluate(() => document.querySelectorAll("a[href], button:not(:disabled)").length);
    const unseen: string[] = [];
    for (let stop = 0; stop < Math.min(stops, 80); stop++) {
      await page.keyboard.press("Tab");
      const hidden = await page.evaluate(() => {
        const focused = document.activeElement;
        if (!focused || focused === document.body) return null;
        // A row shows the focus of its link; a region of a chart has a stroke, since SVG has no outlines.
        const places = [focused, focused.closest("label"), focused.closest("tr")].filter((place) => place !== null);
        const isOutlined = places.some((place) => getComputedStyle(place).outlineStyle !== "none");
        const region = focused.querySelector("rect");
        const isStroked = region !== null && getComputedStyle(region).stroke !== "none";
        return isOutlined || isStroked ? null : focused.outerHTML.slice(0, 160);
      });
      if (hidden) unseen.push(hidden);
    }
    expect(unseen).toEqual([]);
    await close();
  });
});
