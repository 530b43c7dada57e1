// Guards: server/edge/**, server/http/**, server/counters/**, server/rate-limit/**, app/**/route.ts
import { afterAll, beforeAll, expect, it } from "vitest";
import { type DashboardHarness, startDashboardHarness } from "#tests/helpers/dashboard-harness.ts";
import { makeClockMovable } from "#tests/helpers/movable-clock.ts";
import { besides, expectSound } from "#tests/helpers/page-checks.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";
import { withinOneMinute } from "#tests/helpers/within-one-minute.ts";

const LIMIT = 8;

let harness: DashboardHarness;
let clock: Awaited<ReturnType<typeof makeClockMovable>>;

beforeAll(async () => {
  const limits = { requestsPerMinute: LIMIT };
  harness = await startDashboardHarness({ PLANS: JSON.stringify({ free: limits, indie: limits }) });
  clock = await makeClockMovable(harness.sql);
});
afterAll(() => harness?.stop());

/** A page of a new account whose requests of this minute are used up. Its form was sent, and refused. */
async function refusedForm() {
  const account = await harness.dispatch.account();
  const opened = await harness.open(account, "/account");
  const read = () => fetch(`${harness.origin}/v1/usage`, { headers: { cookie: `sw_session=${opened.token}` } });
  await opened.page.getByLabel("Name").fill("Ada <b>&");
  await waitFor("the limit is reached", async () => (await read()).status === 429);
  await opened.page.getByRole("button", { name: "Save" }).click();
  await opened.page.getByRole("heading", { name: "Too many requests" }).waitFor();
  return { ...opened, read };
}

it("a form over the limit becomes a page that sends the same fields again, and whose result is shown once", async () => {
  const opened: Awaited<ReturnType<typeof refusedForm>>[] = [];
  await withinOneMinute(harness.sql, async () => void opened.push(await refusedForm()));
  const { page, complaints, read, close } = opened[0] as Awaited<ReturnType<typeof refusedForm>>;
  expect(await page.getByRole("main").textContent()).toContain(`limited to ${LIMIT} requests per minute. Try again in`);
  await expectSound(page, besides(429, complaints));

  await clock.step(60_000);
  const other = await harness.open(await harness.dispatch.account(), "/account");
  // The process learns the time when it writes counts to the database, of another account for instance.
  await waitFor("the next minute", async () => (await read()).ok);
  await other.close();
  await page.getByRole("button", { name: "Send it again" }).click();
  await page.getByText("Saved.").waitFor();
  expect(await page.getByLabel("Name").inputValue()).toBe("Ada <b>&");
  await page.reload();
  expect(await page.getByText("Saved.").count()).toBe(0);
  await close();
}, 400_000);
