import type postgres from "postgres";
import { apiKeyPreview, generateApiKey, hashApiKey } from "#domain/api-key.ts";
import { secretAad } from "#domain/associated-data.ts";
import { type KeyRing, seal } from "#domain/cipher.ts";
import { ENVIRONMENTS, type Environment } from "#domain/environment.ts";
import { newId } from "#domain/ids.ts";
import type { PlanName } from "#domain/plans.ts";
import { generateSigningSecret } from "#domain/signing.ts";

export type TestCaller = { accountId: string; live: string; test: string };

/**
 * A new account with signing secrets and one API key for each environment, as sign-up and the pages make them, in one statement:
 * thousands of tests begin with it. `tests/integration/api/test-callers.test.ts` compares both.
 */
export async function createTestCaller(sql: postgres.Sql, keyRing: KeyRing, plan: PlanName): Promise<TestCaller> {
  const id = newId(Date.now());
  const sealed = (env: Environment) =>
    seal(keyRing, Buffer.from(generateSigningSecret()), secretAad(id, env)).toString("base64");
  const made = ENVIRONMENTS.map((env) => ({ env, id: newId(Date.now()), key: generateApiKey(env) }));
  await sql`
    WITH account AS (
      INSERT INTO accounts (id, email, plan, granted_plan)
      VALUES (${id}, ${`${crypto.randomUUID()}@example.com`}, ${plan}, ${plan})),
    secrets AS (
      INSERT INTO signing_secrets (account_id, env, current, next)
      SELECT ${id}, env, decode(current, 'base64'), decode(next, 'base64')
      FROM unnest(${made.map(({ env }) => env)}::text[], ${made.map(({ env }) => sealed(env))}::text[],
        ${made.map(({ env }) => sealed(env))}::text[]) s(env, current, next))
    INSERT INTO api_keys (id, account_id, env, name, hash, last4)
    SELECT k.id, ${id}, env, 'k', decode(hash, 'hex'), last4
    FROM unnest(${made.map((one) => one.id)}::uuid[], ${made.map(({ env }) => env)}::text[],
      ${made.map(({ key }) => hashApiKey(key).toString("hex"))}::text[],
      ${made.map(({ key }) => apiKeyPreview(key).last4)}::text[]) k(id, env, hash, last4)`;
  const keyOf = (env: Environment) => made.find((one) => one.env === env)?.key as string;
  return { accountId: id, live: keyOf("live"), test: keyOf("test") };
}
