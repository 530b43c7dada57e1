// Needs: pgbouncer

import postgres from "postgres";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { assertSession } from "#db/assert-session.ts";
import { connect, DatabaseUnavailable } from "#db/client.ts";
import { InstallationError } from "#db/installation-error.ts";
import { migrate } from "#db/migrate.ts";
import { ALL_SETTINGS } from "#dispatcher/databases.ts";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";
import { PGBOUNCER, type Pooler, startPgBouncer } from "../../helpers/pgbouncer.ts";

const IGNORED = { ignore_startup_parameters: [...Object.keys(ALL_SETTINGS), "lock_timeout"].join() };

let database: TestDatabase;
let pooler: Pooler | undefined;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await pooler?.stop();
  pooler = undefined;
});
afterAll(() => database.drop());

const failureOf = (work: Promise<unknown>): Promise<Error | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => error as Error,
  );

const check = (url: string, settings = {}) => failureOf(assertSession(url, settings));

describe("the check that an address keeps sessions", () => {
  it("passes at the database itself, with every setting of a dispatcher", async () => {
    await assertSession(database.url, ALL_SETTINGS);
  });

  it("leaves no session and no lock", async () => {
    await assertSession(database.url, {});
    const sql = postgres(database.url, { max: 1 });
    await expect
      .poll(() => sql`SELECT pid FROM pg_stat_activity WHERE application_name = 'stopwatch check'`)
      .toHaveLength(0);
    expect(await sql`SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND classid = 7867002`).toHaveLength(0);
    await sql.end();
  });

  it("passes in several processes at once", async () => {
    await Promise.all(Array.from({ length: 12 }, () => assertSession(database.url, {})));
  });

  it("says that the database is unavailable where nothing listens", async () => {
    expect(await check("postgres://u:p@127.0.0.1:1/d")).toBeInstanceOf(DatabaseUnavailable);
  });

  it("reports a parameter that the server refuses, with the server's text", async () => {
    const failure = await check(`${database.url}?options=-c%20no_such_setting%3D1`);
    expect(failure).toBeInstanceOf(InstallationError);
    expect(failure?.message).toContain('unrecognized configuration parameter "no_such_setting"');
    expect(await check(`${database.url}?options=-c%20statement_timeout%3Dsoon`)).toBeInstanceOf(InstallationError);
  });
});

describe.skipIf(PGBOUNCER === undefined)("behind PgBouncer (skipped where it is not installed), the check", () => {
  const sizes = [1, 2, 5];
  it.each(sizes)("fails in transaction mode with %i connections to the server, idle and new", async (size) => {
    pooler = await startPgBouncer(database.url, { default_pool_size: size });
    expectPooled(await check(pooler.url));
    expectPooled(await check(pooler.url));
  });

  it.each(sizes)("fails in transaction mode with %i connections to the server that others use", async (size) => {
    pooler = await startPgBouncer(database.url, { default_pool_size: size });
    const busy = keepBusy(pooler.url, size + 3);
    try {
      for (let n = 0; n < 10; n++) expectPooled(await check(pooler.url));
    } finally {
      await busy.stop();
    }
  });

  it.each([0, 1])("fails in transaction mode with idle connections, server_round_robin = %i", async (order) => {
    pooler = await startPgBouncer(database.url, { server_round_robin: order });
    await openEach(pooler.url, 5);
    for (let n = 0; n < 5; n++) expectPooled(await check(pooler.url));
  });

  it("fails in transaction mode where the pooler clears a session after each transaction", async () => {
    pooler = await startPgBouncer(database.url, { server_reset_query_always: 1 });
    expectPooled(await check(pooler.url));
  });

  it("fails where the pooler ignores settings, and names one that did not arrive", async () => {
    pooler = await startPgBouncer(database.url, IGNORED);
    const failure = await check(pooler.url, ALL_SETTINGS);
    expectPooled(failure);
    expect(failure?.message).toMatch(/: \w+ is .+ instead of .+\. Set/);
  });

  it("fails where the pooler refuses settings, with its text", async () => {
    pooler = await startPgBouncer(database.url);
    const failure = await check(pooler.url, ALL_SETTINGS);
    expect(failure).toBeInstanceOf(InstallationError);
    expect(failure?.message).toMatch(/unsupported startup parameter: \w+\. .*DATABASE_DIRECT_URL/);
  });

  it.each(sizes)("passes in session mode with %i connections to the server, once and again", async (size) => {
    pooler = await startPgBouncer(database.url, { pool_mode: "session", default_pool_size: size });
    for (let n = 0; n < 3; n++) await assertSession(pooler.url, {});
  });

  it("passes in session mode beside others, in several processes at once", async () => {
    pooler = await startPgBouncer(database.url, { pool_mode: "session", default_pool_size: 4 });
    const { url } = pooler;
    await Promise.all(Array.from({ length: 8 }, () => assertSession(url, {})));
  });

  it("is made before migrating, which stops before it writes anything", async () => {
    const empty = await createTestDatabase();
    const sql = postgres(empty.url, { max: 1, onnotice: () => {} });
    await sql`DROP SCHEMA drizzle CASCADE`;
    await sql`DROP SCHEMA public CASCADE`;
    await sql`CREATE SCHEMA public`;
    pooler = await startPgBouncer(empty.url, IGNORED);
    expectPooled(await failureOf(migrate(pooler.url)));
    await pooler.stop();
    pooler = await startPgBouncer(empty.url);
    expect(await failureOf(migrate(pooler.url))).toBeInstanceOf(InstallationError);
    expect(await sql`SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace`).toHaveLength(0);
    await sql.end();
    await empty.drop();
  });

  it("leaves a pooler that is away to be an outage", async () => {
    pooler = await startPgBouncer(database.url, { pool_mode: "session" });
    await pooler.kill();
    expect(await check(pooler.url)).toBeInstanceOf(DatabaseUnavailable);
    await pooler.start();
  });

  it("leaves a database that the pooler cannot reach to be an outage", async () => {
    const nowhere = Object.assign(new URL(database.url), { port: "1" }).href;
    pooler = await startPgBouncer(nowhere, { pool_mode: "session", server_login_retry: 1 });
    expect(await check(pooler.url)).toBeInstanceOf(DatabaseUnavailable);
  });
});

function expectPooled(failure: Error | undefined) {
  expect(failure).toBeInstanceOf(InstallationError);
  expect(failure?.message).toMatch(/pooler that does not keep sessions.*DATABASE_DIRECT_URL/);
}

/** Runs transactions of random lengths on `clients` connections until it is stopped. */
function keepBusy(url: string, clients: number) {
  const database = connect({ url, name: "busy", connectionsMax: clients, prepare: false, session: {} });
  let stopped = false;
  const work = async () => {
    while (!stopped) {
      await database.run(20_000, ({ sql }) => sql`SELECT pg_sleep(random() / 200)`);
    }
  };
  const all = Promise.all(Array.from({ length: clients }, work));
  return {
    async stop() {
      stopped = true;
      await all;
      await database.close();
    },
  };
}

/** Has the pooler open `count` connections to the server, idle afterwards. */
async function openEach(url: string, count: number) {
  const sql = postgres(url, { max: count, prepare: false, fetch_types: false });
  await Promise.all(Array.from({ length: count }, () => sql`SELECT pg_sleep(0.2)`));
  await sql.end();
}
