import { gzipSync } from "node:zlib";
import type { BrowserContext, CDPSession, Page } from "@playwright/test";
import type { PageHarness } from "./harness.ts";
import type { PageToOpen } from "./routes.ts";

/** One page on a first visit, with an empty cache. Times are medians, ms from the start of the navigation. */
export type PageSpeed = { page: string; path: string; scriptBytes: number; firstByteMs: number; paintedMs: number };

/** One way through the pages: the time from the press to the first frame that shows the answer, ms. */
export type WaySpeed = { way: string; p50Ms: number; maxMs: number };

const WINDOW = { viewport: { width: 1280, height: 900 } };

/**
 * Opens a page `rounds` times, each time in a new browser context. `scriptBytes` are the compressed bytes of JavaScript: what
 * its files took on the wire, and its inline scripts compressed together.
 */
export async function measurePageSpeed(
  harness: PageHarness,
  { name, path, as }: PageToOpen,
  rounds: number,
): Promise<PageSpeed> {
  const runs: { scriptBytes: number; firstByteMs: number; paintedMs: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const context = await signedIn(harness, as);
    const page = await context.newPage();
    const counted = await countScripts(page);
    await page.goto(harness.origin + path, { waitUntil: "networkidle" });
    const times = await page.evaluate(() => {
      const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
      const painted = performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
      const inline = [...document.scripts].filter(({ src }) => src === "").map(({ textContent }) => textContent ?? "");
      return {
        firstByteMs: navigation?.responseStart ?? 0,
        paintedMs: painted ?? Number.NaN,
        inline: inline.join("\n"),
      };
    });
    const inlineBytes = times.inline === "" ? 0 : gzipSync(times.inline).length;
    const { firstByteMs, paintedMs } = times;
    runs.push({ firstByteMs, paintedMs, scriptBytes: counted.bytes() + inlineBytes });
    await context.close();
  }
  const of = (figure: "scriptBytes" | "firstByteMs" | "paintedMs") => median(runs.map((run) => run[figure]));
  const figures = { scriptBytes: of("scriptBytes"), firstByteMs: of("firstByteMs"), paintedMs: of("paintedMs") };
  return { page: name, path, ...figures };
}

/** A step of a way: presses something, after which the page shows the answer. */
type Step = { name: string; act: (page: Page, rest: (selector: string) => Promise<void>) => Promise<void> };

const link = (name: string, selector: string): Step => ({ name, act: (_page, press) => press(selector) });

/** The ways that people take most, in this order, in one tab of the owner. */
const DASHBOARD: readonly Step[] = [
  link("overview → schedules", 'nav[aria-label="Main"] a[href^="/schedules"]'),
  link("schedules → schedule", 'main td a[href^="/schedules/sch_"]'),
  { name: "schedule → back", act: (page) => page.evaluate(() => history.back()) },
  link("schedules → logs", 'nav[aria-label="Main"] a[href^="/logs"]'),
  {
    name: "logs: a filter",
    act: async (page) => void (await page.getByLabel("Answer").selectOption("5xx")),
  },
  link("logs → overview", 'nav[aria-label="Main"] a[href^="/overview"]'),
];

const DOCS: readonly Step[] = [
  link("docs page → docs page", 'a[href="/docs/quickstart"]'),
  link("docs page → API reference", 'a[href="/docs/api"]'),
];

/**
 * Walks the usual ways `rounds` times. The pointer rests on a link for `restMs` before it is pressed, and the button is down
 * for 80 ms, as with people.
 */
export async function measureWays(harness: PageHarness, rounds: number, restMs: number): Promise<WaySpeed[]> {
  const taken = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round++) {
    for (const [as, from, steps] of [
      ["owner", "/overview", DASHBOARD],
      ["nobody", "/docs", DOCS],
    ] as const) {
      const context = await signedIn(harness, as);
      const page = await context.newPage();
      await page.addInitScript(noteTimes);
      await page.goto(harness.origin + from, { waitUntil: "networkidle" });
      for (const { name, act } of steps) {
        const ms = await takeStep(page, act, restMs);
        // The first round fills the caches of the server.
        if (round > 0) taken.set(name, [...(taken.get(name) ?? []), ms]);
      }
      await context.close();
    }
  }
  return [...taken].map(([way, all]) => ({ way, p50Ms: median(all), maxMs: Math.max(...all) }));
}

async function takeStep(page: Page, act: Step["act"], restMs: number): Promise<number> {
  await page.waitForLoadState("networkidle");
  await page.evaluate(() => sessionStorage.clear());
  await act(page, async (selector) => {
    const target = page.locator(selector).filter({ visible: true }).first();
    await target.hover();
    await page.waitForTimeout(restMs);
    await target.click({ delay: 80, noWaitAfter: true });
  });
  const shown = () => {
    const [pressed, painted] = ["pressed", "painted"].map((name) => Number(sessionStorage.getItem(name) ?? 0));
    return pressed && painted && painted > pressed ? painted - pressed : null;
  };
  for (let tries = 0; tries < 400; tries++) {
    const ms = await page.evaluate(shown).catch(() => null);
    if (ms !== null) return ms;
    await page.waitForTimeout(25);
  }
  throw new Error(`nothing was painted after a step from ${page.url()}`);
}

/**
 * Runs in each document: notes when something was pressed (a click, the back button, a changed filter), and when the first
 * frame after it was shown. That is the first contentful paint of a new document, and in the same document the frame after
 * its address and its list changed.
 */
function noteTimes(): void {
  const note = (name: string, at: number) => sessionStorage.setItem(name, String(performance.timeOrigin + at));
  const press = (event: Event) => note("pressed", event.timeStamp);
  for (const kind of ["click", "change"]) addEventListener(kind, press, { capture: true });
  const back = history.back.bind(history);
  history.back = () => {
    note("pressed", performance.now());
    back();
  };
  const afterFrame = () => requestAnimationFrame(() => setTimeout(() => note("painted", performance.now())));
  new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries())
      if (name === "first-contentful-paint") note("painted", startTime);
  }).observe({ type: "paint", buffered: true });
  addEventListener("pageshow", ({ persisted }) => persisted && afterFrame());
  let address = location.href;
  new MutationObserver(() => {
    if (location.href === address) return;
    address = location.href;
    afterFrame();
  }).observe(document, { childList: true, subtree: true, characterData: true });
}

async function signedIn({ browser, accounts, origin }: PageHarness, as: PageToOpen["as"]): Promise<BrowserContext> {
  const context = await browser.newContext(WINDOW);
  const session = as === "nobody" ? undefined : accounts[as].session;
  if (session) await context.addCookies([{ name: "sw_session", value: session, url: origin }]);
  return context;
}

/** Counts the bytes of script files as they came over the wire, headers left out. */
async function countScripts(page: Page): Promise<{ bytes: () => number }> {
  const session: CDPSession = await page.context().newCDPSession(page);
  const scripts = new Set<string>();
  let bytes = 0;
  session.on("Network.requestWillBeSent", ({ requestId, type }) => type === "Script" && scripts.add(requestId));
  session.on("Network.dataReceived", ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength;
  });
  await session.send("Network.enable");
  return { bytes: () => bytes };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
