// Guards: app/**, server/edge/**, server/http/**, server/routes/**, components/layout/**, pages/**
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { encodeId } from "#domain/ids.ts";
import type { DatabaseProxy } from "#scripts/lab/proxy.ts";
import type { TestAccount } from "#tests/helpers/accounts.ts";
import { type DashboardHarness, startHarnessBehindProxy } from "#tests/helpers/dashboard-harness.ts";
import { besides, expectSound, WIDE } from "#tests/helpers/page-checks.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";
import { dashboardPaths } from "#tests/pages/routes.ts";

let harness: DashboardHarness;
let proxy: DatabaseProxy;
let account: TestAccount;
let token: string;

beforeAll(async () => {
  ({ harness, proxy } = await startHarnessBehindProxy());
  account = await harness.dispatch.account();
  const opened = await harness.open(account, "/overview");
  ({ token } = opened);
  await opened.close();
});
afterAll(() => harness?.stop());
beforeEach(reachDatabase);

/** Lets the web process reach its database, and waits until it answers pages again. */
async function reachDatabase() {
  proxy.set("pass");
  await waitFor("pages are answered", async () => (await get("/overview")).status === 200);
}

const NO_ID = "00000000000000000000000000";

/** Addresses of what does not exist, with the heading that says so and the link back. */
const MISSING = [
  [`/schedules/sch_${NO_ID}`, "No such schedule here", "/schedules"],
  [`/schedules/sch_${NO_ID}?env=test`, "No such schedule here", "/schedules?env=test"],
  ["/schedules/nonsense", "No such schedule here", "/schedules"],
  [`/schedules/sch_${NO_ID}/cancel`, "No such schedule here", "/schedules"],
  [`/schedules/sch_${NO_ID}/replay`, "No such schedule here", "/schedules"],
  [`/schedules/sch_${NO_ID}/reschedule`, "No such schedule here", "/schedules"],
  [`/schedules/new?from=sch_${NO_ID}`, "No such schedule here", "/schedules"],
  [`/schedules/operations/op_${NO_ID}`, "There is no such operation", "/schedules/operations"],
  [`/keys/key_${NO_ID}/revoke`, "No such API key", "/keys"],
  [`/keys/key_${NO_ID}/rotate`, "No such API key", "/keys"],
  [`/account/identities/idn_${NO_ID}`, "No such identity", "/account"],
  ["/admin", "Nothing is here", "/overview"],
  [`/admin/accounts/acc_${NO_ID}`, "Nothing is here", "/overview"],
  ["/docs/nothing", "No such page", "/docs"],
  ["/docs/api/nothing", "No such page", "/docs/api"],
  ["/nothing", "Nothing is here", "/overview"],
  [`/schedules/sch_${NO_ID}/nothing?env=test`, "Nothing is here", "/overview"],
] as const;

const get = (path: string, init: RequestInit = {}) =>
  fetch(harness.origin + path, {
    redirect: "manual",
    ...init,
    headers: { cookie: `sw_session=${token}`, accept: "text/html", ...init.headers },
  });

/** What a browser without scripts shows of a document: its titles, its headings, and its links. */
function read(html: string) {
  const shown = html.replaceAll(/<(script|template|style)\b[\s\S]*?<\/\1>/g, "");
  const all = (pattern: RegExp) => [...shown.matchAll(pattern)].map(([, one = ""]) => one.replaceAll("&amp;", "&"));
  return {
    titles: all(/<title[^>]*>([^<]*)<\/title>/g),
    headings: all(/<h1[^>]*>([^<]*)<\/h1>/g),
    links: all(/<a [^>]*href="([^"]*)"/g),
    robots: all(/<meta name="robots" content="([^"]*)"/g),
    text: shown,
  };
}

/** What every page has for each person who is signed in. */
const FRAME = ['<main id="main"', 'aria-label="Main"', 'aria-label="Environment"', 'action="/account/sign-out"'];

