import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PGBOUNCER } from "../../helpers/pgbouncer.ts";
import { type Receiver, startReceiver } from "../../helpers/receiver.ts";
import { type Run, runScenario, startUnder } from "./settings-scenario.ts";

/** Settings that an operator may have given a database, a role or the server, by what they change. */
const FORMS = [
  "datestyle = 'German'",
  "timezone = 'America/New_York'",
  "intervalstyle = 'sql_standard'",
  "bytea_output = 'escape'",
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
      ...["idle_session_timeout = 1", "transaction_timeout = 40"],
    ],
  ],
  [
    "another planner",
    [
      ...["enable_indexscan = off", "enable_indexonlyscan = off", "enable_bitmapscan = off", "enable_sort = off"],
      ...["enable_nestloop = off", "enable_hashagg = off", "enable_incremental_sort = off", "enable_material = off"],
      ...["plan_cache_mode = force_custom_plan", "jit_above_cost = 0", "debug_parallel_query = on"],
      ...["gin_fuzzy_search_limit = 1", "default_table_access_method = nowhere", "synchronous_commit = off"],
    ],
  ],
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

async function run(settings: readonly string[], options?: { pooled: boolean }): Promise<Run> {
  const started = await startUnder(receiver, settings, options);
  try {
    return await runScenario(started);
  } finally {
    await started.stop();
  }
}

describe("every answer and every delivery is as without the setting, with", () => {
  it.each(DIRECT)("%s", async (_, settings) => {
    expect(await run(settings)).toEqual(usual);
  });

  it.skipIf(PGBOUNCER === undefined).each(POOLED)("%s, behind PgBouncer in transaction mode", async (_, settings) => {
    expect(await run(settings, { pooled: true })).toEqual(usual);
  });
});
