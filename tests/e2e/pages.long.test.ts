// Guards: pages/**, app/(public)/**, app/*, app/llms.txt/**, app/dev/**, components/landing/**, components/layout/**, components/docs/**, components/sign-in/**, components/status/**, contract/**, server/reference/**, next.config.ts
import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import type { Browser } from "@playwright/test";
import postgres from "postgres";
import { describe, expect, it } from "vitest";
import { bucketValue, offsetBucket } from "#domain/punctuality.ts";
import { freePort } from "#scripts/ports.ts";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";
import { besides, expectSound, type Look, openPage, WIDE } from "#tests/helpers/page-checks.ts";
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

async function open(path: string, look: Look & { scripts?: boolean } = WIDE) {
  const { page, complaints, close } = await openPage(browser, web.origin, look);
  const answer = await page.goto(web.origin + path, { waitUntil: "networkidle" });
  return { page, complaints, answer, close };
}

describe("the first page", () => {
  it("passes axe, and neither overflows, logs complaints nor calls other origins", async () => {
    const { page, complaints, close } = await open("/");
    await expectSound(page, complaints);
    await close();
  });

  it("shows how punctual this installation has been, as a figure and as a sentence", async () => {
    const { page, close } = await open("/");
    const now = page.getByRole("region", { name: "Half of all requests were sent within" });
    await expect.poll(() => now.textContent()).toMatch(/\+4\s*ms/);
    expect(await now.textContent()).toMatch(/On time\s*88\.88\s*%/);
    const picture = now.getByRole("img");
    expect(await picture.getAttribute("aria-label")).toBe(
      `How late 9 requests were. Half were sent within +4 ms of when they were due, 95 % within +${bucketValue(offsetBucket(304))} ms, 1 more than 250 ms late.`,
    );
    await close();
  });

  it("shows the same content without scripts, and lets the theme be chosen without them", async () => {
    const { page, close } = await open("/", { ...WIDE, scripts: false });
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
    // It is said for two seconds. So the page itself notes the first thing that is said.
    const noted = await page.evaluateHandle(() => {
      const status = document.querySelector("[role=status]") as Element;
      const said = new Promise<string | null>((resolve) => {
        new MutationObserver(() => resolve(status.textContent)).observe(status, { childList: true });
      });
      return { said };
    });
    await page.getByRole("button", { name: "Copy Example of an API request, curl" }).click();
    expect(await noted.evaluate(({ said }) => said)).toBe("Copied");
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toMatch(/^curl .*\/v1\/schedules \\\n[\s\S]*}'$/);
    await page.getByRole("radio", { name: "SDK" }).check();
    await page.getByRole("button", { name: "Copy Example of an API request, SDK" }).click();
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
    await page.waitForURL(({ hash }) => hash === "#main");
    await close();
  });

  it.each(["/", "/status", "/docs/retries", "/docs/api/schedules", "/docs/search?q=retry", "/login", "/deleted"])(
    "loads at most 20 KB of JavaScript (gzip), and no file of the framework's: %s",
    async (path) => {
      const { page, close } = await open(path);
      const { files, inline } = await page.evaluate(() => ({
        files: performance.getEntriesByType("resource").filter(({ name }) => /\.js(?:\?|$)/.test(name)).length,
        inline: [...document.scripts].map(({ textContent }) => textContent ?? "").join("\n"),
      }));
      expect(files).toBe(0);
      expect(inline).toContain("data-copy");
      expect(gzipSync(inline).length).toBeLessThanOrEqual(20_000);
      await close();
    },
  );

  it("does not shift while it loads", async () => {
    const { page, close } = await open("/");
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
  it("shows a page that says so and leads back", async () => {
    const { page, complaints, answer, close } = await open("/nobody-is-here");
    expect(answer?.status()).toBe(404);
    expect(await page.title()).toBe("Nothing is here · Stopwatch");
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Nothing is here");
    await expectSound(page, besides(404, complaints));
    await page.getByRole("link", { name: "Start again" }).click();
    await page.waitForURL(`${web.origin}/`);
    await close();
  });
});

it("the API reference of schedules is one document of at most 300 KB, with a call by curl for each endpoint", async () => {
  const text = await (await fetch(`${web.origin}/docs/api/schedules`)).text();
  const markup = text.replaceAll(/<script\b[\s\S]*?<\/script>|<\/?span\b[^>]*>/g, "");
  const endpoints = markup.match(/<section aria-labelledby="\w+"/g) ?? [];
  expect(endpoints.length).toBeGreaterThan(5);
  expect(markup.match(/curl &quot;http/g)).toHaveLength(endpoints.length);
  expect(Buffer.byteLength(text)).toBeLessThan(300_000);
});

describe("the sign-in page", () => {
  it("passes axe, and neither overflows nor logs complaints", async () => {
    for (const path of ["/login", "/login?error=link_invalid", "/login?error=account_deactivated"]) {
      const { page, complaints, close } = await open(path);
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
