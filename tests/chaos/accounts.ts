import postgres from "postgres";
import type { Config } from "#config.ts";
import { secretAad } from "#domain/associated-data.ts";
import { type KeyRing, seal } from "#domain/cipher.ts";
import { newId } from "#domain/ids.ts";
import { generateSigningSecret } from "#domain/signing.ts";
import { getAdversaryOrThrow } from "./adversaries/adversaries.ts";
import { BESIDE_ADVERSARIES, CONTROL_ACCOUNTS } from "./control-load.ts";
import { ACCOUNTS } from "./plan.ts";
import { RULES_PER_ACCOUNT } from "./rules-at-one-minute.ts";
import { keepClaimLog } from "./snapshot.ts";

export const RETRY_POLICY = { retryAttempts: 2, retryBackoffMs: 1_000 };

type NewAccount = { id: string; earlyFire: boolean; cpsLimit: number | null };

/** The shard of the adversaries and of some control accounts: the last six bits of an account's id. */
const SHARED_SHARD = 23;

/**
 * Creates the log of claims and the accounts: those of the ordinary load, of which every fourth fires early, those of
 * the control group, those of each adversary, and those of the rules at one minute. All have few retries with short waits.
 */
export async function prepareDatabase(
  { databaseUrl, keyRing }: Config,
  { adversaries, rules }: { adversaries: readonly string[]; rules: number },
) {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  await keepClaimLog(sql);
  const ordinary = draw(ACCOUNTS, (n) => ({ id: newId(Date.now()), earlyFire: n % 4 === 0, cpsLimit: null }));
  const control = draw(CONTROL_ACCOUNTS, (n) => plain(null, n < BESIDE_ADVERSARIES));
  const adverse = new Map(
    adversaries.map((name) => {
      const { accounts, cpsLimit, besideControl } = getAdversaryOrThrow(name);
      return [name, draw(accounts, () => plain(cpsLimit, besideControl))];
    }),
  );
  const ofRules = draw(Math.ceil(rules / RULES_PER_ACCOUNT), () => plain(null, false));
  for (const accounts of [ordinary, control, ofRules, ...adverse.values()]) {
    if (accounts.length > 0) await insert(sql, keyRing, accounts);
  }
  await sql.end();
  const idsOf = (accounts: NewAccount[]) => accounts.map(({ id }) => id);
  return {
    ordinary,
    control: idsOf(control),
    ofRules: idsOf(ofRules),
    adverse: new Map([...adverse].map(([name, accounts]) => [name, idsOf(accounts)])),
  };
}

const draw = (count: number, make: (n: number) => NewAccount) => Array.from({ length: count }, (_, n) => make(n));

function plain(cpsLimit: number | null, isInSharedShard: boolean): NewAccount {
  const id = newId(Date.now());
  // Bits 6 and 7 of the last byte keep their random values.
  const last = (Number.parseInt(id.slice(-2), 16) & 0xc0) | SHARED_SHARD;
  const idInShard = id.slice(0, -2) + last.toString(16).padStart(2, "0");
  return { id: isInSharedShard ? idInShard : id, earlyFire: false, cpsLimit };
}

async function insert(sql: postgres.Sql, keyRing: KeyRing, accounts: readonly NewAccount[]) {
  await sql`INSERT INTO accounts ${sql(accounts.map(({ id }) => ({ id, email: `${id}@example.com`, plan: "indie" })))}`;
  const secrets = accounts.flatMap(({ id }) =>
    (["live", "test"] as const).map((env) => {
      const sealed = () => seal(keyRing, Buffer.from(generateSigningSecret()), secretAad(id, env));
      return { account_id: id, env, current: sealed(), next: sealed() };
    }),
  );
  await sql`INSERT INTO signing_secrets ${sql(secrets)}`;
  const settings = accounts.map(({ id, earlyFire, cpsLimit }) => ({
    account_id: id,
    retry_attempts: RETRY_POLICY.retryAttempts,
    early_fire: earlyFire,
    cps_limit: cpsLimit,
  }));
  await sql`INSERT INTO relay_settings ${sql(settings)}`;
}
