import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dumpSchema, SCHEMA_FILE } from "#db/dump-schema.ts";
import { readFunctions } from "#db/migrator/apply-functions.ts";
import { ACCOUNT_STATUSES } from "#domain/account-status.ts";
import { ATTEMPT_OUTCOMES } from "#domain/attempt-outcome.ts";
import { ENVIRONMENTS } from "#domain/environment.ts";
import { EXCHANGE_STATES, LISTENER_SCOPES } from "#domain/listeners.ts";
import { OPERATION_ACTIONS, OPERATION_STATUSES } from "#domain/operations.ts";
import { PLAN_NAMES, RETRY_STRATEGIES } from "#domain/plans.ts";
import { PROVIDERS } from "#domain/providers.ts";
import { REQUEST_METHODS } from "#domain/request-methods.ts";
import { SECURITY_ACTORS, SECURITY_EVENT_KINDS } from "#domain/security-events.ts";
import { SHARDS } from "#domain/shard-share.ts";
import { STATUSES } from "#domain/states.ts";
import { SUBSCRIPTION_STATUSES } from "#domain/subscription.ts";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";

const FUNCTIONS = fileURLToPath(new URL("../../../db/functions/", import.meta.url));

let database: TestDatabase;
let sql: postgres.Sql;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = postgres(database.url, { max: 1, onnotice: () => {} });
});

afterAll(async () => {
  await sql?.end({ timeout: 2 });
  await database?.drop();
});

test("db/schema.sql is the schema that the migrations make", async () => {
  expect(await readFile(SCHEMA_FILE, "utf8"), 'Run "npm run schema:dump" and commit db/schema.sql.').toBe(
    await dumpSchema(sql),
  );
});

test("a migrated database has the functions of db/functions, each by the name of its file, and no other", async () => {
  const files = await readdir(FUNCTIONS);
  const found = await sql`
    SELECT proname || '.sql' AS file FROM pg_proc WHERE pronamespace = 'public'::regnamespace
      AND oid NOT IN (SELECT objid FROM pg_depend WHERE classid = 'pg_proc'::regclass AND deptype = 'e')`;
  expect(found.map(({ file }) => file).sort()).toEqual(files.sort());
});

// The migrator makes them before the tables that they name, so it does not have their bodies checked.
test("the body of each function is valid on the schema that the migrations make", async () => {
  const rolledBack = new Error("rolled back");
  const make = sql.begin(async (tx) => {
    for (const { text } of readFunctions().all) await tx.unsafe(text);
    throw rolledBack;
  });
  await expect(make).rejects.toBe(rolledBack);
});

test.each([
  ["schedules_status_known", STATUSES],
  ["attempts_outcome_known", ATTEMPT_OUTCOMES],
  ["schedule_requests_method_known", REQUEST_METHODS],
  ["accounts_status_known", ACCOUNT_STATUSES],
  ["listeners_scope_known", LISTENER_SCOPES],
  ["listen_exchanges_state_known", EXCHANGE_STATES],
  ["subscriptions_status_known", SUBSCRIPTION_STATUSES],
  ["operations_action_known", OPERATION_ACTIONS],
  ["operations_status_known", OPERATION_STATUSES],
  ["security_events_kind_known", SECURITY_EVENT_KINDS],
  ["security_events_actor_known", SECURITY_ACTORS],
  ["identities_provider_known", PROVIDERS],
  ["accounts_plan_known", PLAN_NAMES],
  ["accounts_granted_plan_known", PLAN_NAMES],
  ["relay_settings_strategy_known", RETRY_STRATEGIES],
  ["api_keys_env_known", ENVIRONMENTS],
  ["deleted_schedules_env_known", ENVIRONMENTS],
  ["lanes_env_known", ENVIRONMENTS],
  ["operations_env_known", ENVIRONMENTS],
  ["schedule_requests_env_known", ENVIRONMENTS],
  ["schedules_env_known", ENVIRONMENTS],
  ["secret_rotations_env_known", ENVIRONMENTS],
  ["signing_secrets_env_known", ENVIRONMENTS],
] as const)("the check %s allows the words that domain/ has", async (name, words) => {
  const [{ text = "" } = {}] =
    await sql`SELECT pg_get_constraintdef(oid) AS text FROM pg_constraint WHERE conname = ${name}`;
  const allowed = [...text.matchAll(/'([^']+)'::text/g)].map(([, word]) => word);
  expect(allowed).toEqual(words);
});

test("the database has as many shards as domain/shard-share.ts says, and divides the accounts among all of them", async () => {
  const rows = await sql`SELECT id FROM shards ORDER BY id`;
  expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: SHARDS }, (_, id) => id));
  const [{ shard } = {}] = await sql`
    SELECT pg_get_expr(adbin, adrelid) AS shard FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
    WHERE adrelid = 'accounts'::regclass AND attname = 'shard'`;
  expect(shard).toBe(`(get_byte(uuid_send(id), 15) & ${SHARDS - 1})`);
  const [{ range } = {}] = await sql`
    SELECT pg_get_constraintdef(oid) AS range FROM pg_constraint WHERE conname = 'shards_id_range'`;
  expect(range).toBe(`CHECK (((id >= 0) AND (id <= ${SHARDS - 1})))`);
});

test("every table has a primary key, which logical replication needs", async () => {
  const without = await sql`
    SELECT oid::regclass::text AS name FROM pg_class c WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
      AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND i.indisvalid)`;
  expect(without).toEqual([]);
});

test("wake_lanes wakes the lanes of every environment that domain/ has", async () => {
  const environments = ENVIRONMENTS.map((env) => `('${env}')`).join(", ");
  expect(await readFile(`${FUNCTIONS}wake_lanes.sql`, "utf8")).toContain(`FROM (VALUES ${environments}) e(env)`);
});

test.each([
  "\u212Aim@example.com",
  "Kim@example.com",
  " kim@example.com",
  "kim",
  "kim@a@example.com",
  "kim@b\u00FCcher.example",
  "",
])(
  "the database keeps no e-mail address that could be taken for another one, whatever its locale: %j",
  async (email) => {
    const refused = { code: "23514" };
    await expect(
      sql`INSERT INTO accounts (id, email, plan) VALUES (gen_random_uuid(), ${email}, 'free')`,
    ).rejects.toMatchObject(refused);
    await expect(sql`INSERT INTO sign_in_tokens VALUES ('x', ${email}, now())`).rejects.toMatchObject(refused);
  },
);