describe("what does not exist", () => {
  it.each(MISSING)(
    "is answered 404 with a document that says so, whole without scripts: %s",
    async (path, title, back) => {
      const answer = await get(path);
      expect(answer.status).toBe(404);
      const { titles, headings, links, robots } = read(await answer.text());
      expect(titles).toHaveLength(1);
      expect(titles[0]).toMatch(/^(Not found|No such|There is no such|Nothing is here).* · Stopwatch$/);
      expect(headings).toEqual([title]);
      expect(links).toContain(back);
      expect(new Set(robots)).toEqual(new Set(["noindex"]));
    },
  );

  it.each([
    ...[
      "/docs/%zz",
      "/docs/api/%",
      "/schedules/%zz",
      "/schedules/%E0%A4%A/cancel",
      "/keys/%ff/revoke",
      "/_next/%zz",
      "/%zz",
    ],
    ...["/docs/nothing", "/schedules/nonsense"],
  ])("is answered 404 and logged with the id of the answer: %s", async (path) => {
    for (const method of ["GET", "HEAD"]) {
      const answer = await get(path, { method });
      expect([method, answer.status]).toEqual([method, 404]);
      const id = answer.headers.get("x-request-id") ?? "none";
      const [line = ""] = await waitFor("it is logged", () => {
        const lines = harness.web.lines().filter((it) => it.includes(id));
        return lines.length > 0 && lines;
      });
      expect(JSON.parse(line)).toMatchObject({ level: 30, requestId: id, method, status: 404, msg: "no such page" });
    }
  });

  it("keeps the frame of those who are signed in, and has a skip link and landmarks for everybody", async () => {
    for (const [path] of MISSING.filter(([path]) => !path.startsWith("/docs"))) {
      const { text, links } = read(await (await get(path)).text());
      expect(links[0], path).toBe("#main");
      for (const part of FRAME) expect(text, path).toContain(part);
      expect(text, path).toContain(`>${account.id}@example.com<`);
    }
    const { text, links } = read(await (await get("/nothing", { headers: { cookie: "" } })).text());
    expect(links[0]).toBe("#main");
    expect(text).toMatch(/<header[\s\S]*<main id="main"/);
    for (const part of FRAME.slice(1)) expect(text).not.toContain(part);
  });

  it.each(MISSING)("is shown once and with one request, with scripts as without: %s", async (path, title) => {
    for (const scripts of [true, false]) {
      const { page, complaints, close } = await harness.open(account, "/docs", {
        theme: "light",
        width: 1280,
        scripts,
      });
      const documents: string[] = [];
      page.on("request", (request) => {
        const isDocument = request.resourceType() === "document" || request.headers().rsc !== undefined;
        if (isDocument) documents.push(request.url());
      });
      const answer = await page.goto(harness.origin + path, { waitUntil: "networkidle" });
      expect(answer?.status()).toBe(404);
      expect(await page.getByRole("heading", { level: 1 }).allTextContents()).toEqual([title]);
      expect(await page.locator("title").count()).toBe(1);
      expect(documents).toEqual([harness.origin + path]);
      expect(besides(404, complaints)).toEqual([]);
      await close();
    }
  });

  it("passes axe and fits", async () => {
    for (const [path] of [MISSING[0], MISSING[7], MISSING[8], MISSING[12], MISSING[14]]) {
      const { page, complaints, close } = await harness.open(account, path);
      await expectSound(page, besides(404, complaints));
      await close();
    }
  });

  it("is reported by an open page when its script refreshes it", async () => {
    const uuid = await harness.dispatch.schedule(account, "https://example.com/", new Date(Date.now() + 9e6));
    const { page, close } = await harness.open(account, `/schedules/${encodeId("sch", uuid)}`);
    await harness.sql`DELETE FROM schedules WHERE id = ${uuid}`;
    await page.getByRole("heading", { name: "No such schedule here" }).waitFor();
    expect(await page.title()).toBe("No such schedule here · Stopwatch");
    expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
    await close();
  });
});

describe("an installation without administrators", () => {
  it("explains to a signed-in visitor how to name them, on the account page and at the addresses of the admin pages", async () => {
    for (const path of ["/account", "/admin", "/admin/log"]) {
      const { page, close } = await harness.open(account, path, { ...WIDE, scripts: false });
      const words = await page.getByRole("main").textContent();
      expect(words, path).toMatch(/has no administrators? yet/);
      expect(words, path).toContain("ADMIN_EMAILS");
      const how = page.getByRole("main").getByRole("link", { name: "People" });
      expect(await how.getAttribute("href"), path).toBe("/docs/people#administrators");
      await how.click();
      await page.locator("#administrators").waitFor();
      await close();
    }
  });

  it("does not explain it to a signed-out visitor", async () => {
    const answer = await get("/admin", { headers: { cookie: "" } });
    expect([answer.status, await answer.text()]).toEqual([307, expect.not.stringContaining("ADMIN_EMAILS")]);
  });
});

