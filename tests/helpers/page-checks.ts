import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "@playwright/test";
import type axe from "axe-core";
import { expect } from "vitest";

export type Look = { theme: "light" | "dark"; width: number };

/** A desktop. */
export const WIDE: Look = { theme: "light", width: 1280 };

/** Both themes, on a desktop and on the narrowest phone, in an order that changes one of the two at a time. */
const LOOKS: readonly Look[] = [
  WIDE,
  { theme: "dark", width: 1280 },
  { theme: "dark", width: 320 },
  { theme: "light", width: 320 },
];

const HEIGHT = 900;

/**
 * Opens a page with this theme and width, and collects its complaints: console messages, exceptions, and requests to
 * other origins than `origin`. `close` it afterwards: what a handler of `page.route` still does then fails no test.
 */
export async function openPage(
  browser: Browser,
  origin: string,
  { theme, width, scripts = true }: Look & { scripts?: boolean },
): Promise<{ page: Page; complaints: string[]; close(): Promise<void> }> {
  const context = await browser.newContext({
    viewport: { width, height: HEIGHT },
    colorScheme: theme,
    javaScriptEnabled: scripts,
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    const isOwn = request.url().startsWith(`${origin}/`) || request.url().startsWith("data:");
    if (!isOwn) complaints.push(`a request to ${request.url()}`);
  });
  const close = async () => {
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await context.close();
  };
  return { page, complaints, close };
}

/** Waits until React has taken over a page of the dashboard and listens to keys, which a slow machine does long after `load`. */
export async function untilInteractive(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const palette = document.querySelector('button[aria-keyshortcuts^="Control+K"]');
    return palette !== null && Object.keys(palette).some((key) => key.startsWith("__reactFiber"));
  });
  // Its effects come after it has taken over, but before the page is idle.
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
}

/** Complaints without those of the browser itself about the answers with this status, which are meant to have it. */
export function besides(status: number, complaints: readonly string[]): string[] {
  return complaints.filter(
    (text) => !text.startsWith(`Failed to load resource: the server responded with a status of ${status}`),
  );
}

/** What axe finds wrong with the current page, with every rule enabled but these: one line for each element. */
export function accessibilityProblems(page: Page, without: readonly string[] = []): Promise<string[]> {
  return runAxe(page, { rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])) });
}

/** Texts of the current page with too little contrast, which is all that axe can find in one theme alone. */
function unreadableTexts(page: Page): Promise<string[]> {
  return runAxe(page, { runOnly: ["color-contrast", "link-in-text-block"] });
}

async function runAxe(page: Page, options: axe.RunOptions): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await loadAxe(page);
  // What it found nothing wrong with stays in the page: to hand that over takes longer than to find it.
  const violations = await page.evaluate(
    async (wanted) => (await (window as unknown as { axe: typeof axe }).axe.run(wanted)).violations,
    { ...options, resultTypes: ["violations"] } satisfies axe.RunOptions,
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 200)} ${failureSummary ?? ""}`),
  );
}

/** Playwright's own `evaluate` parses the script once more, which takes as long as to run it. */
async function loadAxe(page: Page): Promise<void> {
  const program = await readFile(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Runtime.evaluate", { expression: program });
  await devtools.detach();
}

/** Attributes that name an element by an id that the page does not have, and ids that it has twice. */
export function brokenReferences(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const names = ["aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "aria-activedescendant"];
    const all = [...names, "for", "form", "list", "popovertarget", "commandfor"];
    const dangling = all.flatMap((name) =>
      [...document.querySelectorAll(`[${name}]`)].flatMap((element) =>
        (element.getAttribute(name) ?? "")
          .split(/\s+/)
          .filter((id) => id !== "" && document.getElementById(id) === null)
          .map((id) => `${name}="${id}" of ${element.outerHTML.slice(0, 120)}`),
      ),
    );
    const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
    const twice = ids.filter((id, at) => ids.indexOf(id) !== at);
    return [...dangling, ...twice.map((id) => `id="${id}" twice`)];
  });
}

/** How much the page is wider than its window, px. */
export function sidewaysOverflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}

/**
 * Fails when, in one of both themes and on a desktop or a phone, axe finds something wrong with the page as it is now, it is
 * wider than its window or an interactive element is too small to press, or when there are `complaints` (of `openPage`).
 * Leaves the window as wide as it was. `of` is what a failure names the page.
 */
export async function expectSound(
  page: Page,
  complaints: readonly string[],
  { without = [] as readonly string[], of = page.url() } = {},
): Promise<void> {
  const before = page.viewportSize();
  // Without motion: colours that are still changing would be judged too.
  await page.emulateMedia({ reducedMotion: "reduce" });
  for (const [at, { theme, width }] of LOOKS.entries()) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width, height: HEIGHT });
    // In a window that was seen already, only the colours are new.
    const isNewWidth = LOOKS.findIndex((look) => look.width === width) === at;
    const problems = isNewWidth ? accessibilityProblems(page, without) : unreadableTexts(page);
    const faults = [...(await problems), ...(isNewWidth ? await smallTargets(page) : [])];
    expect({ faults, overflow: Math.max(await sidewaysOverflow(page), 0) }, `${of}, ${theme}, ${width} px`).toEqual({
      faults: [],
      overflow: 0,
    });
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  if (before) await page.setViewportSize(before);
  expect(complaints, of).toEqual([]);
}

/**
 * Interactive elements of less than 24 by 24 px that are neither within a sentence nor a part of a chart, where the place is
 * what they say. Source: WCAG 2.2, 2.5.8.
 */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")]
      .filter((element) => !element.closest("svg"))
      .filter((element) => {
        // The exception of the rule: within a sentence the line determines the height.
        const isInSentence = [...(element.parentElement?.childNodes ?? [])].some(
          ({ nodeType, textContent }) => nodeType === Node.TEXT_NODE && /\w{2}/.test(textContent ?? ""),
        );
        const target = element.closest("label") ?? element;
        const { width, height } = target.getBoundingClientRect();
        return !isInSentence && height > 1 && width > 1 && (width < 23.9 || height < 23.9);
      })
      .map((element) => element.outerHTML.slice(0, 160)),
  );
}
