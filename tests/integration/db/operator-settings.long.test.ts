// Guards: db/**
// Needs: pgbouncer
import pino from "pino";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { connect } from "#db/client.ts";
import { InstallationError } from "#db/installation-error.ts";
import { migrate } from "#db/migrate.ts";
import type { OrmDatabase } from "#db/orm.ts";
import { pgTextArray } from "#db/pg-array.ts";
import { DIRECT_SESSION, POOLED_SESSION } from "#db/sessions.ts";
import { type Dispatcher, startDispatcher } from "#dispatcher/dispatcher.ts";
import { describeFault } from "#domain/database-fault.ts";
import { NEEDED } from "#domain/server-settings.ts";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { startOwnServer } from "../../helpers/own-server.ts";
import { PGBOUNCER, startPgBouncer } from "../../helpers/pgbouncer.ts";
import { stopAudited } from "../../helpers/stop-audited.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { askReadiness, FUTURE, TARGET } from "../api/api.ts";
import { type Run, resetOnDatabase, runScenario, setOnDatabase, startUnder } from "./settings-scenario.ts";

/** Settings that an operator may have given a database, a role or the server, by what they change. */
const FORMS = [
  "datestyle = 'German'",
  "timezone = 'America/New_York'",
  "intervalstyle = 'sql_standard'",
  "bytea_output = 'escape'",
];
const PLANNER = [
  ...["enable_indexscan = off", "enable_indexonlyscan = off", "enable_bitmapscan = off", "enable_sort = off"],
  ...["enable_nestloop = off", "enable_hashagg = off", "enable_incremental_sort = off", "enable_material = off"],
  ...["plan_cache_mode = force_custom_plan", "jit_above_cost = 0"],
  ...["gin_fuzzy_search_limit = 1", "default_table_access_method = nowhere", "synchronous_commit = off"],
];
const DIRECT: [string, string[]][] = [
  ["instants, bytes and numbers in other forms", [...FORMS, "extra_float_digits = -15"]],
  [
    "another order of day and month, and other readings of literals",
    [
      ...["datestyle = 'SQL, DMY'", "standard_conforming_strings = off", "backslash_quote = off", "array_nulls = off"],
      ...["transform_null_equals = on", "quote_all_identifiers = on", "xmloption = document", "exit_on_error = on"],
    ],
  ],
  ["repeatable read", ["default_transaction_isolation = 'repeatable read'"]],
  ["serializable", ["default_transaction_isolation = serializable", "default_transaction_deferrable = on"]],
  [
    "timeouts of a few milliseconds",
    [
      ...["statement_timeout = 1", "lock_timeout = 1", "idle_in_transaction_session_timeout = 1"],
      ...["idle_session_timeout = 1", "transaction_timeout = 200"],
    ],
  ],
  ["another planner", PLANNER],
];
const POOLED: [string, string[]][] = [
  ["instants and bytes in other forms", FORMS],
  [
    "another order of day and month",
    ["datestyle = 'SQL, DMY'", "quote_all_identifiers = on", "transform_null_equals = on"],
  ],
];

let receiver: Receiver;
let usual: Run;

beforeAll(async () => {
  receiver = await startReceiver({ tls: false });
  usual = await run([]);
});
afterAll(() => receiver.close());

async function run(
  settings: readonly string[],
  { pooled = false, atOnceMax }: { pooled?: boolean; atOnceMax?: number } = {},
): Promise<Run> {
  const started = await startUnder(receiver, settings, { pooled });
  try {
    const result = await runScenario(started, { atOnceMax });
    expect(await transactionTimeoutOf(started.services.database)).toBe("0");
    return result;
  } finally {
    await started.stop();
  }
}

/** What it is in a session of the web process. PostgreSQL 15 and 16 have none. */
const transactionTimeoutOf = (database: OrmDatabase) =>
  database.run(4_000, async ({ sql }) => {
    const [row] = await sql`SELECT setting FROM pg_settings WHERE name = 'transaction_timeout'`;
    return row?.setting ?? "0";
  });

