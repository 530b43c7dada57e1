import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { instanceAad } from "#domain/associated-data.ts";
import { DecryptionError, type KeyRing, open, seal } from "#domain/cipher.ts";
import type { Sql } from "../../client.ts";
import { InstallationError } from "../../installation-error.ts";

/**
 * Checks with the check row that the key ring opens what is stored in this database. The first process of an
 * installation makes that row. Throws an InstallationError when the ring does not open it.
 */
export async function assertKeyRingOpens(sql: Sql, ring: KeyRing): Promise<void> {
  await readSecret(sql, ring, CHECK, () => Buffer.from("stopwatch")).catch(refuseKeys);
}

/** As `assertKeyRingOpens`, but makes nothing. Returns whether there is a check row yet. */
export async function checkKeyRing(sql: Sql, ring: KeyRing): Promise<boolean> {
  const [row] = await sql<{ sealed: Buffer }[]>`SELECT sealed FROM instance_secrets WHERE name = ${CHECK}`;
  try {
    if (row) open(ring, row.sealed, instanceAad(CHECK));
  } catch (error) {
    refuseKeys(error);
  }
  return row !== undefined;
}

const CHECK = "key_check";

function refuseKeys(error: unknown): never {
  if (!(error instanceof DecryptionError)) throw error;
  throw new InstallationError(
    `ENCRYPTION_KEYS does not open what is stored in this database (${error.message}): give the keys it was made with.`,
    { cause: error },
  );
}

/** The key of the request hash: 32 random bytes, made on first use, the same for every process of an installation. */
export async function readRequestHashKey(sql: Sql, ring: KeyRing): Promise<KeyObject> {
  return createSecretKey(await readSecret(sql, ring, "request_hash_key", () => randomBytes(32)));
}

/**
 * The key of the links that turn notices off: 32 random bytes, made on first use, the same for every process of an
 * installation.
 */
export async function readUnsubscribeKey(sql: Sql, ring: KeyRing): Promise<KeyObject> {
  return createSecretKey(await readSecret(sql, ring, "unsubscribe_key", () => randomBytes(32)));
}

/**
 * The secret of next-auth, for magic links and OAuth: 32 random bytes, made on first use, the same for every process of
 * an installation.
 */
export async function readAuthSecret(sql: Sql, ring: KeyRing): Promise<string> {
  return (await readSecret(sql, ring, "auth_secret", () => randomBytes(32))).toString("base64url");
}

async function readSecret(sql: Sql, ring: KeyRing, name: string, make: () => Buffer): Promise<Buffer> {
  const read = () => sql<{ sealed: Buffer }[]>`SELECT sealed FROM instance_secrets WHERE name = ${name}`;
  let [row] = await read();
  if (!row) {
    // When several processes start at once, one inserts it, and all of them read that one.
    const sealed = seal(ring, make(), instanceAad(name));
    await sql`INSERT INTO instance_secrets (name, sealed) VALUES (${name}, ${sealed}) ON CONFLICT DO NOTHING`;
    [row] = await read();
  }
  if (!row) throw new Error(`the secret ${name} vanished while it was read`);
  return open(ring, row.sealed, instanceAad(name));
}
