import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { instanceAad } from "#domain/associated-data.ts";
import { DecryptionError, type KeyRing, open, seal } from "#domain/cipher.ts";
import type { Sql } from "../../client.ts";

/** This process does not fit the database it was given; a person has to mend it. The message says how. */
export class InstallationError extends Error {
  override readonly name = "InstallationError";
}

/**
 * Checks that the key ring opens what is stored, by the check row, which the first process of an installation makes.
 * Throws an InstallationError when it does not.
 */
export async function assertKeyRingOpens(sql: Sql, ring: KeyRing): Promise<void> {
  try {
    await readSecret(sql, ring, "key_check", () => Buffer.from("stopwatch"));
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error;
    throw new InstallationError(
      `ENCRYPTION_KEYS does not open what is stored in this database (${error.message}): give the keys it was made with.`,
      { cause: error },
    );
  }
}

/** The key of the request hash: 32 random bytes, made on first use, the same for every process of an installation. */
export async function readRequestHashKey(sql: Sql, ring: KeyRing): Promise<KeyObject> {
  return createSecretKey(await readSecret(sql, ring, "request_hash_key", () => randomBytes(32)));
}

/** The key of the links that turn notices off: 32 random bytes, made on first use, the same for every process. */
export async function readUnsubscribeKey(sql: Sql, ring: KeyRing): Promise<KeyObject> {
  return createSecretKey(await readSecret(sql, ring, "unsubscribe_key", () => randomBytes(32)));
}

/** What magic links and OAuth are bound with: 32 random bytes, made on first use, the same for every process of an installation. */
export async function readAuthSecret(sql: Sql, ring: KeyRing): Promise<string> {
  return (await readSecret(sql, ring, "auth_secret", () => randomBytes(32))).toString("base64url");
}

async function readSecret(sql: Sql, ring: KeyRing, name: string, make: () => Buffer): Promise<Buffer> {
  const read = () => sql<{ sealed: Buffer }[]>`SELECT sealed FROM instance_secrets WHERE name = ${name}`;
  let [row] = await read();
  if (!row) {
    // Of several processes that start at once, one wins; all of them read what it wrote.
    const sealed = seal(ring, make(), instanceAad(name));
    await sql`INSERT INTO instance_secrets (name, sealed) VALUES (${name}, ${sealed}) ON CONFLICT DO NOTHING`;
    [row] = await read();
  }
  if (!row) throw new Error(`the secret ${name} vanished while it was read`);
  return open(ring, row.sealed, instanceAad(name));
}