describe("every answer and every delivery is as without the setting, with", () => {
  it.each(DIRECT)("%s", async (_, settings) => {
    expect(await run(settings)).toEqual(usual);
  });

  // Each statement starts a process. With 30 calls at once, half of the time that the API gives a call is over here.
  it("another planner, and a process of its own for each statement", async () => {
    expect(await run([...PLANNER, "debug_parallel_query = on"], { atOnceMax: 5 })).toEqual(usual);
  });

  it.skipIf(PGBOUNCER === undefined).each(POOLED)("%s, behind PgBouncer in transaction mode", async (_, settings) => {
    expect(await run(settings, { pooled: true })).toEqual(usual);
  });
});

describe("a setting that cannot be sent through a pooler", () => {
  const needed = Object.entries(NEEDED).filter(([name]) => !(name in POOLED_SESSION));
  const other: Record<string, string> = {
    extra_float_digits: "0",
    standard_conforming_strings: "off",
    array_nulls: "off",
    exit_on_error: "on",
    default_transaction_isolation: "'repeatable read'",
    gin_fuzzy_search_limit: "5",
  };

  it.skipIf(PGBOUNCER === undefined)("stops the web process, which says what to run; that run, it starts", async () => {
    const started = await startUnder(
      receiver,
      needed.map(([name]) => `${name} = ${other[name]}`),
      { pooled: true },
    );
    const failure = await started.services.installation().catch((error: unknown) => error as Error);
    expect(failure).toBeInstanceOf(InstallationError);
    const { message } = failure as Error;
    const statements = [...message.matchAll(/ALTER ROLE "\w+" IN DATABASE "\w+" SET (\w+) = (?:'[^']+'|\w+)/g)];
    expect(statements.map(([, name]) => name)).toEqual(needed.map(([name]) => name));
    for (const [statement] of statements) await started.api.sql.unsafe(statement);
    await started.pooler?.kill();
    await started.pooler?.start();
    expect(await started.services.installation()).toBeDefined();
    await started.stop();
  });
});

describe("while it works, a setting that keeps the service from working is named in /readyz of both processes:", () => {
  let started: Awaited<ReturnType<typeof startUnder>>;
  let dispatcher: Dispatcher;
  let key: string;

  beforeAll(async () => {
    started = await startUnder(receiver, []);
    dispatcher = await startDispatcher(started.config, { log: pino({ level: "silent" }), version: "0.0.0" });
    key = (await started.api.account()).live;
    await started.api.sql`CREATE SCHEMA shadow`;
    await started.api.sql`CREATE TABLE shadow.schedules (id int)`;
    await started.api.sql`GRANT ALL ON SCHEMA shadow TO PUBLIC`;
  });
  afterAll(async () => {
    await stopAudited(dispatcher);
    await started.stop();
  });

  it.each([
    ["search_path = nowhere", "search_path is nowhere, which does not lead to", "schema"],
    ["search_path = ''", 'search_path is "", which does not lead to', "schema"],
    ["search_path = shadow, public", "search_path is shadow, public, which does not lead to schedules of", undefined],
    ["session_replication_role = replica", 'session_replication_role is "replica"', undefined],
    ["default_transaction_read_only = on", "end default_transaction_read_only", "read_only"],
  ] as const)("%s", async (setting, said, fault) => {
    const { sql } = started.api;
    const both = async () => [(await askReadiness()).body, await dispatcher.ready()];
    await waitFor("both are ready", async () => (await both()).every(({ status }) => status === "ok"));
    await setOnDatabase(started.api, [setting]);
    await endSessions(sql);
    await waitFor("both say it", async () => (await both()).every(({ reason }) => reason?.includes(said)));
    expect((await askReadiness()).status).toBe(503);
    if (fault) {
      const create = await started.api.call("POST", "/v1/schedules", key, { targetUrl: TARGET, fireAt: FUTURE });
      expect([create.status, create.body.error.message]).toEqual([503, expect.stringContaining(describeFault(fault))]);
    }
    await resetOnDatabase(started.api);
    await endSessions(sql);
    await waitFor("both are ready again", async () => (await both()).every(({ status }) => status === "ok"));
  });
});

describe("the server's files, read again while sessions last,", () => {
  it("do not change what was sent at the start of a session, through PgBouncer neither", async () => {
    const server = await startOwnServer();
    const pooler = PGBOUNCER === undefined ? undefined : await startPgBouncer(server.url);
    const open = (url: string, session: Record<string, string | number>) =>
      connect({ url, name: "test", connectionsMax: 1, prepare: false, session });
    const pools = [
      { session: DIRECT_SESSION, pool: open(server.url, DIRECT_SESSION) },
      ...(pooler ? [{ session: POOLED_SESSION, pool: open(pooler.url, POOLED_SESSION) }] : []),
    ];
    const owner = postgres(server.url, { max: 1, onnotice: () => {} });
    const values = async ({ pool, session }: (typeof pools)[number]) => {
      const rows = await pool.run(
        4_000,
        ({ sql }) =>
          sql`SELECT name, setting FROM pg_settings WHERE name = ANY (${pgTextArray(Object.keys(session))}::text[])`,
      );
      return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
    };
    for (const one of pools) expect(await values(one)).toEqual(one.session);
    for (const setting of [
      "datestyle = 'German'",
      "timezone = 'Asia/Tokyo'",
      "default_transaction_isolation = serializable",
      "lock_timeout = 7",
    ]) {
      await owner.unsafe(`ALTER SYSTEM SET ${setting}`);
    }
    await owner`SELECT pg_reload_conf()`;
    await waitFor("the files are read", async () => (await owner`SHOW datestyle`)[0]?.DateStyle === "German, DMY");
    for (const one of pools) expect(await values(one)).toEqual(one.session);
    await Promise.all([...pools.map(({ pool }) => pool.close()), owner.end()]);
    await pooler?.stop();
    await server.remove();
  });
});

describe("npm run migrate", () => {
  const made: string[] = [];
  const database = async (options: string) => {
    const owner = postgres(inject("templateUrl"), { max: 1, database: "postgres", onnotice: () => {} });
    const name = `settings_${crypto.randomUUID().slice(0, 8)}`;
    await owner.unsafe(`CREATE DATABASE ${name} TEMPLATE template0 ${options}`);
    made.push(name);
    return { owner, name, url: Object.assign(new URL(inject("templateUrl")), { pathname: `/${name}` }).href };
  };
  afterAll(async () => {
    const owner = postgres(inject("templateUrl"), { max: 1, database: "postgres", onnotice: () => {} });
    for (const name of made) await owner.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
    await owner.end();
  });

  it.each([
    ["ENCODING LATIN1 LOCALE_PROVIDER libc LOCALE 'C'", "", "the encoding of the database is LATIN1"],
    ["", "search_path = ''", "search_path"],
    ["", "search_path = nowhere", "search_path is nowhere, which leads to no schema"],
    ["", "default_transaction_read_only = on", "default_transaction_read_only"],
  ])("refuses a database with %s %s by name, before it writes anything", async (options, setting, said) => {
    const { owner, name, url } = await database(options);
    const inside = postgres(url, { max: 1, onnotice: () => {} });
    await inside`CREATE SCHEMA app`;
    if (setting !== "") await owner.unsafe(`ALTER DATABASE ${name} SET ${setting}`);
    const failure = await migrate(url).catch((error: unknown) => error as Error);
    expect((failure as Error).message).toContain(said);
    expect(
      await inside`SELECT FROM pg_class WHERE relnamespace IN ('public'::regnamespace, 'app'::regnamespace)`,
    ).toHaveLength(0);
    await Promise.all([inside.end(), owner.end()]);
  });

  it("makes the tables as always where a role has other defaults, and warns of an encoding that knows no letters", async () => {
    const { owner, name, url } = await database("ENCODING SQL_ASCII LOCALE_PROVIDER libc LOCALE 'C'");
    for (const setting of [
      "datestyle = 'German'",
      "default_transaction_isolation = serializable",
      "statement_timeout = 1",
      "standard_conforming_strings = off",
      "quote_all_identifiers = on",
      "check_function_bodies = off",
    ]) {
      await owner.unsafe(`ALTER DATABASE ${name} SET ${setting}`);
    }
    const { warnings } = await migrate(url);
    expect(warnings).toContainEqual(expect.stringContaining("SQL_ASCII"));
    await owner.end();
  });
});

const endSessions = (sql: postgres.Sql) => sql`
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;
