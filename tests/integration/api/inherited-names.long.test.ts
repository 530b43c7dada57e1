// Guards: app/**, contract/inputs/**, server/lists/**, pages/**
import { globSync, readFileSync } from "node:fs";
import postgres from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseKeyRing } from "#domain/cipher.ts";
import { FILTER_NAMES } from "#domain/filters.ts";
import { createTestDatabase, type TestDatabase } from "#tests/helpers/database.ts";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";
import { pairwise } from "#tests/helpers/pairwise.ts";
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

type Ways = Record<string, (name: string, path: string) => { query?: Record<string, string>; cookies?: string[] }>;

/** Where a page meets the name of a caller's choice. */
const WAYS: Ways = {
  "of the error": (name) => ({ query: { error: name } }),
  "of a failure, and as a name": (name) => ({ query: { failed: name, typed: "1", [name]: name } }),
  "of all parameters": (name) => ({ query: Object.fromEntries(PARAMETERS.map((parameter) => [parameter, name])) }),
  "of every cookie": (name, path) => ({
    cookies: [
      `flash=${new URLSearchParams({ result: name, id: name, clamped: name, at: path })}`,
      ...["theme", "times", "zone", "next", "hand_over"].map((cookie) => `${cookie}=${name}`),
    ],
  }),
  "of what a flash says of a known result": (name, path) => ({
    cookies: [`flash=${new URLSearchParams({ result: "saved", clamped: name, at: path })}`],
  }),
};

it("no page fails when an inherited name is the value of a query parameter, of all of them, or of a cookie", async () => {
  expect(PARAMETERS).toEqual(expect.arrayContaining(["error", "status", "range", "period", "wrong", "page", "host"]));
  const failed: string[] = [];
  const pathOf = ({ path }: PageToOpen) => path.split("?", 1)[0] ?? "";
  const first = [...new Map(pages.map((page) => [pathOf(page), page])).values()];
  for (const { page, name, way } of pairwise({ page: first, name: INHERITED, way: Object.keys(WAYS) })) {
    const { query = {}, cookies = [] } = WAYS[way]?.(name, pathOf(page)) ?? {};
    const status = await statusOf(page, query, cookies);
    if (status >= 500 || status === 429) failed.push(`${status} ${page.path} ${JSON.stringify(query)} ${cookies}`);
  }
  expect(failed).toEqual([]);
});
