import type { Browser, Page } from "@playwright/test";
import axe from "axe-core";
import { expect } from "vitest";

export type Look = { theme: "light" | "dark"; width: number };

/** Both themes, on a desktop and on the narrowest phone. */
export const LOOKS: readonly Look[] = [
  { theme: "light", width: 1280 },
  { theme: "dark", width: 1280 },
  { theme: "light", width: 320 },
  { theme: "dark", width: 320 },
];

/**
 * Opens a page with this theme and width, and collects its complaints: console messages, exceptions, and requests to
 * other origins than `origin`. Close its context afterwards.
 */
export async function openPage(
  browser: Browser,
  origin: string,
  { theme, width, scripts = true }: Look & { scripts?: boolean },
): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
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
  return { page, complaints };
}

/** Complaints without those of the browser itself about the answers with this status, which are meant to have it. */
export function besides(status: number, complaints: readonly string[]): string[] {
  return complaints.filter(
    (text) => !text.startsWith(`Failed to load resource: the server responded with a status of ${status}`),
  );
}

/** What axe finds wrong with the current page, with every rule enabled: one line for each element. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run());
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 200)} ${failureSummary ?? ""}`),
  );
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
 * Fails when axe finds something wrong with the page as it is now, when it is wider than its window, when an interactive element
 * is too small to press, or when there are `complaints` (of `openPage`).
 */
export async function expectSound(page: Page, complaints: readonly string[]): Promise<void> {
  expect(await accessibilityProblems(page)).toEqual([]);
  expect(await sidewaysOverflow(page)).toBeLessThanOrEqual(0);
  expect(await smallTargets(page)).toEqual([]);
  expect(complaints).toEqual([]);
}

/** Interactive elements of less than 24 by 24 px that are not within a sentence. Source: WCAG 2.2, 2.5.8. */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")]
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
