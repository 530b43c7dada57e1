import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import type { Browser } from "@playwright/test";
import postgres from "postgres";
import { describe, expect, it } from "vitest";
import { bucketValue, offsetBucket } from "#domain/punctuality.ts";
import { freePort } from "#scripts/ports.ts";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";
import {
  accessibilityProblems,
  expectSound,
  LOOKS,
  type Look,
  openPage,
  sidewaysOverflow,
} from "#tests/helpers/page-checks.ts";
import { startWebProcess, type WebProcess } from "#tests/helpers/web-process.ts";
import { withPages } from "#tests/helpers/with-pages.ts";

let web: WebProcess;
let browser: Browser;

async function fill(databaseUrl: string) {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  // Three on the instant, five 4 ms late, one 304 ms late.
  await sql`INSERT INTO shard_punctuality (shard, starts_at, bucket, n, on_time)
    SELECT 0, date_bin('15 minutes', now(), 'epoch'), bucket, n, on_time
    FROM (VALUES (0, 3, 3), (4, 5, 5), (${offsetBucket(304)}::int, 1, 0)) counted (bucket, n, on_time)`;
  await sql.end();
}
withPages({ fill }, (made) => {
  ({ web, browser } = made);
});

const wide: Look = { theme: "light", width: 1280 };

async function open(path: string, look: Look & { scripts?: boolean } = wide) {
  const { page, complaints } = await openPage(browser, web.origin, look);
  const answer = await page.goto(web.origin + path, { waitUntil: "networkidle" });
  return { page, complaints, answer, close: () => page.context().close() };
}

describe("the first page", () => {
  it.each(LOOKS)(
    "passes axe, and neither overflows, logs complaints nor calls other origins: $theme, $width px",
    async (look) => {
      const { page, complaints, close } = await open("/", look);
      await expectSound(page, complaints);
      await close();
    },
  );

  it("shows how punctual this installation has been, as a figure and as a sentence", async () => {
    const { page, close } = await open("/");
    const now = page.getByRole("region", { name: "Half of all requests left within" });
    await expect.poll(() => now.textContent()).toMatch(/\+4\s*ms/);
    expect(await now.textContent()).toMatch(/On time\s*88\.88\s*%/);
    const picture = now.getByRole("img");
    expect(await picture.getAttribute("aria-label")).toBe(
      `Lateness of 9 requests. Half left within +4 ms of their instant, 95 % within +${bucketValue(offsetBucket(304))} ms, 1 more than 250 ms late.`,
    );
    await close();
  });

  it("shows the same content without scripts, and lets the theme be chosen without them", async () => {
    const { page, close } = await open("/", { ...wide, scripts: false });
    expect(await page.getByRole("button", { name: /^Copy/ }).count()).toBe(0);
    const before = await background(page);
    await page.getByRole("radio", { name: "Dark" }).check();
    await expect.poll(() => background(page)).not.toBe(before);
    await close();
  });

  it("keeps the chosen theme from the first byte of the next page on", async () => {
    const { page, close } = await open("/");
    const light = await background(page);
    await page.getByRole("radio", { name: "Dark" }).check();
    await expect
      .poll(async () => (await page.context().cookies()).find(({ name }) => name === "theme")?.value)
      .toBe("dark");
    const answer = await page.request.get(`${web.origin}/nobody-is-here`);
    expect(await answer.text()).toContain('data-theme="dark"');
    await page.goto(`${web.origin}/nobody-is-here`);
    expect(await background(page)).not.toBe(light);
    await close();
  });

  it("copies the command alone, without the answer below it", async () => {
    const { page, close } = await open("/");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy Example of a call, curl" }).click();
    await expect.poll(() => page.getByRole("status").first().textContent()).toBe("Copied");
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toMatch(/^curl .*\/v1\/schedules \\\n[\s\S]*}'$/);
    await page.getByRole("radio", { name: "SDK" }).check();
    await page.getByRole("button", { name: "Copy Example of a call, SDK" }).click();
    const copy = () => page.evaluate(() => navigator.clipboard.readText());
    await expect.poll(copy).toMatch(/^import \{ Stopwatch \} from [\s\S]*\n\}\);$/);
    await close();
  });

  it("offers keyboard users a link past its header first", async () => {
    const { page, close } = await open("/");
    await page.keyboard.press("Tab");
    const skip = page.getByRole("link", { name: "Skip to content" });
    expect(await skip.evaluate((link) => link === document.activeElement)).toBe(true);
    expect((await skip.boundingBox())?.y).toBeGreaterThanOrEqual(0);
    await page.keyboard.press("Enter");
    expect(new URL(page.url()).hash).toBe("#main");
    await close();
  });

  it("does not shift while it loads, and its scripts are at most 150 KB (gzip), nearly all of them the framework's", async () => {
    const { page, close } = await open("/");
    const scripts = await page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .filter(({ name }) => name.endsWith(".js"))
        .map(({ name }) => name),
    );
    expect(scripts.length).toBeGreaterThan(0);
    const bodies = await Promise.all(scripts.map(async (address) => (await fetch(address)).arrayBuffer()));
    expect(bodies.reduce((sum, body) => sum + gzipSync(body).length, 0)).toBeLessThanOrEqual(150_000);
    const moved = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let sum = 0;
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) sum += (entry as unknown as { value: number }).value;
          }).observe({ type: "layout-shift", buffered: true });
          requestAnimationFrame(() => setTimeout(() => resolve(sum)));
        }),
    );
    expect(moved).toBeLessThan(0.01);
    await close();
  });
});

