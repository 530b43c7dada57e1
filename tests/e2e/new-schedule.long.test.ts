// Guards: app/(dashboard)/schedules/new/**, components/schedules/**, server/schedules/create-by-form.ts, server/schedules/clone-elsewhere.ts, server/schedules/form*.ts, server/routes/form-action.ts, server/schedules/typed-time.ts, server/edge/action-bodies.ts, domain/schedule-draft.ts, domain/chosen-time.ts, domain/local-time*.ts, next.config.ts
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { decodeId, encodeId } from "#domain/ids.ts";
import { openRequest, unpackRequest } from "#domain/sealed-request.ts";
import type { TestAccount } from "#tests/helpers/accounts.ts";
import { type DashboardHarness, startDashboardHarness } from "#tests/helpers/dashboard-harness.ts";
import { expectSound, untilInteractive, WIDE } from "#tests/helpers/page-checks.ts";

const SECRET = "Bearer canary-of-a-header-7b1f";

let harness: DashboardHarness;
let account: TestAccount;

beforeAll(async () => {
  harness = await startDashboardHarness();
});
afterAll(() => harness?.stop());
beforeEach(async () => {
  account = await harness.dispatch.account();
});

async function stored() {
  const rows = await harness.sql`
    SELECT s.id, s.fire_at, s.early_fire, s.delivery, r.* FROM schedules s JOIN schedule_requests r ON r.schedule_id = s.id
    WHERE s.account_id = ${account.id} ORDER BY s.created_at`;
  return rows.map((row) => {
    const { id, account_id: accountId, env, method, target_url: targetUrl } = row;
    const bound = { id, accountId, env, method, targetUrl };
    const packed = row.sealed && openRequest(harness.dispatch.config.keyRing, row.sealed, bound);
    const request = packed ? unpackRequest(packed) : { headers: [], payload: Buffer.alloc(0) };
    return {
      id: encodeId("sch", row.id),
      method: row.method,
      url: row.target_url,
      fireAt: row.fire_at,
      headers: request.headers,
      payload: request.payload.toString(),
      key: row.idempotency_key,
      early: row.early_fire,
      delivery: row.delivery,
      replayOf: row.replay_of && encodeId("sch", row.replay_of),
    };
  });
}

async function fill(page: Page, { payload = '{"customer":\n  "cus_81"}' } = {}) {
  await page.getByLabel("In words").fill("2031-01-01T09:00:00.250Z");
  await page.getByLabel("Method").selectOption("PUT");
  await page.getByLabel("URL", { exact: true }).fill("https://example.com/hooks/trial-ends");
  await page.getByLabel("Name of header 2").fill("Authorization");
  await page.getByLabel("Value of header 2").fill(SECRET);
  await page.getByLabel("Payload", { exact: true }).fill(payload);
}

const send = (page: Page) => page.getByRole("main").getByRole("button", { name: "Schedule it" }).click();
const alert = (page: Page) => page.getByRole("main").getByRole("alert").textContent();

it("the forms of a new schedule and of a clone pass axe, fit and log no complaint, also with warnings and errors", async () => {
  const original = encodeId(
    "sch",
    await harness.dispatch.schedule(account, "https://example.com/", new Date(Date.now() + 9e6)),
  );
  const { page, complaints, close } = await harness.open(account, "/schedules/new");
  await expectSound(page, complaints);
  await page.getByLabel("Zone").fill("Europe/Berlin");
  await page.getByLabel("Date and time").fill("2031-10-26T02:30:00");
  await page.getByText("comes twice in Europe/Berlin").waitFor();
  await page.getByLabel("URL", { exact: true }).fill("http://10.0.0.8/hook");
  await page.getByLabel("Name of header 2").fill("Host");
  await page.getByLabel("Payload", { exact: true }).fill("{");
  await send(page);
  await page.getByText("fields need another look").waitFor();
  await expectSound(page, complaints);
  await page.goto(`${harness.origin}/schedules/new?from=${original}`);
  await expectSound(page, complaints);
  await close();
});

