import { randomBytes } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "../ports.ts";
import { SetupError } from "../setup-error.ts";

/** How to reach the server of a data folder. It is stored in `postgres.json` there, which no other user can read. */
export type Access = { port: number; password: string };

export const USER = "stopwatch";
export const DATABASE = "stopwatch";

/** The address of one of the server's databases, including the password. */
export function addressOf({ port, password }: Access, database = DATABASE): string {
  return `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`;
}

/** Reads `postgres.json`; undefined when the data folder has none yet. Throws a SetupError when it cannot be used. */
export async function readAccess(dataDir: string): Promise<Access | undefined> {
  const file = join(dataDir, FILE);
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw new SetupError(`${file} cannot be read (${error.code}): see DATA_DIR.`);
  });
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Access;
  } catch {
    throw new SetupError(`${file} is damaged: bring back a copy of it, or set DATA_DIR to another folder.`);
  }
}

/** Chooses a free port and a random password, and stores them. */
export async function makeAccess(dataDir: string): Promise<Access> {
  const access = { port: await freePort(), password: randomPassword() };
  await saveAccess(dataDir, access);
  return access;
}

export function randomPassword(): string {
  return randomBytes(24).toString("base64url");
}

/** Replaces the stored access atomically. */
export async function saveAccess(dataDir: string, access: Access) {
  const draft = join(dataDir, `${FILE}.${process.pid}`);
  await writeFile(draft, `${JSON.stringify(access)}\n`, { mode: 0o600 });
  await rename(draft, join(dataDir, FILE));
}

const FILE = "postgres.json";
