// Guards: db/client*.ts, db/driver.ts, patches/**
// Final: its verdict is about whose rows a caller gets, and what is stored.
import postgres from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { connect, type Database, DatabaseUnavailable } from "#db/client.ts";
import { type DatabaseProxy, startProxy } from "#scripts/lab/proxy.ts";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";
import { waitFor } from "../../helpers/wait-for.ts";

/** Far longer than a call takes, reconnecting included. */
const DEADLINE_MS = 5_000;
const CUTS = 40;
const CALLERS = 6;
const NAME = "cut-connections";

let database: TestDatabase;
let proxy: DatabaseProxy;
let admin: postgres.Sql;
let proxied: string;
/** Errors of calls that are not about a lost connection. */
let faults: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  admin = postgres(database.url, { max: 1, onnotice: () => {} });
  await admin`CREATE TABLE halves (id integer, half integer)`;
  const url = new URL(database.url);
  proxy = await startProxy(Number(url.port));
  url.port = String(proxy.port);
  proxied = url.href;
});
afterAll(async () => {
  await proxy.close();
  await admin.end();
  await database.drop();
});
beforeEach(async () => {
  faults = [];
  await admin`TRUNCATE halves`;
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

type Call = (connection: Database, id: number) => Promise<void>;

/**
 * A statement of each write size: one that waits for the next turn of the event loop, and one that is written at once.
 */
const oneRow: Call = (connection, id) =>
  connection.run(DEADLINE_MS, async ({ sql }) => {
    const [row] = await sql`SELECT ${id}::integer AS id, ${"x".repeat(id % 2 === 0 ? 10 : 1_200)}::text AS filler`;
    if (row?.id !== id) faults.push(`call ${id} got ${JSON.stringify(row?.id)}`);
  });

/** An answer in many chunks, so that a cut may fall between two rows. */
const manyRows: Call = (connection, id) =>
  connection.run(DEADLINE_MS, async ({ sql }) => {
    const rows = await sql`
      SELECT n AS id, repeat('x', 200) AS filler FROM generate_series(${id}::integer, ${id + 999}::integer) n`;
    const isWhole = rows.length === 1_000 && rows[0]?.id === id && rows[999]?.id === id + 999;
    if (!isWhole) faults.push(`call ${id} got ${rows.length} rows from ${rows[0]?.id}`);
  });

const twoHalves: Call = (connection, id) =>
  connection.run(DEADLINE_MS, ({ sql }) =>
    sql.begin(async (tx) => {
      await tx`INSERT INTO halves VALUES (${id}, 1)`;
      for (let turns = id % 5; turns > 0; turns--) await turn();
      await tx`INSERT INTO halves VALUES (${id}, 2)`;
    }),
  ) as Promise<never>;

/**
 * Cuts the connections of busy callers, each time some turns of the event loop later, until a call fails that must not
 * fail.
 */
async function cutAtManyMoments(calls: Call[], cut: () => Promise<unknown>) {
  const connection = connect({ url: proxied, name: NAME, connectionsMax: 2 });
  let ids = 0;
  const call = async (nth = ids): Promise<boolean> => {
    try {
      await (calls[nth % calls.length] as Call)(connection, ++ids);
      return true;
    } catch (error) {
      const cause = error instanceof DatabaseUnavailable ? error.cause : error;
      if (!isLostConnection(cause)) faults.push(String(cause));
      return false;
    }
  };
  for (let nth = 0; nth < CUTS && faults.length === 0; nth++) {
    let isCut = false;
    const callers = Array.from({ length: CALLERS }, async () => {
      while (!isCut) if (!(await call())) await turn();
    });
    for (let turns = 10 + nth; turns > 0; turns--) await turn();
    await cut();
    isCut = true;
    await Promise.all(callers);
    await waitFor("a call is answered", () => faults.length > 0 || call());
    for (let more = 0; more < 2 * calls.length && faults.length === 0; more++) {
      if (!(await call(more))) faults.push("a call failed on a good line");
    }
  }
  await connection.close();
}

const isLostConnection = (error: unknown) =>
  /^(ECONN|EPIPE|CONNECTION_CLOSED|57P01)/.test(String((error as { code?: unknown }).code));

describe.each<[string, () => Promise<unknown>]>([
  [
    "reset",
    async () => {
      proxy.set("reset");
      proxy.set("pass");
    },
  ],
  [
    "ended by the server",
    () => admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = ${NAME}`,
  ],
])("after a connection was %s at any moment", (_how, cut) => {
  it("every call is answered at once, with its own rows", async () => {
    await cutAtManyMoments([oneRow, oneRow, manyRows], cut);
    expect(faults).toEqual([]);
  });

  it("its transaction left no changes, and the next one is complete", async () => {
    await cutAtManyMoments([twoHalves, oneRow], cut);
    expect(faults).toEqual([]);
    expect(await admin`SELECT id FROM halves GROUP BY id HAVING count(*) <> 2`).toEqual([]);
  });
});