describe.each([true, false])("with scripts %s:", (scripts) => {
  const look = { ...WIDE, scripts };

  it("a schedule is stored as it was typed, payload and headers encrypted, and its page is shown", async () => {
    const { page, complaints, close } = await harness.open(account, "/schedules/new", look);
    await fill(page);
    await page.getByLabel("Early fire").check();
    await send(page);
    await page.waitForURL(/\/schedules\/sch_\w+$/);
    expect(await page.getByRole("main").getByRole("status").first().textContent()).toContain("Scheduled.");
    expect(await stored()).toMatchObject([
      {
        method: "PUT",
        url: "https://example.com/hooks/trial-ends",
        fireAt: new Date("2031-01-01T09:00:00.250Z"),
        payload: '{"customer":\n  "cus_81"}',
        early: true,
        headers: [
          ["Content-Type", "application/json"],
          ["Authorization", SECRET],
        ],
      },
    ]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("a rejected form keeps everything that was typed, names each field with an error, and is stored once it is corrected", async () => {
    const { page, complaints, close } = await harness.open(account, "/schedules/new", look);
    await fill(page, { payload: '{"half": ' });
    await page.getByLabel("URL", { exact: true }).fill("https://localhost/x");
    await page.getByLabel("Idempotency key").fill("order-1001");
    await send(page);
    await page.getByText("2 fields need another look").waitFor();
    expect(await alert(page)).toContain("This is not valid JSON");
    await page.getByRole("link", { name: "The URL must point to a public host." }).waitFor();
    expect(await page.getByLabel("Payload", { exact: true }).inputValue()).toBe('{"half": ');
    await page.getByLabel("Payload", { exact: true }).fill('{"whole": true}');
    expect(await page.getByLabel("URL", { exact: true }).inputValue()).toBe("https://localhost/x");
    expect(await page.getByLabel("Method").inputValue()).toBe("PUT");
    expect(await page.getByLabel("Value of header 2").inputValue()).toBe(SECRET);
    expect(await page.getByLabel("In words").inputValue()).toBe("2031-01-01T09:00:00.250Z");
    expect(await stored()).toEqual([]);
    await page.getByLabel("URL", { exact: true }).fill("https://example.com/x");
    await send(page);
    await page.waitForURL(/\/schedules\/sch_\w+$/);
    expect(await stored()).toMatchObject([{ key: "order-1001", method: "PUT", payload: '{"whole": true}' }]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("delivery options are closed at first, named where they are wrong, kept, and stored as they were typed", async () => {
    const { page, close } = await harness.open(account, "/schedules/new", look);
    await fill(page);
    expect(await page.getByLabel("Time for an answer").isVisible()).toBe(false);
    await page.getByText("Delivery options").click();
    await page.getByLabel("Time for an answer").fill("1m");
    await page.getByLabel("Wait before each retry").fill("2s, 10");
    await page.getByLabel("Answers that end it at once").fill("200");
    await page.getByLabel("Expires").fill("2031-01-01T09:00:00Z");
    await send(page);
    await page.getByText("3 fields need another look").waitFor();
    await page.getByRole("link", { name: "The time for an answer must be from 1s to 30s." }).click();
    expect(await page.getByLabel("Time for an answer").inputValue()).toBe("1m");
    await page.getByLabel("Time for an answer").fill("5s");
    await page.getByLabel("Wait before each retry").fill("1s, ".repeat(100));
    await page.getByLabel("Answers that end it at once").fill("410, 400-404");
    await send(page);
    await page.getByRole("link", { name: /^Wait \d+ is one retry too many: this plan has \d+\.$/ }).waitFor();
    await page.getByLabel("Wait before each retry").fill("2s, 1m");
    await send(page);
    await page.getByRole("link", { name: "The expiry must be after the time of the schedule." }).waitFor();
    await page.getByLabel("Expires").fill("2h");
    await send(page);
    // The link of an error leaves its fragment, which a redirect keeps.
    await page.waitForURL(/\/schedules\/sch_\w+(?:#\w+)?$/);
    const options = { timeoutMs: 5_000, retryDelaysMs: [2_000, 60_000], giveUpStatuses: [410, "400-404"] };
    const expiry = { expiresInMs: 7_200_000, expiresAtMs: Date.parse("2031-01-01T11:00:00.250Z") };
    expect((await stored())[0]?.delivery).toEqual({ ...options, ...expiry });
    expect(await page.getByRole("main").textContent()).toContain("Retries after 2s, 1m");

    await page.getByRole("link", { name: "Clone", exact: true }).first().click();
    await page.waitForURL(/from=/);
    expect(await page.getByLabel("Wait before each retry").inputValue()).toBe("2s, 1m");
    await page.getByLabel("In words").fill("2032-01-01T09:00:00Z");
    await page.getByLabel("Wait before each retry").fill("none");
    await send(page);
    await page.waitForURL(/\/schedules\/sch_\w+$/);
    const expiresAtMs = Date.parse("2032-01-01T11:00:00Z");
    expect((await stored())[1]?.delivery).toEqual({ ...options, retryDelaysMs: [], ...expiry, expiresAtMs });
    await close();
  });

  it("the form adds rows for headers", async () => {
    const { page, close } = await harness.open(account, "/schedules/new", look);
    await fill(page);
    await page.getByRole("button", { name: "Add header" }).click();
    await page.getByLabel("Name of header 3").fill("X-Trace");
    await page.getByLabel("Value of header 3").fill("trial-81");
    expect(await page.getByLabel("Value of header 2").inputValue()).toBe(SECRET);
    await send(page);
    await page.waitForURL(/\/schedules\/sch_\w+$/);
    expect((await stored())[0]?.headers).toContainEqual(["X-Trace", "trial-81"]);
    await close();
  });

  it("Enter in a field sends the form", async () => {
    const { page, close } = await harness.open(account, "/schedules/new", look);
    await fill(page);
    await page.getByLabel("URL", { exact: true }).press("Enter");
    await page.waitForURL(/\/schedules\/sch_\w+$/);
    await close();
  });

  it("the same form sent again stores nothing more, and a changed one stores another schedule", async () => {
    const { page, close } = await harness.open(account, "/schedules/new", look);
    await fill(page);
    await page.getByLabel("In words").fill("in 2h");
    const fields = await page.locator("form:has(#url)").evaluate((form: HTMLFormElement) => [...new FormData(form)]);
    await send(page);
    await page.waitForURL(/\/schedules\/sch_\w+$/);
    const first = page.url();
    const again = async (change: Record<string, string>) => {
      const body = new FormData();
      for (const [name, value] of fields) body.append(name, change[name] ?? (value as string));
      const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
      return fetch(`${harness.origin}/schedules/new`, {
        method: "POST",
        body,
        redirect: "manual",
        headers: { Origin: harness.origin, Cookie: cookie },
      });
    };
    const repeated = await again({});
    expect(repeated.status).toBe(303);
    expect(repeated.headers.get("location")).toBe(new URL(first).pathname);
    expect(repeated.headers.get("set-cookie")).toMatch(/^flash=result=known&/);
    expect(await stored()).toHaveLength(1);
    expect((await again({ url: "https://example.com/other" })).headers.get("set-cookie")).toMatch(
      /^flash=result=created&/,
    );
    expect(await stored()).toHaveLength(2);
    await close();
  });

  it("a double click stores once", async () => {
    const { page, complaints, close } = await harness.open(account, "/schedules/new", look);
    await fill(page);
    await page.getByRole("main").getByRole("button", { name: "Schedule it" }).dblclick();
    await expect.poll(() => page.url()).toMatch(/\/schedules\/sch_\w+$/);
    expect(await stored()).toHaveLength(1);
    expect(complaints).toEqual([]);
    await close();
  });

  it("an idempotency key of another request is reported, and nothing is stored", async () => {
    for (const url of ["https://example.com/one", "https://example.com/two"]) {
      const { page, close } = await harness.open(account, "/schedules/new", look);
      await fill(page);
      await page.getByLabel("URL", { exact: true }).fill(url);
      await page.getByLabel("Idempotency key").fill("order-1001");
      await send(page);
      if (url.endsWith("one")) await page.waitForURL(/\/schedules\/sch_\w+$/);
      else await page.getByRole("link", { name: "The schedule with this key" }).waitFor();
      await close();
    }
    expect(await stored()).toHaveLength(1);
  });

  it("a payload as large as the plan allows is stored, and one byte more is refused with all that was typed", async () => {
    const { page, close } = await harness.open(account, "/schedules/new", look);
    const largest = `"${"ä".repeat(131_071)}"`;
    expect(Buffer.byteLength(largest)).toBe(262_144);
    await fill(page, { payload: `${largest} ` });
    await send(page);
    await page.getByText("The payload has 262,145 bytes. The plan allows 262,144.").first().waitFor();
    // Compared here: a difference of that length would take minutes to be shown.
    expect((await page.getByLabel("Payload", { exact: true }).inputValue()) === `${largest} `).toBe(true);
    await page.getByLabel("Payload", { exact: true }).fill(largest);
    await send(page);
    await page.waitForURL(/\/schedules\/sch_\w+$/);
    expect((await stored())[0]?.payload === largest).toBe(true);
    await close();
  });

  it("a clone goes to the same target, with another payload and the headers of the original", async () => {
    const uuid = await harness.dispatch.schedule(account, "https://example.com/x", new Date(Date.now() + 9e6), {
      method: "PATCH",
      payload: "old",
      headers: [["X-Kept", "kept"]],
    });
    const id = encodeId("sch", uuid);
    const { page, close } = await harness.open(account, `/schedules/new?from=${id}`, look);
    expect(await page.getByRole("main").textContent()).toContain("The payload of the original, 3 B");
    await page.getByLabel("The payload of the original").uncheck();
    await page.getByLabel("Text", { exact: true }).check();
    await page.getByLabel("Payload", { exact: true }).fill("new");
    await send(page);
    await page.waitForURL(/\/schedules\/sch_\w+$/);
    expect((await stored())[1]).toMatchObject({
      method: "PATCH",
      url: "https://example.com/x",
      payload: "new",
      headers: [["X-Kept", "kept"]],
      replayOf: id,
    });
    expect(decodeId("sch", id)).toBe(uuid);
    await close();
  });

  it("a clone takes the stored payload to another URL, without the headers of the original, after a sign-in of the last day", async () => {
    const uuid = await harness.dispatch.schedule(account, "https://example.com/x", new Date(Date.now() + 9e6), {
      method: "PATCH",
      payload: "old",
      headers: [["X-Kept", "kept"]],
    });
    const { page, close } = await harness.open(account, `/schedules/new?from=${encodeId("sch", uuid)}`, look);
    await page.getByLabel("URL", { exact: true }).fill("https://other.example.org/y");
    if (scripts) await page.getByText("None goes along: they go only to https://example.com").waitFor();
    await send(page);
    await page.waitForURL(/\/schedules\/sch_\w+$/);
    expect((await stored())[1]).toMatchObject({ url: "https://other.example.org/y", payload: "old", headers: [] });

    await harness.sql`UPDATE sessions SET created_at = now() - interval '2 days' WHERE account_id = ${account.id}`;
    await page.goto(`${harness.origin}/schedules/new?from=${encodeId("sch", uuid)}`);
    expect(await page.getByLabel("URL", { exact: true }).getAttribute("readonly")).not.toBeNull();
    await page.getByRole("link", { name: "Sign in again" }).click();
    await page.getByRole("heading", { name: "Confirm that it is you" }).waitFor();
    await close();
  });

  it("a person who was signed out meanwhile learns so, keeps the typed values, and continues after signing in", async () => {
    const { page, token, close } = await harness.open(account, "/schedules/new", look);
    await fill(page);
    await page.context().clearCookies();
    await send(page);
    if (scripts) {
      await page.getByText("You are signed out.").waitFor();
      expect(await page.getByLabel("Value of header 2").inputValue()).toBe(SECRET);
    } else {
      await page.getByRole("heading", { name: "You are signed out" }).waitFor();
    }
    await page.context().addCookies([{ name: "sw_session", value: token, url: harness.origin }]);
    // Without scripts the browser keeps what was typed, and a reload sends it again.
    await (scripts ? send(page) : page.reload());
    await page.waitForURL(/\/schedules\/sch_\w+$/);
    await close();
  });
});

describe("while a schedule is typed", () => {
  /** The form once React has taken it over. */
  async function openLive() {
    const opened = await harness.open(account, "/schedules/new");
    await untilInteractive(opened.page);
    return opened;
  }

  it("the instant is shown in the zone and in UTC, whether it is given by preset, words, or date and time", async () => {
    const { page, close } = await openLive();
    const inWords = () => page.getByLabel("In words").inputValue();
    const due = () => page.getByRole("region", { name: "Due" }).textContent();
    await page.getByRole("button", { name: "+1 h" }).click();
    await expect.poll(inWords).toBe("in 1h");
    await expect.poll(due).toMatch(/From now(1 h|59 m 59 s)/);
    await page.getByLabel("Zone").fill("Europe/Berlin");
    await page.getByLabel("Date and time").fill("2031-03-31T09:00:00");
    await expect.poll(inWords).toBe("");
    await expect.poll(due).toMatch(/09:00:00\.000Monday,? 31 March 2031Europe\/Berlin, UTC\+2/);
    expect(await due()).toContain("UTC31 March 2031, 07:00:00.000 UTC");
    await page.getByLabel("In words").fill("a long time ago");
    await expect.poll(due).toContain("This time is not understood");
    await close();
  });

  it("headers that are pasted fill the rows, in place of those with the same name", async () => {
    const { page, close } = await openLive();
    const name = page.getByLabel("Name of header 2");
    await name.evaluate((field) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text", "{ 'content-type': 'text/plain', 'x-a': '1' }");
      field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    });
    await page.getByLabel("Value of header 2").and(page.locator('[value="1"]')).waitFor();
    const values = (kind: string) =>
      page.locator(`[name=header${kind}]`).evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value));
    await expect
      .poll(async () => [await values("Name"), await values("Value")])
      .toEqual([
        ["content-type", "x-a"],
        ["text/plain", "1"],
      ]);
    await close();
  });

  it("the form warns of a time that clocks skip, and offers both instants of one that they show twice", async () => {
    const { page, close } = await openLive();
    await fill(page);
    await page.getByLabel("Zone").fill("Europe/Berlin");
    await page.getByLabel("Date and time").fill("2031-03-30T02:30:00");
    const warning = page.getByRole("main").getByRole("status").first();
    await expect
      .poll(() => warning.textContent())
      .toBe(
        "02:30 on 30 March 2031 does not exist in Europe/Berlin. Clocks go from 02:00 to 03:00. It would be sent at 03:30, UTC+2.",
      );
    await page.getByLabel("Date and time").fill("2031-10-26T02:30:00");
    await page.getByLabel("The second, UTC+1").check();
    const due = () => page.getByRole("region", { name: "Due" }).textContent();
    await expect.poll(due).toContain("2031-10-26T01:30:00.000Z");
    await send(page);
    await page.waitForURL(/\/schedules\/sch_\w+$/);
    expect((await stored())[0]?.fireAt).toEqual(new Date("2031-10-26T01:30:00Z"));
    await close();
  });

  it("the URL is checked by the rule of the API, and the payload's size is shown", async () => {
    const { page, close } = await openLive();
    const url = page.getByLabel("URL", { exact: true });
    const said = () =>
      url.evaluate((field) => {
        const [id = ""] = field.getAttribute("aria-describedby")?.split(" ") ?? [];
        return document.getElementById(id)?.textContent;
      });
    await url.fill("https://example.com/x");
    await expect.poll(said).toMatch(/^https, port 443, a public host/);
    await url.fill("https://192.168.0.1/x");
    await expect.poll(said).toBe("The URL must point to a public host.");
    await page.getByLabel("Payload", { exact: true }).fill('"ä"');
    const form = () => page.getByRole("main").textContent();
    await expect.poll(form).toContain("4 of 262,144 bytes");
    await expect.poll(form).toContain("Valid JSON");
    await close();
  });

  it("no API call is shown while the form names no time, and the time, URL and payload are named at once", async () => {
    const { page, close } = await openLive();
    await page.getByLabel("In words").fill("whenever");
    await page.getByText("Shown once the form names a time.").waitFor();
    expect(await page.getByRole("main").textContent()).not.toContain("2031");
    await page.getByLabel("URL", { exact: true }).fill("http://example.com/");
    await page.getByLabel("Payload", { exact: true }).fill("{");
    await send(page);
    await page.getByText("3 fields need another look").waitFor();
    await page.getByLabel("Name of header 2").fill("Host");
    await page.getByLabel("Value of header 2").fill("example.com");
    await send(page);
    await page.getByText("4 fields need another look").waitFor();
    await expect.poll(() => alert(page)).toMatch(/The URL .*Host is reserved|Host is reserved.*The URL /);
    await close();
  });

  it("the shown API call is copied in full", async () => {
    const { page, close } = await openLive();
    await fill(page);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy The same as code, curl" }).click();
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await expect.poll(copied).toMatch(/^curl http:\/\/localhost:\d+\/v1\/schedules \\\n/);
    expect(await copied()).toContain('"fireAt": "2031-01-01T09:00:00.250Z"');
    await page.getByRole("radio", { name: "SDK" }).check();
    await page.getByRole("button", { name: "Copy The same as code, SDK" }).click();
    await expect.poll(copied).toContain("await client.schedules.create({");
    expect(await copied()).toContain('fireAt: "2031-01-01T09:00:00.250Z"');
    await close();
  });

  it("nothing that was typed is lost when the server does not answer", async () => {
    const { page, close } = await openLive();
    await fill(page);
    await page.route("**/schedules/new", (route) =>
      route.request().method() === "POST" ? route.abort() : route.continue(),
    );
    await send(page);
    await page.getByText("The server did not accept the form.").waitFor();
    expect(await page.getByLabel("Value of header 2").inputValue()).toBe(SECRET);
    await page.unroute("**/schedules/new");
    await send(page);
    await page.waitForURL(/\/schedules\/sch_\w+$/);
    await close();
  });
});

describe("a form that is posted", () => {
  const post = (headers: Record<string, string>, body: BodyInit = new FormData(), path = "/schedules/new") =>
    fetch(harness.origin + path, {
      method: "POST",
      body,
      headers: { Origin: harness.origin, ...headers },
      duplex: "half",
    } as never);

  it("by another site is refused before it is read, and so is one that is too large or has no Content-Length", async () => {
    expect((await post({ Origin: "https://evil.example.com" })).status).toBe(403);
    const large = new FormData();
    large.append("payload", "x".repeat(8 * 1024 * 1024));
    expect((await post({}, large)).status).toBe(413);
    const ofUnknownLength = new Blob(["x"]).stream();
    expect((await post({ "Content-Type": "multipart/form-data; boundary=x" }, ofUnknownLength)).status).toBe(411);
  });

  it("is accepted behind a proxy that sends another host, because BASE_URL decides", async () => {
    const { page, token, close } = await harness.open(account, "/schedules/new");
    await fill(page);
    const fields = await page.locator("form:has(#url)").evaluate((form: HTMLFormElement) => [...new FormData(form)]);
    const body = new FormData();
    for (const [name, value] of fields) body.append(name, value as string);
    const answer = await fetch(`http://127.0.0.1:${harness.web.port}/schedules/new`, {
      method: "POST",
      body,
      redirect: "manual",
      headers: { Origin: harness.origin, Cookie: `sw_session=${token}` },
    });
    expect(answer.headers.get("location")).toMatch(/^\/schedules\/sch_/);
    await close();
  });

  it("to a page without an action does nothing", async () => {
    for (const path of ["/", "/logs", "/login"]) {
      expect((await post({}, new FormData(), path)).status).toBeLessThan(500);
    }
  });
});

it("a form of another build is accepted, because the ids of actions are the same in every build", async () => {
  const manifest = JSON.parse(await readFile(".next/server/server-reference-manifest.json", "utf8"));
  expect(Buffer.from(manifest.encryptionKey, "base64").toString()).toMatch(/^no secret/);
  expect(Object.keys(manifest.node)).toHaveLength(2);
});

it("a typed header value is in no URL, cookie or log line", async () => {
  for (const scripts of [true, false]) {
    const { page, close } = await harness.open(account, "/schedules/new", { ...WIDE, scripts });
    const addresses: string[] = [];
    page.on("request", (request) => addresses.push(request.url()));
    await fill(page, { payload: "canary-of-a-payload" });
    await send(page);
    await page.getByText("needs another look").waitFor();
    await page.getByLabel("Text", { exact: true }).check();
    await send(page);
    await page.waitForURL(/\/schedules\/sch_\w+$/);
    const seen = JSON.stringify([addresses, await page.context().cookies(), harness.web.lines(), await page.content()]);
    expect(seen).not.toContain("canary-of-a");
    await close();
  }
});
