// Guards: app/(dashboard)/overview/**, app/(dashboard)/usage/**, pages/status.tsx, components/overview/**, components/usage/**, components/status/**, components/charts/**, components/punctuality/**, server/overview/**
import { gzipSync } from "node:zlib";
import type { Locator, Page } from "@playwright/test";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bucketValue, offsetBucket } from "#domain/punctuality.ts";
import { type FiguresHarness, type SignedIn, startFiguresHarness } from "#tests/helpers/figures-harness.ts";
import { expectSound, WIDE } from "#tests/helpers/page-checks.ts";
import { setUsage } from "../helpers/usage.ts";

let harness: FiguresHarness;
let full: SignedIn;
let fresh: SignedIn;

beforeAll(async () => {
  harness = await startFiguresHarness();
  await harness.fillPublic();
  full = await harness.account("indie");
  await harness.fill(full);
  fresh = await harness.account("free");
});
afterAll(() => harness?.stop());

const NARROW_TABLE = /How late, by/;

const [KEY_STEP, SCHEDULE_STEP, DELIVERY_STEP] = [
  "Create an API key",
  "Hand over a request and an instant",
  "See it sent",
];

/** The titles of the first steps that are said to be done. */
async function doneSteps(steps: Locator): Promise<string[]> {
  const headings = await steps.getByRole("heading", { level: 3 }).allInnerTexts();
  expect(headings).toHaveLength(3);
  return headings.flatMap((text) => /^(.*?)\s+done$/s.exec(text)?.[1] ?? []);
}

const openAll = (page: Page) =>
  page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });

/** What all scripts of a page take when they are compressed, bytes. */
async function scriptBytes(page: Page): Promise<number> {
  const scripts = await page.evaluate(() => [
    ...new Set(
      performance
        .getEntriesByType("resource")
        .filter(({ name }) => name.endsWith(".js"))
        .map(({ name }) => name),
    ),
  ]);
  expect(scripts.length).toBeGreaterThan(0);
  const bodies = await Promise.all(scripts.map(async (address) => (await fetch(address)).arrayBuffer()));
  return bodies.reduce((sum, body) => sum + gzipSync(body).length, 0);
}

