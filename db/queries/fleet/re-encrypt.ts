import type { Sql } from "../../client.ts";

export type SealedInstanceSecret = { name: string; sealed: Buffer };

/** The secrets of the installation, sealed. */
export async function readSealedInstanceSecrets(sql: Sql): Promise<SealedInstanceSecret[]> {
  return sql<SealedInstanceSecret[]>`SELECT name, sealed FROM instance_secrets ORDER BY name`;
}

/** Replaces a secret of the installation, unless it has changed since it was read. Returns how many it replaced. */
export async function replaceSealedInstanceSecret(
  sql: Sql,
  from: SealedInstanceSecret,
  sealed: Buffer,
): Promise<number> {
  const replaced = await sql`
    UPDATE instance_secrets SET sealed = ${sealed} WHERE name = ${from.name} AND sealed = ${from.sealed}`;
  return replaced.count;
}
