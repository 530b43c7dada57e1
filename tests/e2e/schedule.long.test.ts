// Guards: app/(dashboard)/schedules/**, components/schedules/**, contract/inputs/**, server/schedules/**, domain/fold-attempts.ts
import type { Page } from "@playwright/test";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { decodeId, encodeId } from "#domain/ids.ts";
import type { TestAccount } from "#tests/helpers/accounts.ts";
import { recordTestAttempt } from "#tests/helpers/attempts.ts";
import { type DashboardHarness, startDashboardHarness } from "#tests/helpers/dashboard-harness.ts";
import { expectSound, untilInteractive, WIDE } from "#tests/helpers/page-checks.ts";

const TARGET = "https://example.com/hooks/trial-ends";
const HOUR_MS = 3_600_000;

let harness: DashboardHarness;
let account: TestAccount;

beforeAll(async () => {
  harness = await startDashboardHarness();
});
afterAll(() => harness?.stop());
beforeEach(async () => {
  account = await harness.dispatch.account();
});

async function schedule(overrides: Parameters<typeof harness.dispatch.schedule>[3] = {}, aheadMs = HOUR_MS) {
  const uuid = await harness.dispatch.schedule(account, TARGET, new Date(Date.now() + aheadMs), overrides);
  return { uuid, id: encodeId("sch", uuid), path: `/schedules/${encodeId("sch", uuid)}` };
}

/** One that failed twice, 4 ms late the first time, and waits for its third attempt. */
async function failedTwice(status: "failed" | "dead" = "failed") {
  const made = await schedule({ payload: "x".repeat(312), headers: [["X-Trace", "canary-in-a-header"]] });
  const at = new Date(Date.now() - 60_000);
  await recordTestAttempt(harness.sql, made.uuid, {
    statusCode: 503,
    errorText: '{"error":"settlement window closed"}',
    attemptedAt: at,
    offsetMs: 4,
  });
  await recordTestAttempt(harness.sql, made.uuid, {
    statusCode: null,
    errorText: "no answer within 30 s",
    attemptedAt: new Date(at.getTime() + 30_000),
    status,
  });
  await harness.sql`UPDATE schedules SET failures = attempts WHERE id = ${made.uuid}`;
  return made;
}

/** A page in a browser whose zone this is, which the server knows. */
async function openIn(timezoneId: string, path: string) {
  const opened = await harness.open(account, path);
  const { page } = opened;
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Emulation.setTimezoneOverride", { timezoneId });
  await page.reload();
  await expect
    .poll(async () => (await page.context().cookies()).find(({ name }) => name === "zone")?.value)
    .toBe(timezoneId);
  await page.reload();
  return opened;
}

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `Attempt ${at + 1}`);

const entries = (page: Page) =>
  page
    .getByRole("listitem")
    .filter({ has: page.locator("b") })
    .evaluateAll((items) => items.map((item) => item.querySelector("b")?.textContent));

it("the pages of a waiting, a failed and a dead schedule, and their confirm pages, pass axe, fit and log no complaint", async () => {
  const failed = await failedTwice();
  const dead = await failedTwice("dead");
  const waiting = await schedule();
  const paths = [failed.path, dead.path, waiting.path, `${failed.path}/cancel`, `${failed.path}/replay`];
  for (const path of [
    ...paths,
    `${failed.path}/fire`,
    `${waiting.path}/fire`,
    `${waiting.path}/reschedule`,
    `${failed.path}/reschedule`,
    `${waiting.path}/cancel`,
  ]) {
    const { page, complaints, close } = await harness.open(account, path);
    await expectSound(page, complaints);
    await close();
  }
});