it("the first page says that its figures did not load while the database is away, and shows the rest of its content", async () => {
  const closed = await freePort();
  const lonely = await startWebProcess({
    DATABASE_URL: `postgres://nobody:x@127.0.0.1:${closed}/none`,
    ENCRYPTION_KEYS,
    LOG_LEVEL: "fatal",
  });
  try {
    const answer = await fetch(lonely.origin);
    const text = await answer.text();
    expect(answer.status).toBe(200);
    expect(text).toContain("The figures did not load");
    expect(text).toContain("/v1/schedules");
    expect(text).not.toMatch(/ECONNREFUSED|DatabaseUnavailable|nobody/);
  } finally {
    await lonely.stop();
  }
});

describe("a path that does not exist", () => {
  it.each(LOOKS)("shows a page that says so and leads back: $theme, $width px", async (look) => {
    const { page, answer, close } = await open("/nobody-is-here", look);
    expect(answer?.status()).toBe(404);
    expect(await page.title()).toBe("Not found · Stopwatch");
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Nothing is here");
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await sidewaysOverflow(page)).toBeLessThanOrEqual(0);
    await page.getByRole("link", { name: "Start again" }).click();
    await page.waitForURL(`${web.origin}/`);
    await close();
  });
});

it("the API reference of schedules is one document of at most 300 KB, with a call by curl for each endpoint", async () => {
  const text = await (await fetch(`${web.origin}/docs/api/schedules`)).text();
  const markup = text.replaceAll(/<script\b[\s\S]*?<\/script>/g, "");
  const endpoints = markup.match(/<section aria-labelledby="\w+"/g) ?? [];
  expect(endpoints.length).toBeGreaterThan(5);
  expect(markup.match(/curl &quot;http/g)).toHaveLength(endpoints.length);
  expect(Buffer.byteLength(text)).toBeLessThan(300_000);
});

describe("the sign-in page", () => {
  it.each(LOOKS)("passes axe, and neither overflows nor logs complaints: $theme, $width px", async (look) => {
    for (const path of ["/login", "/login?error=link_invalid", "/login?error=account_deactivated"]) {
      const { page, complaints, close } = await open(path, look);
      expect(await page.title()).toMatch(/^[^·]+ · Stopwatch$/);
      await expectSound(page, complaints);
      await close();
    }
  });
});

describe("the service", () => {
  it("has a description for language models, rules for robots and a list of pages, all with the public address", async () => {
    const texts = await Promise.all(
      ["/llms.txt", "/robots.txt", "/sitemap.xml"].map(async (path) => {
        const answer = await fetch(web.origin + path);
        expect(answer.status).toBe(200);
        return answer.text();
      }),
    );
    for (const text of texts) expect(text).toContain(`http://localhost:${web.port}`);
    expect(texts[0]).toContain("- `POST /v1/schedules`:");
  });

  it("names the request in the answer of each page, also when the caller sends a name", async () => {
    const ids = await Promise.all(
      ["/", "/nobody-is-here"].map(async (path) => {
        const answer = await fetch(web.origin + path, { headers: { "X-Request-Id": "mine" } });
        const id = answer.headers.get("x-request-id");
        expect(id).toMatch(/^req_[0-9a-f]{32}$/);
        expect(await answer.text()).toContain(`data-request-id="${id}"`);
        return id;
      }),
    );
    expect(ids[0]).not.toBe(ids[1]);
  });
});

describe("the gallery of components", () => {
  it.each(["/dev/parts", "/dev/parts/narrow", "/dev/parts/frame"])("is not in a production build: %s", async (path) => {
    expect((await fetch(web.origin + path)).status).toBe(404);
    expect(await readFile(".next/server/app-paths-manifest.json", "utf8")).not.toContain("/dev/");
  });
});

function background(page: { evaluate<T>(read: () => T): Promise<T> }): Promise<string> {
  return page.evaluate(() => getComputedStyle(document.body).backgroundColor);
}
