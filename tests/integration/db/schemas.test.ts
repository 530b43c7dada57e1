import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "#db/migrate.ts";
import { assertSchemaFits } from "#db/queries/fleet/schema-version.ts";
import { encodeId } from "#domain/ids.ts";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { SERVICE_ROLE, serviceUrlOf } from "../../helpers/service-role.ts";
import { waitFor } from "../../helpers/wait-for.ts";

/** The second is a reserved word, so SQL has to quote it. */
const SCHEMAS = ["first_cell", "order"];

let server: TestDatabase;
let admin: postgres.Sql;
let url: string;
let sql: postgres.Sql;
let receiver: Receiver;
let harnesses: DispatchHarness[] = [];

const inSchema = (schema: string) => `${url}?search_path=${schema}`;
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => "nothing failed",
    (error: Error) => error.message,
  );

beforeAll(async () => {
  server = await createTestDatabase();
  admin = postgres(server.url, { max: 1, onnotice: () => {} });
  const name = `schemas_${randomBytes(6).toString("hex")}`;
  await admin`CREATE DATABASE ${admin(name)}`;
  url = Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
  sql = postgres(url, { max: 1, onnotice: () => {} });
  for (const schema of SCHEMAS) await sql`CREATE SCHEMA ${sql(schema)}`;
  await Promise.all(SCHEMAS.map((schema) => migrate(inSchema(schema), { serviceRoles: [SERVICE_ROLE] })));
  receiver = await startReceiver({ tls: false });
  harnesses = await Promise.all(
    SCHEMAS.map((schema) => {
      const on = { url: inSchema(schema), serviceUrl: serviceUrlOf(inSchema(schema)), drop: async () => {} };
      return createDispatchHarness({ DELIVERY_ALLOW: receiver.origin }, on);
    }),
  );
});

afterAll(async () => {
  await Promise.all(harnesses.map((harness) => harness.close()));
  await receiver?.close();
  await sql?.end();
  await admin?.unsafe(`DROP DATABASE IF EXISTS ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
  await admin?.end();
  await server?.drop();
});

test("an installation is in the schema that search_path names, with its journal and partitions, and nowhere else", async () => {
  const rows = await sql`
    SELECT n.nspname AS schema, count(*)::int AS tables, count(*) FILTER (WHERE relname ~ '^attempts_[0-9]{8}$')::int AS days,
      count(*) FILTER (WHERE relname = '__drizzle_migrations')::int AS journals
    FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
    WHERE relkind IN ('r', 'p') AND nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema' GROUP BY 1 ORDER BY 1`;
  expect(rows.map(({ schema, days, journals }) => ({ schema, days, journals }))).toEqual(
    SCHEMAS.map((schema) => ({ schema, days: 9, journals: 1 })),
  );
  expect(rows[0]?.tables).toBe(rows[1]?.tables);
  const without = await sql`
    SELECT oid::regclass::text AS name FROM pg_class c
    WHERE relkind IN ('r', 'p') AND relnamespace = ${SCHEMAS[0] as string}::regnamespace
      AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)`;
  expect(without).toEqual([]);
});

test("two installations in one database deliver their own schedules, at once, and neither those of the other", async () => {
  await Promise.all(harnesses.map((harness) => harness.dispatcher()));
  for (const { sql } of harnesses) {
    await waitFor("its dispatcher owns every shard", async () => {
      const [row] = await sql`SELECT count(owner)::int AS owned, count(DISTINCT owner)::int AS owners FROM shards`;
      return row?.owned === 64 && row?.owners === 1;
    });
  }
  const heard: string[] = [];
  const listeners = await Promise.all(
    ["stopwatch_due", ...SCHEMAS.map((schema) => `stopwatch_due_${schema}`)].map((channel) =>
      sql.listen(channel, (payload) => payload.includes(":") && heard.push(channel)),
    ),
  );
  const ids = await Promise.all(
    harnesses.map(async (harness, at) => {
      const account = await harness.account();
      return harness.schedule(account, `${receiver.origin}/${SCHEMAS[at]}`, null);
    }),
  );
  await waitFor("both are recorded", async () => {
    const found = await Promise.all(harnesses.map((harness, at) => harness.read(ids[at] as string)));
    return found.every(({ status }) => status === "succeeded");
  });
  const sent = receiver.requests.map(({ path, headers }) => [path, headers["x-service-schedule-id"]]);
  expect(sent.sort()).toEqual(SCHEMAS.map((schema, at) => [`/${schema}`, encodeId("sch", ids[at] as string)]));
  await waitFor("both were announced", async () => heard.length === 2);
  expect(heard.sort()).toEqual(SCHEMAS.map((schema) => `stopwatch_due_${schema}`));
  for (const harness of harnesses)
    expect(await harness.sql`SELECT count(*)::int AS n FROM schedules`).toEqual([{ n: 1 }]);
  await Promise.all(listeners.map((listener) => listener.unlisten()));
});

test("the partitions of an installation are made and dropped in its own schema, whatever the caller's search_path is", async () => {
  const [schema = "", other = ""] = SCHEMAS;
  const count = async (of: string) => {
    const [row] = await sql`
      SELECT count(*)::int AS n FROM pg_class
      WHERE relname ~ '^attempts_[0-9]{8}$' AND relnamespace = ${of}::regnamespace`;
    return row?.n;
  };
  const service = postgres(serviceUrlOf(inSchema(other)), { max: 1, onnotice: () => {} });
  try {
    await service`CREATE TEMPORARY TABLE attempts_default (x integer)`;
    const [row] = await service`SELECT ${service(schema)}.make_attempt_partitions('2020-01-01', 2) AS made`;
    expect(row?.made).toBe(2);
    expect([await count(schema), await count(other)]).toEqual([11, 9]);
    await service`SET search_path = pg_temp, first_cell`;
    expect(await service`SELECT drop_attempt_partition(1) AS name`).toEqual([{ name: "attempts_20200101" }]);
    expect([await count(schema), await count(other)]).toEqual([10, 9]);
  } finally {
    await service.end();
  }
});

test("a path that leads past an empty schema to an installation makes no second one, and neither does a name that does not fit", async () => {
  await sql`CREATE SCHEMA "Not one"`;
  expect(await failureOf(migrate(inSchema(encodeURIComponent('"Not one"'))))).toContain('schema "Not one" cannot hold');
  await sql`CREATE SCHEMA empty`;
  await migrate(inSchema("public"));
  expect(await failureOf(migrate(inSchema("empty,public")))).toContain("past it to the installation in public");
  const empty = postgres(inSchema("empty"), { max: 1, onnotice: () => {} });
  try {
    expect(await failureOf(assertSchemaFits(empty))).toContain("lacks the migration");
  } finally {
    await empty.end();
  }
});

test("removing one installation leaves the other one whole, its searches included", async () => {
  await harnesses.shift()?.close();
  await sql`DROP SCHEMA first_cell CASCADE`;
  const [row] = await sql`
    SELECT count(*)::int AS n FROM pg_class WHERE relname = 'schedule_requests_search' AND relnamespace = 'order'::regnamespace`;
  expect(row?.n).toBe(1);
  await migrate(inSchema("order"));
});
