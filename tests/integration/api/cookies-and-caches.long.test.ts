// Guards: app/**, server/auth/**, server/sign-in/**, server/http/**, server/routes/**, server/edge/**, proxy.ts, pages/**
// Final: its verdict is about what a cache may keep.
import { globSync } from "node:fs";
import { extname } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseKeyRing } from "#domain/cipher.ts";
import { generateSessionToken } from "#domain/session-token.ts";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";
import { startWebProcess, type WebProcess } from "#tests/helpers/web-process.ts";
import { pagesToOpen } from "#tests/pages/routes.ts";
import { ADMIN, beat, type SeededAccount, seedPages } from "#tests/pages/seed.ts";
import { type Api, startApi, type TestSession } from "./api.ts";

let api: Api;
let web: WebProcess;
/** The addresses of the SDK that never change. */
let packages: string[];
let accounts: Record<"owner" | "newcomer" | "admin", SeededAccount>;

beforeAll(async () => {
  api = await startApi();
  accounts = await seedPages(api.sql, parseKeyRing(ENCRYPTION_KEYS));
  await beat(api.sql);
  web = await startWebProcess({
    DATABASE_URL: api.config.databaseUrl,
    ENCRYPTION_KEYS,
    ADMIN_EMAILS: ADMIN,
    TRUSTED_PROXIES: "127.0.0.1",
    PLANS: JSON.stringify({ free: { requestsPerMinute: 1_000_000 }, indie: { requestsPerMinute: 1_000_000 } }),
  });
  packages = await Promise.all(["/sdk.tgz", "/sdk/index.js", "/cli.tgz"].map(redirectOf));
});
afterAll(async () => {
  await web?.stop();
  await api?.stop();
});

beforeEach(() => {
  wrong.length = 0;
});

const ID = "0".repeat(26);

/** Three of each type of the files that the build serves under names made from their content, all by the same code. */
const assets = () =>
  [...Map.groupBy(globSync(".next/static/**/*.*"), (file) => extname(file)).values()].flatMap((files) =>
    files.slice(0, 3).map((file) => `/_next/${file.slice(".next/".length)}`),
  );

async function redirectOf(path: string): Promise<string> {
  const { headers } = await fetch(`${web.origin}${path}`, { redirect: "manual" });
  return headers.get("location") ?? "";
}

/** What Next.js serves from files of app/ that are no pages. */
const METADATA = [
  "/robots.txt",
  "/sitemap.xml",
  "/icon.svg",
  "/apple-icon.png",
  "/opengraph-image.png",
  "/favicon.ico",
];

/** Every route handler of app/, by its address. */
const handlers = () =>
  globSync("app/**/route.ts").map((file) =>
    file
      .slice("app".length, -"/route.ts".length)
      .replaceAll(/\/\([^)]*\)/g, "")
      .replace("/[[...path]]", "/nothing")
      .replace("sdk/[...path]", "sdk/index.js")
      .replace("cli/[...path]", "cli/stopwatch.js")
      .replace("[provider]", "github")
      .replace("docs/markdown/[page]", "docs/states.md")
      .replace("schedules/[id]", `schedules/${accounts.owner.schedules.scheduled}`)
      .replace("[id]", ID),
  );

type Viewer = keyof typeof accounts;
type Address = { path: string; viewer: Viewer; isDashboard: boolean };

const addresses = (): Address[] => [
  ...pagesToOpen(accounts).map(({ path, as }) => ({
    path,
    viewer: as === "nobody" ? ("owner" as const) : as,
    isDashboard: as !== "nobody",
  })),
  ...[...handlers(), ...packages, ...METADATA, "/nothing", "/_next/static/nothing.js"].map((path) => other(path)),
  ...assets().map((path) => other(path)),
];

const other = (path: string): Address => ({ path, viewer: "owner", isDashboard: false });

/** A session that its next use renews. */
const renewable = (viewer: Viewer): Promise<TestSession> => api.session(accounts[viewer].id, { ageDays: 3 });

/** Pages for everybody that show who is signed in, or send them on. */
const LOOKED_UP = ["/login", "/nothing", "/no-such-page", "/favicon.ico", "/_next/static/nothing.js"];

const HTML = { accept: "text/html,application/xhtml+xml" };

let callers = 0;

/** Each request comes from a network of its own, so that none of them is limited. */
async function ask(path: string, headers: Record<string, string>, init: RequestInit = {}) {
  const from = { "x-forwarded-for": `10.1.${(callers >> 8) & 255}.${callers++ & 255}` };
  const answer = await fetch(`${web.origin}${path}`, { redirect: "manual", headers: { ...headers, ...from }, ...init });
  await answer.arrayBuffer();
  const cookies = answer.headers.getSetCookie();
  const cacheControl = answer.headers.get("cache-control") ?? "";
  if (cookies.length > 0 && (!/\bno-store\b/.test(cacheControl) || answer.status === 304)) {
    wrong.push(`${init.method ?? "GET"} ${path}: ${answer.status}, ${cacheControl}, ${cookies.join(" | ")}`);
  }
  return { status: answer.status, headers: answer.headers, cookies, cacheControl };
}

