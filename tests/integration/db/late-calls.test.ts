import postgres from "postgres";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { connect, type Database, DatabaseUnavailable } from "#db/client.ts";
import { type DatabaseProxy, startProxy } from "#scripts/lab/proxy.ts";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const NAME = "late-calls";

let database: TestDatabase;
let proxy: DatabaseProxy;
let admin: postgres.Sql;
let connection: Database;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = postgres(database.url, { max: 1, onnotice: () => {} });
  proxy = await startProxy(Number(new URL(database.url).port));
});
afterEach(() => connection.close());
afterAll(async () => {
  await proxy.close();
  await admin.end();
  await database.drop();
});

function open(connectionsMax: number): Database {
  const url = new URL(database.url);
  url.port = String(proxy.port);
  connection = connect({ url: url.href, name: NAME, connectionsMax, cancelsLate: true });
  return connection;
}

const sleep = (seconds: number, deadlineMs: number) =>
  connection.run(deadlineMs, ({ sql }) => sql`SELECT pg_sleep(${seconds}::float8), pg_backend_pid() AS pid`);
const pid = () => connection.run(2_000, async ({ sql }) => (await sql`SELECT pg_backend_pid() AS pid`)[0]?.pid);
const activeSleeps = async () =>
  (await admin`SELECT pid FROM pg_stat_activity WHERE application_name = ${NAME} AND state = 'active'`).length;

describe("a database call that exceeds its timeout", () => {
  it("has its statement cancelled while other calls go on, on the existing connections", async () => {
    open(2);
    const [kept] = await Promise.all([sleep(1.5, 5_000), sleep(20, 500).catch((error) => error)]);
    expect(kept).toHaveLength(1);
    expect(await activeSleeps()).toBe(0);
    const pids = await admin`SELECT pid FROM pg_stat_activity WHERE application_name = ${NAME}`;
    expect(pids).toHaveLength(2);
    for (let n = 0; n < 4; n++) expect(pids.map((row) => row.pid)).toContain(await pid());
  });

  it("is DatabaseUnavailable soon after its timeout", async () => {
    open(1);
    const sinceMs = performance.now();
    await expect(sleep(20, 300)).rejects.toThrow(DatabaseUnavailable);
    expect(performance.now() - sinceMs).toBeLessThan(2_000);
  });

  it("is rolled back in a transaction, and starts no further statement", async () => {
    open(1);
    await admin`CREATE TABLE IF NOT EXISTS noted (n integer)`;
    const late = connection.run(300, ({ sql }) =>
      sql.begin(async (tx) => {
        await tx`INSERT INTO noted VALUES (1)`;
        await tx`SELECT pg_sleep(20)`.catch(() => {});
        await tx`INSERT INTO noted VALUES (2)`;
      }),
    );
    await expect(late).rejects.toThrow(DatabaseUnavailable);
    await waitFor("the connection is free", pid);
    expect(await admin`SELECT n FROM noted`).toEqual([]);
  });

  it("starts no further statement outside a transaction either", async () => {
    open(1);
    let second: unknown;
    const late = connection.run(300, async ({ sql }) => {
      await sql`SELECT pg_sleep(20)`.catch(() => {});
      // A fragment of a query, which is never awaited.
      const two = sql`2`;
      second = await sql`SELECT ${two}`.catch((error: unknown) => error);
    });
    await expect(late).rejects.toThrow(DatabaseUnavailable);
    await waitFor("the second was refused", () => second);
    expect(String(second)).toContain(`did not answer within 300 ms (${NAME})`);
  });

  it("on a connection that went silent does not affect other calls, and the next call gets a new connection", async () => {
    open(2);
    await Promise.all([sleep(0.2, 2_000), sleep(0.2, 2_000)]);
    proxy.set("black hole", (nth) => nth === 0);
    proxy.set("pass");
    const calls = [sleep(1, 3_000), sleep(1, 3_000), sleep(20, 200)];
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.some(({ status }) => status === "fulfilled")).toBe(true);
    await waitFor("a call is answered", () => pid().catch(() => false));
    for (let n = 0; n < 4; n++) expect(await pid()).toBeGreaterThan(0);
  });
});
