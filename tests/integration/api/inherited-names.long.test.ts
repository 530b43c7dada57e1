// Guards: app/**, contract/inputs/**, server/lists/**, pages/**
import { globSync, readFileSync } from "node:fs";
import postgres from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseKeyRing } from "#domain/cipher.ts";
import { FILTER_NAMES } from "#domain/filters.ts";
import { createTestDatabase, type TestDatabase } from "#tests/helpers/database.ts";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";
import { startWebProcess, type WebProcess } from "#tests/helpers/web-process.ts";
import { type PageToOpen, pagesToOpen } from "#tests/pages/routes.ts";
import { ADMIN, beat, seedPages } from "#tests/pages/seed.ts";

let database: TestDatabase;
let web: WebProcess;
let sql: postgres.Sql;
let pages: PageToOpen[];
let sessions: Record<PageToOpen["as"], string | undefined>;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = postgres(database.url, { max: 2, onnotice: () => {} });
  const accounts = await seedPages(sql, parseKeyRing(ENCRYPTION_KEYS));
  await beat(sql);
  pages = pagesToOpen(accounts);
  sessions = {
    nobody: undefined,
    owner: accounts.owner.session,
    newcomer: accounts.newcomer.session,
    admin: accounts.admin.session,
  };
  web = await startWebProcess({
    DATABASE_URL: database.url,
    ENCRYPTION_KEYS,
    ADMIN_EMAILS: ADMIN,
    PLANS: '{"free":{"requestsPerMinute":100000},"indie":{"requestsPerMinute":100000}}',
    TRUSTED_PROXIES: "127.0.0.1",
  });
});
afterAll(async () => {
  await web?.stop();
  await sql?.end({ timeout: 2 });
  await database?.drop();
});

/** Names that every object literal inherits. */
const INHERITED = ["__proto__", "constructor", "toString", "valueOf", "hasOwnProperty"];

/** Every query parameter that a page reads, itself or as a filter of its list. */
const PARAMETERS = [
  ...new Set(
    globSync(["app/**/*.{ts,tsx}", "server/lists/*.ts"]).flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/\b[pP]arams\??\.(\w+)/g)].map(([, read = ""]) => read),
    ),
  ),
  ...FILTER_NAMES,
];

let caller = 0;

async function statusOf({ as, path }: PageToOpen, query: Record<string, string>, cookies: readonly string[] = []) {
  const url = new URL(path, web.origin);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const session = sessions[as];
  const cookie = [...(session ? [`sw_session=${session}`] : []), ...cookies].join("; ");
  const address = `10.0.${(caller >> 8) & 255}.${caller++ & 255}`;
  const answer = await fetch(url, { redirect: "manual", headers: { cookie, "x-forwarded-for": address } });
  await answer.text();
  return answer.status;
}

it.each(INHERITED)(
  "no page fails when the inherited name %s is the value of a query parameter, of all of them, or of a cookie",
  async (name) => {
    expect(PARAMETERS).toEqual(expect.arrayContaining(["error", "status", "range", "period", "wrong", "page", "host"]));
    const failed: string[] = [];
    const check = async (page: PageToOpen, query: Record<string, string>, cookies: readonly string[] = []) => {
      const status = await statusOf(page, query, cookies);
      if (status >= 500 || status === 429) failed.push(`${status} ${page.path} ${JSON.stringify(query)} ${cookies}`);
    };
    const first = new Map(pages.map((page) => [page.path.split("?", 1)[0], page]));
    for (const page of first.values()) {
      const path = page.path.split("?", 1)[0] ?? "";
      const flash = `flash=${new URLSearchParams({ result: name, id: name, clamped: name, at: path })}`;
      const others = ["theme", "times", "zone", "next", "hand_over"].map((cookie) => `${cookie}=${name}`);
      await check(page, { error: name });
      await check(page, { failed: name, typed: "1", [name]: name });
      await check(page, Object.fromEntries(PARAMETERS.map((parameter) => [parameter, name])));
      await check(page, {}, [flash, ...others]);
      if (path === "/relay")
        await check(page, {}, [`flash=${new URLSearchParams({ result: "saved", clamped: name, at: path })}`]);
    }
    expect(failed).toEqual([]);
  },
);
