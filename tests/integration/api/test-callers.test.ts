import { afterAll, beforeAll, expect, it } from "vitest";
import { createApiKey } from "#db/queries/accounts/api-keys.ts";
import { createOrFindAccount } from "#db/queries/accounts/create.ts";
import { ENVIRONMENTS } from "#domain/environment.ts";
import { PLAN_NAMES } from "#domain/plans.ts";
import { type Api, call, startApi } from "./api.ts";

let api: Api;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const ACCOUNT_TABLES = ["accounts", "signing_secrets", "api_keys"];

/** What all tables have of an account; the values of columns that differ for each account are replaced. */
async function rowsOf(accountId: string): Promise<unknown> {
  const differing = ["id", "email", "account_id", "shard", "current", "next", "hash", "last4"];
  const read = async (table: string) => {
    const rows = await api.sql`
      SELECT * FROM ${api.sql(table)} WHERE ${api.sql(table === "accounts" ? "id" : "account_id")} = ${accountId}`;
    const comparable = ([name, value]: [string, unknown]) =>
      differing.includes(name) || value instanceof Date ? [name, typeof value] : [name, value];
    return rows.map((row) => Object.fromEntries(Object.entries(row).map(comparable)));
  };
  const entries = ACCOUNT_TABLES.map(async (table) => [
    table,
    (await read(table)).sort((a, b) => (a.env < b.env ? -1 : 1)),
  ]);
  return Object.fromEntries(await Promise.all(entries));
}

it.each(PLAN_NAMES)(
  "an account that a test makes on the plan %s is stored as sign-up and the pages store it",
  async (plan) => {
    const { config, services } = api;
    const real = await services.database.run(10_000, async ({ db }) => {
      const email = `${crypto.randomUUID()}@example.com`;
      const { id } = await createOrFindAccount(db, { email, plan, keyRing: config.keyRing, nowMs: Date.now() });
      for (const env of ENVIRONMENTS) await createApiKey(db, { accountId: id, env, name: "k" }, config.plans[plan]);
      return id;
    });
    const { accountId, live, test } = await api.account(plan);
    expect(await rowsOf(accountId)).toEqual(await rowsOf(real));
    for (const key of [live, test]) {
      expect((await call("GET", "/v1/signing-secrets", key)).body).toMatchObject({
        current: /^whsec_/,
        next: /^whsec_/,
      });
    }
  },
);