describe("a page that exists", () => {
  it("is answered 200 with one title", async () => {
    for (const path of [
      "/overview",
      "/keys",
      "/schedules/new",
      "/account/delete",
      "/unsubscribe",
      "/docs",
      "/login?error=x",
    ]) {
      const answer = await get(path);
      expect([path, answer.status]).toEqual([path, 200]);
      const { titles } = read(await answer.text());
      expect(titles, path).toHaveLength(1);
      expect(titles[0], path).toMatch(/^[^·]+ · Stopwatch$/);
    }
  });
});

describe("a page of the dashboard with a component that throws", () => {
  it("is answered 500 with a document that says so, whole without scripts, and the log has the error under its request's id", async () => {
    const uuid = await harness.dispatch.schedule(account, "https://example.com/", new Date(Date.now() + 9e6));
    // An instant that no component can format.
    await harness.sql`UPDATE schedules SET created_at = 'infinity' WHERE id = ${uuid}`;
    const path = "/schedules?q=example";
    const answer = await get(path, { headers: { "accept-encoding": "gzip" } });
    const html = await answer.text();
    expect(answer.status).toBe(500);
    const { titles, headings, links, robots, text } = read(html);
    expect([titles, headings]).toEqual([["Not loaded · Stopwatch"], ["This page did not load"]]);
    for (const part of [...FRAME, `${account.id}@example.com`]) expect(text).toContain(part);
    expect(links).toContain(path);
    expect(robots).toEqual(["noindex"]);
    const id = answer.headers.get("x-request-id") ?? "";
    expect(text).toContain(id);
    expect(text).not.toMatch(/RangeError|at async/);
    const failures = await waitFor("it is logged", () => {
      const lines = harness.web.lines().filter((line) => line.includes(id) && line.includes("page failed"));
      return lines.length > 0 && lines;
    });
    expect(failures).toEqual([expect.stringContaining("RangeError")]);
    expect(harness.web.lines().filter((line) => line.includes("Warning"))).toEqual([]);
    for (const scripts of [true, false]) {
      const { page, complaints, close } = await harness.open(account, path, { ...WIDE, scripts });
      expect(await page.getByRole("heading", { level: 1 }).allTextContents()).toEqual(["This page did not load"]);
      expect(besides(500, complaints)).toEqual([]);
      await harness.sql`UPDATE schedules SET created_at = now() WHERE id = ${uuid}`;
      await page.getByRole("link", { name: "Try again" }).click();
      await page.getByRole("heading", { level: 1, name: "Schedules" }).waitFor();
      await harness.sql`UPDATE schedules SET created_at = 'infinity' WHERE id = ${uuid}`;
      await close();
    }
    await harness.sql`UPDATE schedules SET created_at = now() WHERE id = ${uuid}`;
  });
});

describe("while the database is away", () => {
  it("every page of the dashboard is answered 503 with a document that says so, whole without scripts", async () => {
    proxy.set("reset");
    expect(dashboardPaths().length).toBeGreaterThan(30);
    for (const path of dashboardPaths()) {
      const answer = await get(path);
      expect([path, answer.status]).toEqual([path, 503]);
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      const { titles, headings, links, robots, text } = read(await answer.text());
      expect([titles, headings], path).toEqual([["Not loaded · Stopwatch"], ["This page did not load"]]);
      expect(text).toContain(answer.headers.get("x-request-id"));
      expect(text, path).not.toMatch(/ECONN|DatabaseUnavailable|at async/);
      expect(links, path).toContain(path);
      expect(links[0], path).toBe("#main");
      for (const part of FRAME) expect(text, path).toContain(part);
      expect(robots, path).toEqual(["noindex"]);
    }
  });

  it("the public pages that need it are answered 503 with the content that needs no database", async () => {
    proxy.set("reset");
    const [signIn, notices] = await Promise.all([get("/login"), get("/unsubscribe?token=x")]);
    expect([signIn.status, notices.status]).toEqual([503, 503]);
    expect(read(await signIn.text()).text).toContain("Signing in does not work right now.");
    const { headings, titles, links } = read(await notices.text());
    expect([titles, headings]).toEqual([["Not loaded · Stopwatch"], ["This page did not load"]]);
    expect(links).toContain("/unsubscribe?token=x");
  });

  it("a form that was sent without scripts is not lost: the page is reloaded, and it is stored once", async () => {
    const { page, close } = await openForm();
    proxy.set("reset");
    await page.getByRole("main").getByRole("button", { name: "Schedule it" }).last().click();
    await page.getByText("Reload this page to send again what you typed.").waitFor();
    await reachDatabase();
    await page.reload();
    await page.waitForURL(/\/schedules\/sch_\w+$/);
    await close();
  });
});