describe("the page of a schedule", () => {
  it("says how late the first attempt was, which attempts were made, and what is ahead", async () => {
    const { path } = await failedTwice();
    const { page, close } = await harness.open(account, path);
    expect(await page.title()).toBe("POST example.com/hooks/trial-ends · Stopwatch");
    const main = page.getByRole("main");
    expect(await main.textContent()).toMatch(/retrying\s*attempt 2 of 5/);
    expect(await main.getByRole("img").first().getAttribute("aria-label")).toBe(
      "The first attempt was sent 4 ms after it was due: within the 250 ms that count as on time.",
    );
    expect(await entries(page)).toEqual([
      "Created",
      "Due",
      "Attempt 1 of 5",
      "Attempt 2 of 5",
      "Attempt 3 of 5",
      "Dead",
    ]);
    expect(await main.textContent()).toContain("settlement window closed");
    expect(await main.textContent()).toContain("if attempts 3 to 5 fail too");
    await close();
  });

  it("of a dead one leads with why, folds the attempts that ended alike, and has Replay and Clone in reach on a phone", async () => {
    const { uuid, path } = await schedule();
    for (const attempt of [1, 2, 3, 4, 5]) {
      await recordTestAttempt(harness.sql, uuid, {
        statusCode: 503,
        errorText: '{"error":"settlement window closed"}',
        latencyMs: 80 + attempt,
        attemptedAt: new Date(Date.now() - 600_000 + attempt * 30_000),
        ...(attempt === 1 && { offsetMs: 4 }),
        status: attempt === 5 ? "dead" : "failed",
      });
    }
    const { page, close } = await harness.open(account, path, { theme: "light", width: 320, scripts: false });
    const lead = page.getByRole("main").locator("section p").first();
    expect(await lead.textContent()).toBe("Dead after 5 attempts.");
    expect(await page.getByText("Last answer 503: settlement window closed").isVisible()).toBe(true);
    for (const name of ["Replay", "Clone"]) {
      const box = await page.getByRole("link", { name, exact: true }).first().boundingBox();
      expect((box?.y ?? 900) + (box?.height ?? 0)).toBeLessThan(568);
    }
    expect(await entries(page)).toEqual(["Created", "Due", "Attempts 1 to 5", "Dead"]);
    expect(await page.getByText("after 85 ms").isVisible()).toBe(false);
    await page.getByText("Each attempt", { exact: true }).click();
    await page.getByText("after 85 ms").waitFor();
    expect(await entries(page)).toEqual(["Created", "Due", "Attempts 1 to 5", ...numbered(5), "Dead"]);
    await close();
  });

  it("never shows payload or headers, and says how large the payload is", async () => {
    const { path } = await failedTwice();
    const { page, close } = await harness.open(account, path);
    expect(await page.getByRole("main").textContent()).toContain("Encrypted, 312 B, never shown");
    expect(await page.content()).not.toContain("canary-in-a-header");
    expect(await page.content()).not.toContain("xxxxxxxx");
    await close();
  });

  it("counts down by the server's clock, and gives screen readers the instant instead", async () => {
    const { path } = await schedule({}, 125_000);
    const { page, close } = await harness.open(account, path);
    await untilInteractive(page);
    const countdown = () =>
      page
        .locator("[aria-hidden=true]", { hasText: /^in [12] m/ })
        .first()
        .textContent();
    const before = await countdown();
    await expect.poll(countdown).not.toBe(before);
    expect(await page.getByRole("main").locator("time").count()).toBeGreaterThan(2);
    const live = page.getByRole("main").locator("[aria-live], [role=status], [role=timer]");
    expect((await live.allTextContents()).join("")).toBe("");
    await close();
  });

  it("shows the instants in UTC and in the browser's zone, and ISO 8601 to copy", async () => {
    const uuid = await harness.dispatch.schedule(account, TARGET, new Date("2031-03-30T07:00:00Z"));
    const { page, close } = await openIn("Europe/Berlin", `/schedules/${encodeId("sch", uuid)}`);
    const when = page.getByRole("complementary", { name: "Facts" });
    expect(await when.textContent()).toMatch(/Due30 March 2031, 07:00:00.000 UTC/);
    expect(await when.textContent()).toMatch(/Local30 March 2031, 09:00:00.000Europe\/Berlin, UTC\+2/);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy ISO instant" }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe("2031-03-30T07:00:00.000Z");
    await close();
  });

  it("tells two instants apart that have the same local time", async () => {
    const [summer, winter] = await Promise.all(
      ["2031-10-26T00:30:00Z", "2031-10-26T01:30:00Z"].map((at) =>
        harness.dispatch.schedule(account, TARGET, new Date(at)),
      ),
    );
    const { page, close } = await openIn("Europe/Berlin", `/schedules/${encodeId("sch", summer ?? "")}`);
    const when = page.getByRole("complementary", { name: "Facts" });
    expect(await when.textContent()).toMatch(/Local26 October 2031, 02:30:00.000Europe\/Berlin, UTC\+2/);
    await page.goto(`${harness.origin}/schedules/${encodeId("sch", winter ?? "")}`);
    expect(await when.textContent()).toMatch(/Local26 October 2031, 02:30:00.000Europe\/Berlin, UTC\+1/);
    await close();
  });

  it("says why an action is not possible", async () => {
    const { path } = await failedTwice();
    const { page, close } = await harness.open(account, path);
    const reschedule = page.getByRole("button", { name: "Reschedule" });
    expect(await reschedule.isDisabled()).toBe(true);
    const why = page.locator(`#${await reschedule.getAttribute("aria-describedby")}`);
    expect(await why.textContent()).toBe("Its time can change only while it is scheduled.");
    await close();
  });

  it("shows earlier attempts while one is in progress, and says when that one ends at the latest", async () => {
    const { path, uuid } = await schedule();
    await harness.sql`
      UPDATE schedules SET status = 'firing', attempts = 1, claimed_at = now(), claim_deadline = now() + interval '10 min'
      WHERE id = ${uuid}`;
    const { page, close } = await harness.open(account, path);
    expect(await entries(page)).toEqual(["Created", "Due", "Attempt 1 of 5"]);
    expect(await page.getByRole("main").textContent()).toMatch(/Try again, at the latest in (?:600|5\d\d) s/);
    await close();
  });

  it.each(["sch_01m81f56n4ee5vn8aq843yj1z9", "sch_nonsense"])(
    "of a schedule that does not exist is answered 404: %s",
    async (id) => {
      for (const path of [`/schedules/${id}`, `/schedules/${id}/cancel`, `/schedules/new?from=${id}`]) {
        const { page, answer, complaints, close } = await harness.open(account, path);
        expect(answer?.status()).toBe(404);
        expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("No such schedule here");
        expect(complaints.filter((one) => !one.includes("404"))).toEqual([]);
        await close();
      }
    },
  );

  it("is answered 404 for a schedule of another account or of the other environment", async () => {
    const own = await schedule({ env: "test" });
    const other = await harness.dispatch.account();
    const foreign = encodeId("sch", await harness.dispatch.schedule(other, TARGET, new Date(Date.now() + HOUR_MS)));
    for (const [path, status] of [
      [own.path, 404],
      [`${own.path}?env=test`, 200],
      [`/schedules/${foreign}`, 404],
    ] as const) {
      const { answer, close } = await harness.open(account, path);
      expect(answer?.status()).toBe(status);
      await close();
    }
  });
});

