import type { ChildProcess } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, it } from "vitest";
import { formatOffset } from "#components/format/offset.ts";
import { decodeId } from "#domain/ids.ts";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { curlArguments } from "#tests/helpers/curl-arguments.ts";
import { createDispatchHarness, type DispatchHarness } from "#tests/helpers/dispatch-harness.ts";
import { openPage, untilInteractive, WIDE } from "#tests/helpers/page-checks.ts";
import { type SignInHarness, startSignInHarness } from "#tests/helpers/sign-in-harness.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";

const EMAIL = "newcomer@example.com";

let receiver: Receiver;
let folder: string;
let harness: SignInHarness;
let dispatch: DispatchHarness;
let dispatcher: ChildProcess;

beforeAll(async () => {
  receiver = await startReceiver();
  folder = await mkdtemp(join(tmpdir(), "stopwatch-newcomer-"));
  const caFile = join(folder, "ca.pem");
  await writeFile(caFile, receiver.ca);
  harness = await startSignInHarness({ DELIVERY_ALLOW: receiver.origin });
  const delivery = { DELIVERY_ALLOW: receiver.origin, DELIVERY_CA_FILE: caFile };
  dispatch = await createDispatchHarness(delivery, harness.database);
  dispatcher = await dispatch.process();
});
afterAll(async () => {
  await dispatch?.endProcesses();
  await dispatch?.sql.end();
  await harness?.stop();
  await receiver?.close();
  if (folder) await rm(folder, { recursive: true });
});

it("a newcomer gets from the mailed link to a first delivery, its line in the log and a verified signature, by following the pages alone", async () => {
  const { page, complaints, close } = await openPage(harness.browser, harness.origin, WIDE);
  await signIn(page);
  const apiKey = await makeKey(page);
  const { id, target } = await sendShownCall(page, apiKey);
  await follow(page, id, target);
  await findInLog(page, id, target);
  await checkSignature(page, id);
  expect(complaints).toEqual([]);
  await close();
});

const withoutSpaces = (text: string) => text.replaceAll(/\s/g, "");
const main = (page: Page) => page.getByRole("main");
const goTo = (page: Page, name: string) =>
  page
    .getByRole("navigation", { name: "Main" })
    .getByRole("link", { name: new RegExp(`^${name}\\b`) })
    .click();
const firstSteps = (page: Page) => page.getByRole("region", { name: /first request/ });

async function signIn(page: Page) {
  await page.goto(harness.origin);
  await page.getByRole("link", { name: "Open an account" }).click();
  await page.getByLabel("E-mail").fill(EMAIL);
  await page.getByRole("button", { name: "Send the link" }).click();
  const link = await waitFor("the mail is there", () => harness.linksTo(EMAIL)[0]);
  await page.goto(link.href);
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
}

/** The raw value of a new key. */
async function makeKey(page: Page): Promise<string> {
  await firstSteps(page).getByRole("link", { name: "New key" }).click();
  await page.getByLabel("Name").fill("my laptop");
  await page.getByRole("button", { name: "Create key" }).click();
  const raw = await page.getByRole("group", { name: /^API key, (live|test) key$/ }).textContent();
  await page.getByRole("button", { name: "I have saved it" }).click();
  await page.getByText("Saved. The key is not shown again.").waitFor();
  return raw ?? "";
}

/** Sends the shown call, but to the receiver of this test and in 5 minutes. Returns the schedule's id and target. */
async function sendShownCall(page: Page, apiKey: string): Promise<{ id: string; target: string }> {
  await goTo(page, "Overview");
  await firstSteps(page).getByRole("heading", { name: "Create an API key done" }).waitFor();
  const shown = await firstSteps(page).getByRole("group", { name: "First API request, curl" }).textContent();
  const { url, method, headers, body } = await curlArguments((shown ?? "").replace("sw_live_…", apiKey));
  const target = `${receiver.origin}/hello`;
  const sent = JSON.stringify({ ...JSON.parse(body ?? ""), targetUrl: target, fireIn: "5m" });
  const answer = await fetch(url, { method, headers, body: sent });
  const stored = await answer.json();
  expect({ status: answer.status, stored }).toMatchObject({ status: 201, stored: { status: "scheduled" } });
  await firstSteps(page).getByRole("heading", { name: "Hand over a request and an instant done" }).waitFor();
  return { id: stored.id, target };
}

/** Finds the schedule, moves it to three seconds from now, and reads on its page that it was delivered. */
async function follow(page: Page, id: string, target: string) {
  await goTo(page, "Schedules");
  const withoutScheme = target.replace(/^https?:\/\//, "");
  await main(page)
    .getByRole("link", { name: new RegExp(withoutScheme) })
    .click();
  await page.waitForURL(`**/schedules/${id}`);
  expect(await page.title()).toBe(`GET ${withoutScheme} · Stopwatch`);
  await main(page).getByRole("link", { name: "Reschedule" }).click();
  // The schedule waits until its page was looked at, however long that takes.
  dispatcher.kill("SIGSTOP");
  await page.getByLabel("In words").fill("in 3s");
  await page.getByRole("button", { name: "Move it" }).click();
  await page.waitForURL(`**/schedules/${id}`);
  const standing = main(page).getByRole("region").first();
  await standing.getByText("scheduled").waitFor();
  dispatcher.kill("SIGCONT");
  await standing.getByText("succeeded").waitFor();
  expect(await main(page).textContent()).not.toContain("It is sent at the new time.");
  const entries = main(page).getByRole("listitem").locator("b");
  expect(await entries.allTextContents()).toEqual(["Created", "Due", expect.stringMatching(/^Attempt 1/), "Succeeded"]);
  const lateMs = Number((await dispatch.read(`${decodeId("sch", id)}`)).offset_ms);
  expect(lateMs).toBeGreaterThanOrEqual(0);
  const words = (await main(page).textContent()) ?? "";
  expect(withoutSpaces(words)).toContain(withoutSpaces(`First attempt was sent ${formatOffset(lateMs)}`));
  expect(receiver.requests.map(({ method, path }) => ({ method, path }))).toEqual([{ method: "GET", path: "/hello" }]);
}

async function findInLog(page: Page, id: string, target: string) {
  await goTo(page, "Logs");
  const row = main(page).getByRole("row").filter({ hasText: id });
  expect(await row.textContent()).toMatch(/succeeded.*200.*GET/s);
  expect(await row.getByRole("link").first().getAttribute("title")).toBe(target);
}

/** Verifies the request with the shown secret, by the library in the page's receiver code and by the page itself. */
async function checkSignature(page: Page, id: string) {
  await goTo(page, "Signing secrets");
  await page.getByText("Reveal").first().click();
  const secret =
    (await main(page)
      .getByText(/^whsec_[\w+/]+=*$/)
      .first()
      .textContent()) ?? "";
  const [request] = receiver.requests;
  const headers = Object.fromEntries(Object.entries(request?.headers ?? {}).map(([name, value]) => [name, `${value}`]));
  expect(headers["webhook-id"]).toBe(id);
  const body = request?.body.toString() ?? "";
  expect(() => new Webhook(secret).verify(body, headers, { jsonParse: false })).not.toThrow();
  expect(() => new Webhook(secret).verify(`${body} `, headers, { jsonParse: false })).toThrow();
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  await untilInteractive(page);
  await page.getByLabel("Received headers").fill(lines.join("\n"));
  await page.getByLabel("Raw body").fill(body);
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await page.getByText("It matches the current secret.").waitFor();
}
