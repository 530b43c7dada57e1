import { randomUUID } from "node:crypto";
import { link, open, readFile, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { generateEncryptionKey, parseKeyRing } from "#domain/cipher.ts";
import { withCleanUp } from "../clean-up.ts";
import { makeDataFolder } from "../data-folder.ts";
import { SetupError } from "../setup-error.ts";

export type Keys = { ENCRYPTION_KEYS: string };

/**
 * Reads the keys of a data folder from its `keys.env`. On first use the file is created with a new key, readable only
 * for this user. It is never written again, because what it has encrypted could then not be decrypted. Throws a
 * SetupError when the file cannot be read or used, or is missing although there is a database.
 */
export async function readOrMakeKeys(dataDir: string): Promise<Keys> {
  const file = join(dataDir, "keys.env");
  const known = await readKeys(dataDir);
  if (known) return known;
  if (await stat(join(dataDir, "postgres.json")).catch(() => undefined))
    throw new SetupError(
      `${file} is missing, and without it the database beside it cannot be read: bring the file back, or set ENCRYPTION_KEYS.`,
    );
  await makeDataFolder(dataDir);
  await writeOnce(
    file,
    `# Opens what the database holds sealed. Keep a copy in a safe place.\nENCRYPTION_KEYS=k1:${generateEncryptionKey()}\n`,
  );
  return readOrMakeKeys(dataDir);
}

/** Reads the keys of a data folder; undefined when it has none. Throws a SetupError when they cannot be used. */
export async function readKeys(dataDir: string): Promise<Keys | undefined> {
  const file = join(dataDir, "keys.env");
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new SetupError(`${file}, which has the encryption keys, cannot be read (${error.code}): see DATA_DIR.`);
  });
  if (text === undefined) return undefined;
  const { ENCRYPTION_KEYS } = parseEnv(text);
  try {
    parseKeyRing(ENCRYPTION_KEYS ?? "");
  } catch (error) {
    throw new SetupError(`${file} is damaged, ENCRYPTION_KEYS: ${(error as Error).message}. Bring back a copy of it.`);
  }
  return { ENCRYPTION_KEYS: ENCRYPTION_KEYS as string };
}

// Write to disk under another name, then link: no other process, and no power cut, leaves half a file. The first
// process wins.
async function writeOnce(file: string, text: string) {
  const draft = `${file}.${randomUUID()}`;
  const handle = await open(draft, "wx", 0o600);
  const write = async () => {
    await handle.writeFile(text);
    await handle.sync();
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  };
  await withCleanUp(write, [() => handle.close(), () => unlink(draft)]);
}