describe.each([true, false])("with scripts %s:", (scripts) => {
  const look = { ...WIDE, scripts };

  it("cancel asks first, says what follows, and is final", async () => {
    const { path, uuid } = await schedule();
    const { page, complaints, close } = await harness.open(account, path, look);
    await page.getByRole("link", { name: "Cancel" }).first().click();
    await page.waitForURL(`**${path}/cancel`);
    expect(await page.getByRole("heading", { level: 2 }).allTextContents()).toContain("Cancel this schedule?");
    expect((await harness.dispatch.read(uuid)).status).toBe("scheduled");
    await page.getByRole("button", { name: "Cancel it" }).click();
    await page.waitForURL(`**${path}`);
    expect(await page.getByRole("status").first().textContent()).toContain("Cancelled.");
    expect((await harness.dispatch.read(uuid)).status).toBe("cancelled");
    expect(complaints).toEqual([]);
    await close();
  });

  it("firing now asks first, moves a waiting one and the retry of a failed one to now, and says so", async () => {
    const [waiting, failed] = [await schedule(), await failedTwice()];
    await harness.sql`UPDATE schedules SET next_attempt_at = now() + interval '1 hour' WHERE id = ${failed.uuid}`;
    for (const { path, uuid } of [waiting, failed]) {
      const before = await harness.dispatch.read(uuid);
      const { page, complaints, close } = await harness.open(account, path, look);
      await page.getByRole("link", { name: "Send now" }).first().click();
      await page.waitForURL(`**${path}/fire`);
      expect(await page.getByRole("heading", { level: 2 }).allTextContents()).toContain("Send this request now?");
      expect(await harness.dispatch.read(uuid)).toEqual(before);
      await page.getByRole("button", { name: "Send it now" }).click();
      await page.getByRole("status").filter({ hasText: "Due now." }).waitFor();
      expect(page.url()).toBe(harness.origin + path);
      const { status, fire_at, next_attempt_at } = await harness.dispatch.read(uuid);
      expect(status).toBe(before.status);
      expect(Date.now() - (next_attempt_at as Date).getTime()).toBeLessThan(60_000);
      expect(fire_at).toEqual(status === "failed" ? before.fire_at : next_attempt_at);
      expect(complaints).toEqual([]);
      await close();
    }
  });

  it("the result of a form is shown once: not when the page is loaded again, nor on the page of another schedule", async () => {
    const [moved, other] = [await schedule(), await schedule()];
    const { page, close } = await harness.open(account, `${moved.path}/reschedule`, look);
    const said = page.getByRole("status").filter({ hasText: "It is sent at the new time." });
    await page.getByLabel("In words").fill("2031-01-01T09:00:00Z");
    await page.getByRole("button", { name: "Move it" }).click();
    await said.waitFor();
    expect(page.url()).toBe(harness.origin + moved.path);
    await page.goto(harness.origin + other.path);
    expect(await said.count()).toBe(0);
    await page.goto(harness.origin + moved.path);
    expect(await said.count()).toBe(0);
    expect((await page.context().cookies()).map(({ name }) => name)).not.toContain("done");
    await close();
  });

  it("a double click on the button that cancels or moves acts once, and the page says what was done", async () => {
    const [cancelled, moved] = [await schedule(), await schedule()];
    const { page, close } = await harness.open(account, `${cancelled.path}/cancel`, look);
    await page.getByRole("button", { name: "Cancel it" }).dblclick();
    await page.getByRole("status").filter({ hasText: "Cancelled." }).waitFor();
    expect(await page.getByRole("main").getByRole("alert").count()).toBe(0);
    await page.goto(`${harness.origin}${moved.path}/reschedule`);
    await page.getByLabel("In words").fill("2031-01-01T09:00:00Z");
    await page.getByRole("button", { name: "Move it" }).dblclick();
    // The second click ends the navigation of the first, for which `waitForURL` would fail.
    await page.getByRole("status").filter({ hasText: "It is sent at the new time." }).waitFor();
    expect(await harness.dispatch.read(cancelled.uuid)).toMatchObject({ status: "cancelled" });
    expect(await harness.dispatch.read(moved.uuid)).toMatchObject({ fire_at: new Date("2031-01-01T09:00:00Z") });
    await close();
  });

  it("a form that fires now confirms when it is repeated during the attempt, and another form says why it cannot", async () => {
    const { path, uuid } = await schedule();
    const claim = (moved: Date | null) => harness.sql`
      UPDATE schedules SET status = 'firing', attempts = 1, claim_deadline = now() + interval '35 s', moved_to_now_at = ${moved}
      WHERE id = ${uuid}`;
    const [again, late] = [
      await harness.open(account, `${path}/fire`, look),
      await harness.open(account, `${path}/fire`, look),
    ];
    const press = ({ page }: typeof again) => page.getByRole("button", { name: "Send it now" }).click();
    await claim(new Date());
    await press(again);
    await again.page.getByRole("status").filter({ hasText: "Due now." }).waitFor();
    await claim(null);
    await press(late);
    await late.page.getByRole("alert").filter({ hasText: "Not sent. An attempt is under way." }).waitFor();
    await Promise.all([again.close(), late.close()]);
  });

  it("replay warns of a duplicate and stores one copy however often it is sent; copy and original link each other", async () => {
    const { path, id } = await failedTwice("dead");
    const { page, close } = await harness.open(account, `${path}/replay`, look);
    expect(await page.getByRole("main").textContent()).toContain("The target may then get it twice");
    await page.getByRole("button", { name: "Replay it" }).click();
    await page.waitForURL(/\/schedules\/sch_\w+$/);
    const copy = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    expect(copy).not.toBe(id);
    await page.getByRole("link", { name: id }).click();
    await page.waitForURL(`**${path}`);
    const copies =
      await harness.sql`SELECT schedule_id FROM schedule_requests WHERE replay_of = ${decodeId("sch", id)}`;
    expect(copies.map((row) => encodeId("sch", row.schedule_id))).toEqual([copy]);
    const facts = page.getByRole("complementary", { name: "Facts" });
    expect(await facts.textContent()).toMatch(new RegExp(`Copies${copy}\\s*scheduled`));
    await facts.getByRole("link", { name: copy }).click();
    await page.waitForURL(`**/schedules/${copy}`);
    await close();
  });

  it("replay offers the old time of a cancelled one, of which no duplicate is possible while it was never sent", async () => {
    const { path, uuid } = await schedule();
    const { page, close } = await harness.open(account, `${path}/replay`, look);
    expect(await page.getByRole("main").textContent()).toContain("The target may then get it twice");
    await harness.sql`
      UPDATE schedules SET status = 'cancelled', next_attempt_at = NULL, ended_at = now() WHERE id = ${uuid}`;
    await page.goto(harness.origin + path);
    await page.getByRole("link", { name: "replay it at its old time" }).click();
    await page.waitForURL(({ pathname }) => pathname === `${path}/replay`);
    expect(await page.getByRole("main").textContent()).toContain("The cancelled one was never sent");
    expect(await page.getByRole("radio", { name: /^At its old time/ }).isChecked()).toBe(true);
    await page.getByRole("button", { name: "Replay it" }).click();
    await page.waitForURL(/\/schedules\/sch_\w+$/);
    const [copy] = await harness.sql`
      SELECT c.fire_at = o.fire_at AS same FROM schedules o JOIN schedule_requests r ON r.replay_of = o.id
      JOIN schedules c ON c.id = r.schedule_id WHERE o.id = ${uuid}`;
    expect(copy).toEqual({ same: true });
    await close();
  });

  it("reschedule moves it, and keeps the typed time when it cannot be read", async () => {
    const { path, uuid } = await schedule();
    const { page, close } = await harness.open(account, `${path}/reschedule`, look);
    await page.getByLabel("Date and time").fill("");
    await page.getByLabel("In words").fill("whenever");
    await page.getByLabel("Early fire").check();
    await page.getByRole("button", { name: "Move it" }).click();
    await page.waitForURL("**error=words**");
    expect(await page.getByRole("main").getByRole("alert").textContent()).toContain("This time is not understood");
    expect(await page.getByLabel("In words").inputValue()).toBe("whenever");
    expect(await page.getByLabel("Early fire").isChecked()).toBe(true);
    await page.getByLabel("In words").fill("2031-01-01T09:00:00.250Z");
    await page.getByRole("button", { name: "Move it" }).click();
    await page.waitForURL(`**${path}`);
    const moved = await harness.dispatch.read(uuid);
    expect(moved).toMatchObject({ fire_at: new Date("2031-01-01T09:00:00.250Z"), early_fire: true });
    await close();
  });
});

