// Guards: app/(dashboard)/overview/**, app/(dashboard)/schedules/operations/**, app/(dashboard)/schedules/confirm/**, components/overview/**, components/schedules/operation-*, server/overview/incidents.ts, server/operations/**, db/queries/schedules/incidents.ts, db/queries/operations/**, dispatcher/operations/**, domain/incident.ts, domain/answer-line.ts, domain/copies-of-operation.ts
import type { Locator, Page } from "@playwright/test";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import type { TestAccount } from "#tests/helpers/accounts.ts";
import { type DashboardHarness, startDashboardHarness } from "#tests/helpers/dashboard-harness.ts";
import { expectSound, WIDE } from "#tests/helpers/page-checks.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";

const COUNT = 38;

let receiver: Receiver;
let harness: DashboardHarness;
let account: TestAccount;
let isMended: boolean;

beforeAll(async () => {
  receiver = await startReceiver({ tls: false });
  const allowed = { DELIVERY_ALLOW: receiver.origin };
  harness = await startDashboardHarness(allowed, undefined, allowed);
  await harness.dispatch.dispatcher();
});
afterAll(async () => {
  await harness?.stop();
  await receiver?.close();
});

/** An outage of a real target: 38 schedules to it die with its answer, and one to another path with another. */
beforeEach(async () => {
  isMended = false;
  receiver.requests.length = 0;
  receiver.respond(({ path }, response) => {
    response.statusCode = path === "/gone" ? 410 : isMended ? 200 : 503;
    response.end(path === "/gone" ? "gone for good" : isMended ? "ok" : '{"error":"settlement window closed"}');
  });
  account = await harness.dispatch.account({ settings: { retry_attempts: 0 } });
  const at = (path: string) => harness.dispatch.schedule(account, `${receiver.origin}${path}`, null);
  await Promise.all([at("/gone"), ...Array.from({ length: COUNT }, (_, n) => at(`/jobs/settle?batch=${n}`))]);
  await waitFor(
    "all are dead",
    async () => {
      const [row] = await harness.sql`
        SELECT count(*)::int AS n FROM schedules WHERE account_id = ${account.id} AND status = 'dead'`;
      return row?.n === COUNT + 1;
    },
    30_000,
  );
});

/** The line of the group on the overview. */
const groupOf = (page: Page) => page.getByRole("listitem").filter({ hasText: "503 settlement window closed" });

const bottomOf = async (place: Locator) => {
  const box = await place.boundingBox();
  return (box?.y ?? Number.POSITIVE_INFINITY) + (box?.height ?? 0);
};

describe.each([true, false])("with scripts %s:", (scripts) => {
  it("38 dead schedules are mended in two clicks from the overview, and followed until each is delivered", async () => {
    isMended = true;
    const { page, complaints, close } = await harness.open(account, "/overview", { ...WIDE, scripts });
    let clicks = 0;
    const click = (what: Locator) => {
      clicks++;
      return what.click();
    };
    await click(groupOf(page).getByRole("link", { name: `Replay ${COUNT}` }));
    await click(page.getByRole("button", { name: `Replay ${COUNT} schedules` }));
    await page.getByText(`${COUNT} of ${COUNT} delivered`, { exact: true }).waitFor();
    expect(clicks).toBe(2);
    expect(await page.title()).toBe(`${COUNT} of ${COUNT} delivered · Replay ${COUNT} schedules · Stopwatch`);

    const again = receiver.requests.slice(COUNT + 1).map(({ path }) => path);
    expect(again.toSorted()).toEqual(Array.from({ length: COUNT }, (_, n) => `/jobs/settle?batch=${n}`).toSorted());
    const operation = new URL(page.url()).pathname;

    await page.getByRole("link", { name: "See the copies" }).click();
    await page.getByText(`1–20 of ${COUNT}`).waitFor();
    await page
      .locator("tbody")
      .getByRole("link", { name: /settle/ })
      .first()
      .click();
    await page.getByRole("link", { name: "A replay of many" }).click();
    await page.waitForURL(`**${operation}`);

    await page.goto(`${harness.origin}/overview`);
    await groupOf(page)
      .getByRole("link", { name: `${COUNT} delivered` })
      .click();
    await page.waitForURL(`**${operation}`);
    expect(complaints).toEqual([]);
    await close();
  });

  it("copies that die again are said to, with their list, and are what the overview asks about next", async () => {
    const { page, close } = await harness.open(account, "/overview", { ...WIDE, scripts });
    await groupOf(page)
      .getByRole("link", { name: `Replay ${COUNT}` })
      .click();
    await page.getByRole("button", { name: `Replay ${COUNT} schedules` }).click();
    await page.getByText(`0 of ${COUNT} delivered`, { exact: true }).waitFor();
    await page
      .getByRole("alert")
      .filter({ hasText: `${COUNT} are dead again` })
      .waitFor();
    await page.getByRole("link", { name: "see why" }).click();
    await page.getByText(`1–20 of ${COUNT}`).waitFor();
    await page.goto(`${harness.origin}/overview`);
    isMended = true;
    await groupOf(page)
      .getByRole("link", { name: `Replay ${COUNT}` })
      .click();
    await page.getByRole("button", { name: `Replay ${COUNT} schedules` }).click();
    await page.getByText(`${COUNT} of ${COUNT} delivered`, { exact: true }).waitFor();
    expect(receiver.requests).toHaveLength(3 * COUNT + 1);
    await close();
  });
});

it("the opening of the overview is above the fold at 1280 × 720 and first on a phone, and leads to exactly its schedules", async () => {
  for (const [width, height] of [
    [1280, 720],
    [320, 568],
  ] as const) {
    const { page, close } = await harness.open(account, "/overview", { theme: "light", width, scripts: false });
    await page.setViewportSize({ width, height });
    const group = groupOf(page);
    expect(await bottomOf(group.getByRole("link").first())).toBeLessThan(height);
    expect(await bottomOf(group.getByRole("link", { name: `Replay ${COUNT}` }))).toBeLessThan(height);
    expect(await group.textContent()).toContain(`localhost:${receiver.port}`);
    expect(await group.textContent()).toContain(`${COUNT} dead`);
    await group.getByRole("link").first().click();
    await page.getByText(`1–20 of ${COUNT}`).waitFor();
    await close();
  }
});

it("overview, operation and list of an incident pass axe, fit and log no complaint", async () => {
  isMended = true;
  const { page, complaints, close } = await harness.open(account, "/overview");
  await expectSound(page, complaints);
  await groupOf(page)
    .getByRole("link", { name: `Replay ${COUNT}` })
    .click();
  await page.getByRole("heading", { name: `Replay ${COUNT} schedules?` }).waitFor();
  await expectSound(page, complaints);
  await page.getByRole("button", { name: `Replay ${COUNT} schedules` }).click();
  await page.getByText(`${COUNT} of ${COUNT} delivered`, { exact: true }).waitFor();
  await expectSound(page, complaints);
  await page.getByRole("link", { name: "See the copies" }).click();
  await page.getByText(`1–20 of ${COUNT}`).waitFor();
  await expectSound(page, complaints);
  await close();
});
