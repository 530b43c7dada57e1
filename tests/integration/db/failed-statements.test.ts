import type { Writable } from "node:stream";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Sql } from "#db/client.ts";
import { openDriver } from "#db/driver.ts";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";
import { waitFor } from "../../helpers/wait-for.ts";

let database: TestDatabase;
let admin: Sql;
/** One connection, so that every statement follows another. */
let sql: Sql;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = postgres(database.url, { max: 1, onnotice: () => {} });
});
beforeEach(() => {
  sql = openDriver(database.url, { max: 1, fetch_types: false, connection: { application_name: NAME } });
});
afterEach(() => sql.end({ timeout: 0 }));
afterAll(async () => {
  await admin.end();
  await database.drop();
});

const NAME = "failed-statements";
const ROWS = [{ n: 1 }, { n: 2 }, { n: 3 }];
const threeRows = (db: postgres.ISql = sql) => db`SELECT n FROM generate_series(1, 3) n`;

/** The server sends some thousand rows, and then the error instead of the row that divides by zero. */
const failing = (db: postgres.ISql = sql) => db`SELECT 1 / (n - 4000) FROM generate_series(1, 5000) n`;

/** Calls `cancel` while the rows arrive, which takes minutes. The server sends the first after 0.3 s. */
async function cancelled(cancel: (query: { cancel(): void }) => unknown) {
  const query = sql`SELECT n, pg_sleep(0.001) FROM generate_series(1, 100000) n`;
  const timer = setTimeout(() => cancel(query), 700);
  return query.finally(() => clearTimeout(timer));
}

const FAILURES: [string, () => Promise<unknown>][] = [
  ["without parameters", () => failing()],
  ["with a parameter", () => sql`SELECT 1 / (n - ${4_000}::integer) FROM generate_series(1, 5000) n`],
  ["that is not prepared", () => sql.unsafe("SELECT 1 / (n - $1) FROM generate_series(1, 5000) n", [4_000])],
  ["read as values", () => failing().values()],
  ["with another before it", () => sql.unsafe("SELECT 1; SELECT 1 / (n - 4000) FROM generate_series(1, 5000) n")],
  ["read row by row", () => failing().forEach(() => {})],
  ["read by a cursor", () => failing().cursor(150, () => {})],
  ["read by a cursor whose reader fails", () => failing().cursor(150, () => Promise.reject(new Error("enough")))],
  ["with a value that its parser refuses", () => sql`SELECT '{'::json FROM generate_series(1, 5000) n`],
  ["in a transaction", () => sql.begin((tx) => failing(tx))],
  ["in a savepoint", () => sql.begin((tx) => tx.savepoint((point) => failing(point)))],
  ["that is cancelled by its caller", () => cancelled((query) => query.cancel())],
  [
    "that is cancelled by the server",
    () =>
      cancelled(() =>
        admin`SELECT pg_cancel_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = ${NAME}`.execute(),
      ),
  ],
];

describe.each(FAILURES)("after a statement %s failed when rows had arrived", (_kind, fail) => {
  it("the next one on its connection gets its own rows and no others", async () => {
    await expect(fail()).rejects.toThrow();
    expect([...(await threeRows())]).toEqual(ROWS);
  });

  it("one that was sent before the failure gets its own rows and no others", async () => {
    await threeRows();
    const [failed, next] = await Promise.allSettled([fail(), threeRows()]);
    expect(failed.status).toBe("rejected");
    expect(next).toMatchObject({ status: "fulfilled", value: ROWS });
  });
});

it("within a transaction, a savepoint that failed when rows had arrived leaves the next statement its own rows", async () => {
  const rows = await sql.begin(async (tx) => {
    await tx.savepoint((point) => failing(point)).catch(() => {});
    return threeRows(tx);
  });
  expect([...rows]).toEqual(ROWS);
});

const numbered = (n: number, seconds = 0) => sql`SELECT ${n}::integer AS n FROM pg_sleep(${seconds})`;

/** The number that each statement got, or "failed". */
async function outcomesOf(statements: Promise<unknown>[]) {
  const outcomes = await Promise.allSettled(statements);
  return outcomes.map((outcome) =>
    outcome.status === "fulfilled" ? (outcome.value as { n: number }[])[0]?.n : "failed",
  );
}

const UNSENDABLE: [string, () => Promise<unknown>][] = [
  ["lacks a value", () => sql`SELECT ${undefined as never}::integer`],
  ["has a value that cannot be written", () => sql`SELECT ${new Date(Number.NaN)}::timestamptz`],
  ["has too many values", () => sql`SELECT 1 WHERE 1 IN ${sql(Array.from({ length: 65_534 }, (_, n) => n))}`],
];

describe.each(UNSENDABLE)("a statement that %s", (_kind, send) => {
  it("fails alone: those before and after it on its connection get their own rows", async () => {
    await numbered(0);
    await send().catch(() => {});
    expect(await outcomesOf([numbered(1, 0.05), send(), numbered(2), send(), numbered(3)])).toEqual([
      1,
      "failed",
      2,
      "failed",
      3,
    ]);
    expect([...(await threeRows())]).toEqual(ROWS);
  });
});

it("a statement that is cancelled while it waits for another fails alone", async () => {
  await numbered(0);
  const cancelledOnce = async () => {
    const first = numbered(1, 0.2).execute();
    const second = numbered(2, 1).execute();
    const others = [numbered(3).execute(), numbered(4).execute()];
    await admin`SELECT 1`;
    second.cancel();
    return outcomesOf([first, second, ...others]);
  };
  // PostgreSQL ignores a cancel that comes between two statements, so that this one then returns its number.
  const tries = [await cancelledOnce()];
  while (tries.at(-1)?.[1] === 2 && tries.length < 10) tries.push(await cancelledOnce());
  const ignored = tries.slice(0, -1).map(() => [1, 2, 3, 4]);
  expect(tries).toEqual([...ignored, [1, "failed", 3, 4]]);
});

it("rows that the server refuses to copy are not reported as copied, whatever statement comes next", async () => {
  await sql`CREATE TABLE copied (n integer)`;
  const stream: Writable = await sql`COPY copied FROM STDIN`.writable();
  const ended = new Promise((resolve) => stream.on("error", resolve).on("finish", () => resolve("copied")));
  stream.end("not a number\n");
  await waitFor("the next statement", () => threeRows().catch(() => undefined));
  expect(String(await ended)).toMatch(/invalid input syntax/);
});