describe("the overview", () => {
  it("passes axe, fits and logs no complaint, with its tables open", async () => {
    await harness.beat();
    const { page, complaints, close } = await harness.open("/overview", WIDE, full);
    await openAll(page);
    await expectSound(page, complaints);
    await close();
  });

  it("passes axe, fits and logs no complaint before the first schedule and while no dispatcher runs", async () => {
    await harness.beat(1_200_000);
    const { page, complaints, close } = await harness.open("/overview", WIDE, fresh);
    await page.getByText("No dispatcher is running.").first().waitFor();
    await expectSound(page, complaints);
    await close();
  });

  it("says first what needs attention, and how late requests were sent, in a figure and in sentences", async () => {
    await harness.beat();
    const { page, close } = await harness.open("/overview", WIDE, full);
    expect(await page.title()).toBe("Overview · Stopwatch");
    const lateness = page.getByRole("region", { name: "Median late" });
    expect(await lateness.textContent()).toMatch(/\+2\s*ms/);
    const [histogram, tape] = await lateness.getByRole("img").all();
    expect(await histogram?.getAttribute("aria-label")).toMatch(
      /^How late [\d,]+ requests were\. Half were sent within \+2 ms/,
    );
    expect(await tape?.getAttribute("aria-label")).toMatch(/^How late, by hour: p50 .* in \d nothing was sent\.$/);

    const attention = page.getByRole("region", { name: "Needs attention" });
    const counts = attention.getByRole("list").first().getByRole("link");
    expect(await counts.allTextContents()).toEqual(["1dead in the last 24 hours", "1retrying", "3due within the hour"]);
    const links = await counts.evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    expect(links.slice(0, 2)).toEqual(["/schedules?status=dead", "/schedules?status=failed"]);
    expect(links[2]).toMatch(/^\/schedules\?status=scheduled&sort=fire_at&to=20\d\d-/);
    expect(await attention.getByRole("link", { name: "Replay 1" }).count()).toBe(1);
    // The page may show the heartbeat of the test before this one, for a second.
    const isSaid = async () => {
      await page.reload();
      return (await page.getByText("No dispatcher is running.").count()) > 0;
    };
    await expect.poll(isSaid).toBe(false);
    await close();
  });

  it("shows its period as a table too, also without scripts", async () => {
    const { page, close } = await harness.open("/overview", { ...WIDE, scripts: false }, full);
    const tapeTable = () =>
      page.locator("details").filter({ hasText: "p50" }).filter({ hasText: "Begins" }).getByText("Show as table");
    await tapeTable().click();
    const table = page.getByRole("table", { name: NARROW_TABLE });
    expect(await table.getByRole("row").count()).toBe(25);
    await page.getByRole("navigation", { name: "Period" }).getByRole("link", { name: "30d" }).click();
    await page.waitForURL(/period=30d/);
    await tapeTable().click();
    expect(await page.getByRole("table", { name: NARROW_TABLE }).getByRole("row").count()).toBe(31);
    await close();
  });

  it("shows periods beyond the plan's retention as locked, with the reason, and falls back to a shorter one", async () => {
    const free = await harness.account("free");
    await harness.fill(free);
    const { page, close } = await harness.open("/overview?period=30d", WIDE, free);
    const periods = page.getByRole("navigation", { name: "Period" });
    expect(await periods.textContent()).toContain("30d: Free keeps 7 days of attempts. Indie keeps 30.");
    expect(await periods.getByRole("link").allTextContents()).toEqual(["24h", "7d"]);
    expect(await periods.locator("[aria-current]").textContent()).toBe("7d");
    await close();
  });

  it("says since when no dispatcher has been running", async () => {
    await harness.beat(1_200_000);
    const { page, close } = await harness.open("/overview", WIDE, full);
    await page.getByText(/Not running since .* UTC, 20 m/).waitFor();
    await close();
    await harness.sql`DELETE FROM dispatchers`;
    const never = await harness.open("/overview", WIDE, full);
    await never.page.getByText("None has reported within the last hour.").waitFor();
    await never.close();
  });

  it("shows a newcomer three steps and a call that works unchanged", async () => {
    await harness.beat();
    const { page, close } = await harness.open("/overview?env=test", WIDE, fresh);
    const steps = page.getByRole("region", { name: /first request/ });
    expect(await steps.getByRole("heading", { level: 3 }).allTextContents()).toEqual([
      ...[KEY_STEP, SCHEDULE_STEP, DELIVERY_STEP],
    ]);
    expect(await steps.getByRole("link", { name: "New key" }).getAttribute("href")).toBe("/keys/new?env=test");
    const curl = (await page.getByRole("group", { name: "First API request, curl" }).textContent()) ?? "";
    const body = /-d '([^']*)'/.exec(curl)?.[1] ?? "";
    const answer = await page.request.post(`${harness.origin}/v1/schedules?env=test`, {
      data: JSON.parse(body),
      headers: { origin: harness.origin.replace("127.0.0.1", "localhost"), cookie: `sw_session=${fresh.token}` },
    });
    expect(answer.status(), await answer.text()).toBe(201);
    await page.reload();
    expect(await doneSteps(steps)).toEqual([SCHEDULE_STEP]);
    await close();
  });

  it("ticks each first step once it is done, in words, and keeps them for an hour after the first request left", async () => {
    await harness.beat();
    const newcomer = await harness.account();
    await harness.addKey(newcomer, "test");
    const { page, close } = await harness.open("/overview", { ...WIDE, scripts: false }, newcomer);
    const steps = page.getByRole("region", { name: /first request/ });
    expect(await doneSteps(steps)).toEqual([]);
    await harness.addKey(newcomer, "live", new Date());
    await page.reload();
    expect(await doneSteps(steps)).toEqual([]);
    await harness.addKey(newcomer, "live");
    await page.reload();
    expect(await doneSteps(steps)).toEqual([KEY_STEP]);
    const scheduled = await harness.schedule(newcomer);
    await page.reload();
    expect(await doneSteps(steps)).toEqual([KEY_STEP, SCHEDULE_STEP]);
    expect(await page.getByRole("region", { name: "Next" }).count()).toBe(1);
    await harness.attempt(scheduled, new Date());
    await page.reload();
    expect(await doneSteps(steps)).toEqual([KEY_STEP, SCHEDULE_STEP, DELIVERY_STEP]);
    await close();
  });

  it("shows no first steps to an account whose first request left over an hour ago, or that sent two requests", async () => {
    const [one, two] = [await harness.account(), await harness.account()];
    await harness.attempt(await harness.schedule(one), new Date(Date.now() - 61 * 60_000));
    for (let n = 0; n < 2; n++) await harness.attempt(await harness.schedule(two), new Date());
    for (const account of [one, two]) {
      const { page, close } = await harness.open("/overview", WIDE, account);
      await page.getByRole("region", { name: "Sent last", exact: true }).waitFor();
      expect(await page.getByRole("heading", { name: "Create an API key" }).count()).toBe(0);
      await close();
    }
  });

  it("ships at most 45 KB of scripts (gzip) above an empty page of the same build", async () => {
    const empty = await harness.open("/nobody-is-here", WIDE);
    const overview = await harness.open("/overview", WIDE, full);
    const [least, own] = [await scriptBytes(empty.page), await scriptBytes(overview.page)];
    console.log(`scripts, gzip: empty page ${least} B, overview ${own} B, ${own - least} B above it`);
    expect(own - least).toBeLessThanOrEqual(45_000);
    await Promise.all([empty.close(), overview.close()]);
  });
});