/** The form of a new schedule without scripts, filled in. */
async function openForm() {
  const look = { ...WIDE, scripts: false } as const;
  const opened = await harness.open(account, "/schedules/new", look);
  await opened.page.getByLabel("URL", { exact: true }).fill("https://example.com/kept");
  return opened;
}

describe("a session that ended", () => {
  it("leads from every page of the dashboard to sign-in and back to that page", async () => {
    for (const path of dashboardPaths()) {
      const answer = await get(path, { headers: { cookie: "sw_session=gone" } });
      expect([path, answer.status]).toEqual([path, 307]);
      const to = new URL(answer.headers.get("location") ?? "", harness.origin);
      expect(to.pathname).toBe("/login");
      expect(to.searchParams.get("redirectTo") ?? "/overview", path).toBe(path);
    }
  });

  it.each([
    ["/keys/new?env=test", "/keys/create"],
    ["/relay", "/relay/save"],
    ["/account", "/account/profile"],
    ["/account/delete", "/account/delete/confirm"],
    ["/account", "/account/sign-out-elsewhere"],
    ["/signing/rotate?env=test", "/signing/rotate/confirm"],
  ])(
    "leads from a form of %s to sign-in, which says that nothing was stored, and back to the form",
    async (page, target) => {
      const answer = await get(target, {
        method: "POST",
        headers: {
          cookie: "sw_session=gone",
          origin: harness.origin,
          referer: harness.origin + page,
          "content-type": "application/x-www-form-urlencoded",
        },
        body: "env=test",
      });
      expect(answer.status).toBe(303);
      const to = new URL(answer.headers.get("location") ?? "", harness.origin);
      expect([to.pathname, to.searchParams.get("error"), to.searchParams.get("redirectTo")]).toEqual([
        "/login",
        "signed_out",
        page,
      ]);
    },
  );

  it("keeps the time that was typed to move a schedule", async () => {
    const uuid = await harness.dispatch.schedule(account, "https://example.com/", new Date(Date.now() + 9e6));
    const path = `/schedules/${encodeId("sch", uuid)}/reschedule`;
    const { page, token: own, close } = await harness.open(account, path);
    await page
      .getByLabel(/in words/i)
      .or(page.locator("[name=words]"))
      .first()
      .fill("in 3h");
    await page.context().clearCookies({ name: "sw_session" });
    await page.getByRole("button", { name: "Move it" }).click();
    await page.getByText("You were signed out.").waitFor();
    const back = new URL(page.url()).searchParams.get("redirectTo") ?? "";
    await page.context().addCookies([{ name: "sw_session", value: own, url: harness.origin }]);
    await page.goto(harness.origin + back);
    await page.getByText("You were signed out. Press again.").waitFor();
    expect(await page.locator("[name=words]").inputValue()).toBe("in 3h");
    await close();
  });

  it("loses nothing of a form without scripts: after signing in elsewhere the page is reloaded, and it is stored once", async () => {
    const { page, token: own, close } = await openForm();
    const before = await countOf();
    await page.context().clearCookies({ name: "sw_session" });
    await page.getByRole("main").getByRole("button", { name: "Schedule it" }).last().click();
    await page.getByRole("heading", { name: "You are signed out" }).waitFor();
    expect(await countOf()).toBe(before);
    await page.context().addCookies([{ name: "sw_session", value: own, url: harness.origin }]);
    await page.reload();
    await page.waitForURL(/\/schedules\/sch_\w+$/);
    expect(await countOf()).toBe(before + 1);
    await close();
  });
});

async function countOf(): Promise<number> {
  const [row] = await harness.sql`SELECT count(*)::integer AS n FROM schedules WHERE account_id = ${account.id}`;
  return row?.n;
}
