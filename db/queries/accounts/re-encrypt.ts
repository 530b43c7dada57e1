import type { Environment } from "#domain/environment.ts";
import type { Sql } from "../../client.ts";

export type SealedPair = {
  account_id: string;
  env: Environment;
  current: Buffer;
  next: Buffer;
  former: Buffer | null;
};

/** The next `rowsMax` pairs of signing secrets after an account and environment, in that order. */
export async function readSealedPairs(
  sql: Sql,
  after: { account_id: string; env: string },
  rowsMax: number,
): Promise<SealedPair[]> {
  return sql<SealedPair[]>`
    SELECT account_id, env, current, next, former FROM signing_secrets
    WHERE (account_id, env) > (${after.account_id}, ${after.env}) ORDER BY account_id, env LIMIT ${rowsMax}`;
}

/** Replaces a pair of signing secrets, unless it has changed since it was read. Returns how many it replaced. */
export async function replaceSealedPair(sql: Sql, from: SealedPair, to: SealedPair): Promise<number> {
  const replaced = await sql`
    UPDATE signing_secrets SET current = ${to.current}, next = ${to.next}, former = ${to.former}
    WHERE account_id = ${from.account_id} AND env = ${from.env} AND current = ${from.current} AND next = ${from.next}
      AND former IS NOT DISTINCT FROM ${from.former}`;
  return replaced.count;
}

/** The stored answer to a rotation with an idempotency key. */
export type SealedRotation = { account_id: string; env: Environment; idempotency_key: string; sealed: Buffer };

/** The next `rowsMax` rotations after an account, environment and key, in that order. */
export async function readSealedRotations(
  sql: Sql,
  after: { account_id: string; env: string; idempotency_key: string },
  rowsMax: number,
): Promise<SealedRotation[]> {
  return sql<SealedRotation[]>`
    SELECT account_id, env, idempotency_key, sealed FROM secret_rotations
    WHERE (account_id, env, idempotency_key) > (${after.account_id}, ${after.env}, ${after.idempotency_key})
    ORDER BY account_id, env, idempotency_key LIMIT ${rowsMax}`;
}

/** Replaces the stored answer to a rotation, unless it has changed since it was read. Returns how many it replaced. */
export async function replaceSealedRotation(sql: Sql, from: SealedRotation, sealed: Buffer): Promise<number> {
  const replaced = await sql`
    UPDATE secret_rotations SET sealed = ${sealed}
    WHERE account_id = ${from.account_id} AND env = ${from.env} AND idempotency_key = ${from.idempotency_key}
      AND sealed = ${from.sealed}`;
  return replaced.count;
}
