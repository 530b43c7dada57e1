import type { Browser, Page } from "@playwright/test";
import axe from "axe-core";
import { expect } from "vitest";

export type Look = { theme: "light" | "dark"; width: number };

/** Both themes on a desk and on the narrowest telephone. */
export const LOOKS: readonly Look[] = [
  { theme: "light", width: 1280 },
  { theme: "dark", width: 1280 },
  { theme: "light", width: 320 },
  { theme: "dark", width: 320 },
];

/**
 * A new page of this look, with what it complained of: messages of the console, exceptions, and requests to others than
 * `origin`. Close its context.
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

/** What axe finds wrong with the page as it stands, every rule switched on: one line for each element. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run());
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 200)} ${failureSummary ?? ""}`),
  );
}

/** How far the page is wider than its window, px. */
export function sidewaysOverflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}

/** Fails when axe finds something wrong with the page as it stands, when it is wider than its window, or complained. */
export async function expectSound(page: Page, complaints: readonly string[]): Promise<void> {
  expect(await accessibilityProblems(page)).toEqual([]);
  expect(await sidewaysOverflow(page)).toBeLessThanOrEqual(0);
  expect(complaints).toEqual([]);
}

/** Interactive elements of less than 24 by 24 px that are not within a sentence. Source: WCAG 2.2, 2.5.8. */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")]
      .filter((element) => {
        // Within a sentence its line sets the height: the exception of the rule.
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