it("the result of a form stays on a page that refreshes itself, until it is no longer true", async () => {
  const { path, uuid } = await schedule();
  const { page, close } = await harness.open(account, `${path}/reschedule`);
  const said = page.getByRole("status").filter({ hasText: "It is sent at the new time." });
  await page.getByLabel("In words").fill("2031-01-01T09:00:00Z");
  await page.getByRole("button", { name: "Move it" }).click();
  await said.waitFor();
  await page.waitForResponse((answer) => answer.url().includes("_rsc") && answer.request().headers().rsc !== undefined);
  await page.getByText("Updated now").waitFor();
  expect(await said.count()).toBe(1);
  expect(page.url()).toBe(harness.origin + path);
  await recordTestAttempt(harness.sql, uuid, { attemptedAt: new Date(), offsetMs: 4 });
  await said.waitFor({ state: "detached" });
  await close();
});

describe("an act on a schedule", () => {
  it("that comes too late changes nothing, and the page says so beside the current status", async () => {
    const { path, uuid } = await schedule();
    const { page, close } = await harness.open(account, `${path}/cancel`);
    await harness.sql`
      UPDATE schedules SET status = 'firing', attempts = 1, claimed_at = now(), claim_deadline = now() + interval '35 s'
      WHERE id = ${uuid}`;
    await page.getByRole("button", { name: "Cancel it" }).click();
    await page.waitForURL("**failed=cancel**");
    expect(await page.getByRole("main").getByRole("alert").textContent()).toMatch(/Not cancelled\..*under way/);
    await close();
  });

  it("from a form of another site is refused", async () => {
    const { id, path, uuid } = await schedule();
    const { token, close } = await harness.open(account, path);
    const answer = await fetch(`${harness.origin}${path}/cancel/confirm`, {
      method: "POST",
      headers: {
        Cookie: `sw_session=${token}`,
        Origin: "https://evil.example.com",
        "Content-Type": "application/x-www-form-urlencoded",
      },
      body: new URLSearchParams({ id, env: "live" }).toString(),
      redirect: "manual",
    });
    expect(answer.status).toBe(403);
    expect((await harness.dispatch.read(uuid)).status).toBe("scheduled");
    await close();
  });

  it("by a signed-out visitor leads to sign-in and back", async () => {
    const { path, uuid } = await schedule();
    const { page, close } = await harness.open(account, `${path}/cancel`);
    await page.context().clearCookies();
    await page.getByRole("button", { name: "Cancel it" }).click();
    await page.waitForURL("**/login?**");
    await page.getByText("What you sent was not saved.").waitFor();
    expect(new URL(page.url()).searchParams.get("redirectTo")).toBe(`${path}?failed=cancel&error=UNAUTHORIZED`);
    expect((await harness.dispatch.read(uuid)).status).toBe("scheduled");
    await close();
  });
});
