// Guards: server/edge/**, server/http/**, server/counters/**, server/rate-limit/**, app/**/route.ts, domain/load-ahead.ts
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";
import { startWebProcess, type WebProcess } from "#tests/helpers/web-process.ts";
import { withinOneMinute } from "#tests/helpers/within-one-minute.ts";
import { type Api, startApi } from "./api.ts";

let api: Api;
let web: WebProcess;

const LIMIT = 12;
const AHEAD = { headers: { "sec-purpose": "prefetch" } };
let origin: string;

beforeAll(async () => {
  api = await startApi();
  web = await startWebProcess({
    DATABASE_URL: api.config.databaseUrl,
    ENCRYPTION_KEYS,
    PLANS: `{"free":{"requestsPerMinute":${LIMIT}}}`,
  });
  origin = `http://localhost:${web.port}`;
});
afterAll(async () => {
  await web?.stop();
  await api.stop();
});

/** A new account that has used up its requests of this minute with its pages, and what asks in its name. */
async function exhausted() {
  const caller = await api.account();
  const { cookie } = await api.session(caller.accountId);
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { cookie, ...(init.headers as Record<string, string>) };
    const answer = await fetch(`${web.origin}${path}`, { redirect: "manual", ...init, headers });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const statuses: number[] = [];
  for (let n = 0; n < LIMIT; n++) statuses.push((await ask(n % 2 ? "/keys" : "/usage")).status);
  expect(statuses).toEqual(Array.from({ length: LIMIT }, () => 200));
  // While the database is slow, a counter may allow a few more.
  await waitFor("the limit is reached", async () => (await ask("/keys")).status === 429);
  return { caller, ask };
}

describe("an account whose pages have used up its requests of a minute", () => {
  it("gets a page that explains the limit, with 429 and Retry-After, and its API calls get 429, too", async () => {
    await withinOneMinute(api.sql, async () => {
      const { caller, ask } = await exhausted();
      const page = await ask("/keys");
      expect(page.status).toBe(429);
      expect(Number(page.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(page.text).toContain(`This account is limited to ${LIMIT} requests per minute.`);
      const call = () => fetch(`${web.origin}/v1/schedules`, { headers: { authorization: `Bearer ${caller.live}` } });
      // The routes' bundle has a counter of its own, which may allow one before it asks the database.
      await call();
      expect((await call()).status).toBe(429);
    });
  });

  it("gets 429, Retry-After and a page with the typed fields when it sends a form, which changes nothing", async () => {
    await withinOneMinute(api.sql, async () => {
      const { caller, ask } = await exhausted();
      const post = (path: string, fields: Record<string, string>) =>
        ask(path, { method: "POST", body: new URLSearchParams(fields), headers: { origin } });
      // As above, the first one may still be admitted. It is invalid.
      await post("/keys/create", {});
      const created = await post("/keys/create", { name: "new", kind: "live" });
      const started = await post("/schedules/start", { action: "cancel", all: "1" });
      for (const { status, headers, text } of [created, started]) {
        expect(status).toBe(429);
        expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
        expect(text).toContain(`Nothing was changed. This account is limited to ${LIMIT} requests per minute.`);
        // The style sheet is in the page, and runs under the policy of the HTTP guard.
        const nonce = /'nonce-([^']+)'/.exec(headers.get("content-security-policy") ?? "")?.[1];
        expect(text).toContain(`<style nonce="${nonce}">`);
      }
      expect(created.text).toContain('<input type="hidden" name="name" value="new">');
      const [{ keys } = { keys: -1 }] = await api.sql`
        SELECT count(*)::integer AS keys FROM api_keys WHERE account_id = ${caller.accountId} AND name = 'new'`;
      expect(keys).toBe(0);
    });
  });

  it("can still poll for new log entries and refresh an open page, which have a limit of their own", async () => {
    await withinOneMinute(api.sql, async () => {
      const { ask } = await exhausted();
      const since = new Date(Date.now() - 60_000).toISOString();
      for (let n = 0; n < LIMIT + 5; n++) {
        expect((await ask(`/logs/newer?since=${since}`)).status).toBe(200);
      }
      const renewed = await ask("/keys", { headers: { rsc: "1" }, redirect: "follow" });
      expect([renewed.status, renewed.headers.get("content-type")]).toEqual([200, "text/x-component"]);
      expect(renewed.text).not.toContain("This account is limited");
    });
  });

  it("loads nothing ahead any more", async () => {
    await withinOneMinute(api.sql, async () => {
      const { ask } = await exhausted();
      expect((await ask("/usage", AHEAD)).status).toBe(429);
    });
  });

  it("can still sign out", async () => {
    await withinOneMinute(api.sql, async () => {
      const { ask } = await exhausted();
      const out = await ask("/account/sign-out", { method: "POST", headers: { origin } });
      expect([out.status, out.headers.get("location")]).toEqual([303, "/login"]);
    });
  });
});

describe("pages that a browser loads ahead", () => {
  it("use up none of the account's requests, and are at most 60 a minute", async () => {
    await withinOneMinute(api.sql, async () => {
      const { cookie } = await api.session((await api.account()).accountId);
      const ask = async (headers: Record<string, string> = {}) =>
        (await fetch(`${web.origin}/usage`, { headers: { cookie, ...headers } })).status;
      for (let n = 0; n < 2 * LIMIT; n++) expect(await ask(AHEAD.headers)).toBe(200);
      for (let n = 0; n < LIMIT; n++) expect(await ask()).toBe(200);
    });
    await withinOneMinute(api.sql, async () => {
      const { cookie } = await api.session((await api.account()).accountId);
      const statuses: number[] = [];
      for (let n = 0; n < 70; n++) {
        statuses.push((await fetch(`${web.origin}/usage`, { headers: { cookie, ...AHEAD.headers } })).status);
      }
      expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(66);
      expect(statuses.at(-1)).toBe(429);
    });
  });

  it("are never those that sign in, confirm, unsubscribe or act: these are 503 and nothing is done for them", async () => {
    const { cookie } = await api.session((await api.account()).accountId);
    const paths = [
      "/login",
      "/login/confirm?token=x&email=a%40example.com",
      "/unsubscribe?token=x",
      "/account",
      "/keys/new",
    ];
    for (const path of [
      ...paths,
      "/v1/auth/oauth/github/start",
      "/account/sign-out",
      "/schedules/confirm?action=cancel&all=1",
    ]) {
      const answer = await fetch(web.origin + path, { headers: { cookie, ...AHEAD.headers }, redirect: "manual" });
      expect([path, answer.status, answer.headers.get("set-cookie"), await answer.text()]).toEqual([
        path,
        503,
        null,
        "",
      ]);
    }
  });

  it("are dropped with the answer to each form", async () => {
    const { cookie } = await api.session((await api.account()).accountId);
    const answer = await fetch(`${web.origin}/preferences`, {
      method: "POST",
      headers: { cookie, origin },
      body: new URLSearchParams({ times: "utc" }),
      redirect: "manual",
    });
    expect(answer.headers.get("clear-site-data")).toBe('"prefetchCache", "prerenderCache"');
  });
});
