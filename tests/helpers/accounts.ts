import type postgres from "postgres";
import { secretAad } from "#domain/associated-data.ts";
import { type KeyRing, seal } from "#domain/cipher.ts";
import { newId } from "#domain/ids.ts";
import { generateSigningSecret } from "#domain/signing.ts";

export type TestAccount = { id: string; secrets: Record<"live" | "test", string> };

/** A new account with a pair of signing secrets per environment. `settings` are its saved relay settings. */
export async function createTestAccount(
  sql: postgres.Sql,
  keyRing: KeyRing,
  overrides: {
    plan?: "free" | "indie";
    settings?: { cps_limit?: number; retry_attempts?: number; retry_backoff_ms?: number; early_fire?: boolean };
  } = {},
): Promise<TestAccount> {
  const id = newId(Date.now());
  const secrets = { live: generateSigningSecret(), test: generateSigningSecret() };
  await sql`INSERT INTO accounts ${sql({ id, email: `${id}@example.com`, plan: overrides.plan ?? "indie" })}`;
  for (const env of ["live", "test"] as const) {
    const sealed = (secret: string) => seal(keyRing, Buffer.from(secret), secretAad(id, env));
    const row = { account_id: id, env, current: sealed(secrets[env]), next: sealed(generateSigningSecret()) };
    await sql`INSERT INTO signing_secrets ${sql(row)}`;
  }
  if (overrides.settings) await sql`INSERT INTO relay_settings ${sql({ account_id: id, ...overrides.settings })}`;
  return { id, secrets };
}

/** Creates `count` new accounts at once. Returns their ids. All have the same signing secrets. */
export async function createTestAccounts(sql: postgres.Sql, keyRing: KeyRing, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId(Date.now()));
  const secret = Buffer.from(generateSigningSecret());
  const sealed = ids.map((id) => seal(keyRing, secret, secretAad(id, "live")).toString("base64"));
  await sql`
    INSERT INTO accounts (id, email, plan)
    SELECT id, id || '@example.com', 'indie' FROM unnest(${sql.array(ids)}::uuid[]) id`;
  await sql`
    INSERT INTO signing_secrets (account_id, env, current, next)
    SELECT id, 'live', decode(sealed, 'base64'), decode(sealed, 'base64')
    FROM unnest(${sql.array(ids)}::uuid[], ${sql.array(sealed)}::text[]) w(id, sealed)`;
  return ids;
}