describe("the page of usage", () => {
  it("passes axe, fits and logs no complaint", async () => {
    await harness.beat();
    const { page, complaints, close } = await harness.open("/usage", WIDE, full);
    await expectSound(page, complaints);
    await close();
  });

  it("shows the used and the remaining quota and when it starts again, as a picture and as text", async () => {
    const account = await harness.account("free");
    await use(account, 1_412);
    const { page, close } = await harness.open("/usage", WIDE, account);
    const main = page.getByRole("main");
    const picture = await main.getByRole("img").getAttribute("aria-label");
    expect(picture).toMatch(/^1,412 of 2,000 schedules used, grace to 2,200/);
    const words = await main.textContent();
    expect(words).toMatch(/1,412, 70\.6 % of the quota/);
    expect(words).toMatch(/Left\s*588/);
    expect(words).toMatch(/Resets1 \w+ 20\d\d, 00:00 UTC, in /);
    expect(words).toMatch(/0 of 1,000 this month, free/);
    // Billing is not configured here, so no upgrade is offered.
    expect(words).not.toContain("More room");
    await close();
  });

  it("says what happens within the grace and beyond it", async () => {
    const account = await harness.account("free");
    for (const [scheduled, sentence] of [
      [2_086, /Over the quota\..*up to 2,200/],
      [2_200, /This month’s quota is used up\./],
    ] as const) {
      await use(account, scheduled);
      const { page, close } = await harness.open("/usage", WIDE, account);
      expect(await page.getByRole("main").textContent()).toMatch(sentence);
      await close();
    }
  });

  const use = (account: SignedIn, scheduled: number) => setUsage(harness.sql, account.id, scheduled);
});

describe("the public status", () => {
  it("passes axe, fits and logs no complaint, with its tables open", async () => {
    await harness.beat();
    const { page, complaints, close } = await harness.open("/status", WIDE);
    await openAll(page);
    await expectSound(page, complaints);
    await close();
  });

  it("shows the figures of the API, and says what they count", async () => {
    await harness.beat();
    const { page, close } = await harness.open("/status", WIDE);
    const json = await (await page.request.get(`${harness.origin}/v1/status/punctuality`)).json();
    expect(json.sent).toBe(72 * 106 + 9);
    const day = page.getByRole("region", { name: "Half of all requests were sent within" });
    expect(await day.textContent()).toContain(json.sent.toLocaleString("en-US"));
    expect(await day.getByRole("img").getAttribute("aria-label")).toMatch(/, 9 more than 250 ms late\.$/);
    const through = page.getByRole("region", { name: "Through the day" });
    const words = await through.getByRole("img").getAttribute("aria-label");
    expect(words).toContain(`and +${bucketValue(offsetBucket(304))} ms`);
    expect(words).toMatch(/; in 24 nothing was sent\.$/);
    await page.getByText("at most 250 ms after").waitFor();
    await page.getByRole("link", { name: "JSON", exact: true }).click();
    await page.waitForURL("**/v1/status/punctuality");
    await close();
  });

  it("may be cached for visitors without cookies, and for nobody else", async () => {
    const anonymous = await fetch(`${harness.origin}/status`);
    expect(anonymous.headers.get("cache-control")).toBe("public, max-age=15");
    expect(anonymous.headers.get("vary")).toMatch(/(^|, )cookie(,|$)/i);
    expect(anonymous.headers.get("set-cookie")).toBeNull();
    const own = await fetch(`${harness.origin}/status`, { headers: { cookie: "theme=dark" } });
    expect(own.headers.get("cache-control")).toMatch(/no-store/);
    expect(await own.text()).toContain('data-theme="dark"');
    const other = await fetch(`${harness.origin}/`);
    expect(other.headers.get("cache-control")).toMatch(/no-store/);
  });
});

describe("while figures cannot be read", () => {
  it("the overview says that it did not load, with the id of its request, and the status shows the last figures", async () => {
    const before = await harness.open("/status", WIDE);
    const sent = await before.page.getByText("Sent in 24 h").locator("..").textContent();
    await before.close();
    await harness.sql`ALTER TABLE account_counts RENAME TO account_counts_away`;
    await harness.sql`ALTER TABLE shard_punctuality RENAME TO shard_punctuality_away`;
    try {
      const { page, status, close } = await harness.open("/overview", WIDE, full);
      expect(status).toBe(503);
      await page.getByRole("heading", { name: "This page did not load" }).waitFor();
      expect(await page.textContent("body")).toMatch(/req_[0-9a-f]{32}/);
      expect(await page.textContent("body")).not.toContain("account_counts");
      await close();
      const after = await harness.open("/status", WIDE);
      expect(await after.page.getByText("Sent in 24 h").locator("..").textContent()).toBe(sent);
      await after.close();
    } finally {
      await harness.sql`ALTER TABLE account_counts_away RENAME TO account_counts`;
      await harness.sql`ALTER TABLE shard_punctuality_away RENAME TO shard_punctuality`;
    }
  });
});

it("pages of figures that a signed-out visitor asks for lead to sign-in and back", async () => {
  for (const path of ["/overview?period=7d", "/usage"]) {
    const { page, close } = await harness.open(path, WIDE);
    const { pathname, searchParams } = new URL(page.url());
    expect([pathname, searchParams.get("redirectTo")]).toEqual(["/login", path]);
    await close();
  }
});