/** Answers that set a cookie and may be kept. */
const wrong: string[] = [];

async function forEach<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const next = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: 6 }, next));
}

describe("every address of the built app", () => {
  it("that sets a cookie is no-store, for every caller and every kind of request", async () => {
    expect(new Set(assets().map((path) => extname(path)))).toEqual(new Set([".css", ".js", ".png", ".svg", ".woff2"]));
    await forEach(addresses(), async ({ path, viewer }) => {
      const cookie = async () => (await renewable(viewer)).cookie;
      await ask(path, HTML);
      const { headers } = await ask(path, { ...HTML, cookie: await cookie() });
      await ask(path, { accept: "*/*", cookie: await cookie() });
      await ask(path, { ...HTML, cookie: await cookie() }, { method: "HEAD" });
      await ask(path, { ...HTML, rsc: "1", cookie: await cookie() });
      const [plain] = path.split("?");
      await ask(path, { ...HTML, cookie: `flash=result=saved&at=${plain}; ${await cookie()}` });
      await ask(path, { ...HTML, cookie: `flash=result=saved&at=${plain}&shown=1` });
      await ask(path, { ...HTML, cookie: `${await cookie()}; ${(await renewable("newcomer")).cookie}` });
      const etag = headers.get("etag");
      if (etag) await ask(path, { ...HTML, "if-none-match": etag, cookie: await cookie() });
    });
    expect(wrong).toEqual([]);
  }, 600_000);

  it("that a cache may keep sets no cookie, also for a signed-in visitor", async () => {
    let kept = 0;
    await forEach(addresses(), async ({ path, viewer }) => {
      const { cookie } = await renewable(viewer);
      const [plain] = path.split("?");
      const { cookies, cacheControl } = await ask(path, {
        ...HTML,
        cookie: `${cookie}; flash=result=saved&at=${plain}`,
      });
      if (/\bno-store\b/.test(cacheControl)) return;
      expect(cookies, path).toEqual([]);
      kept++;
    });
    expect(kept).toBeGreaterThan(20);
  }, 600_000);

  it("renews the cookie of a session exactly when it looked the session up", async () => {
    await forEach(
      addresses().filter(({ path }) => !path.startsWith("/v1/") && path !== "/logs/newer"),
      async ({ path, viewer, isDashboard }) => {
        const { cookie } = await renewable(viewer);
        const { cookies } = await ask(path, { ...HTML, cookie });
        const renewed = cookies.filter((one) => one.startsWith(`${cookie};`));
        expect(renewed.length, path).toBe(isDashboard || LOOKED_UP.includes(path) ? 1 : 0);
      },
    );
  }, 600_000);

  it("with sessions of two accounts shows nothing of either, and clears the cookies where it looks them up", async () => {
    const bySession = new Set(["/login", "/logs/newer"]);
    await forEach(addresses(), async ({ path, viewer, isDashboard }) => {
      const [one, two] = [await renewable(viewer), await renewable("newcomer" === viewer ? "owner" : "newcomer")];
      const { status, cookies, headers } = await ask(path, { ...HTML, cookie: `${one.cookie}; ${two.cookie}` });
      if (isDashboard) {
        expect(status, path).toBe(307);
        expect(headers.get("location"), path).toMatch(/^\/login(\?redirectTo=|$)/);
      }
      expect(JSON.stringify(cookies), path).not.toMatch(/sw_session=[\w-]/);
      if (isDashboard || bySession.has(path) || status === 401)
        expect(cookies[0] ?? "", `${path} ${status}`).toMatch(/^sw_session=; Path=\//);
    });
  }, 600_000);

  it("never sends back a token that belongs to no session", async () => {
    await forEach(addresses(), async ({ path }) => {
      const token = generateSessionToken();
      const { headers } = await ask(path, { ...HTML, cookie: `sw_session=${token}` });
      expect(JSON.stringify([...headers]), path).not.toContain(token);
    });
  }, 600_000);

  it("that a form or a call is sent to is no-store when it sets a cookie", async () => {
    const origin = `http://localhost:${web.port}`;
    await forEach(handlers(), async (path) => {
      const { accountId } = await api.account();
      const { cookie } = await api.session(accountId, { ageDays: 3 });
      const type = path.startsWith("/v1/") ? "application/json" : "application/x-www-form-urlencoded";
      const body = path.startsWith("/v1/") ? "{}" : "did=x&name=x&keyEnv=test&theme=dark&times=local&env=live";
      for (const method of ["POST", "DELETE", "PATCH"]) {
        await ask(path, { ...HTML, origin, cookie, "content-type": type }, { method, body });
      }
    });
    expect(wrong).toEqual([]);
  }, 600_000);
});
