import { constants } from "node:fs";
import { access, chmod, mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { SetupError } from "./setup-error.ts";

/**
 * Creates the data folder for keys and the embedded database, if it is missing, closed to other users. When this
 * process is root, other users may traverse it, because PostgreSQL runs as another user; the modes of its files close
 * them. Throws a SetupError when it is no folder, or cannot be made or written.
 */
export async function makeDataFolder(dataDir: string) {
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
  try {
    if (await makeFolder(resolve(dataDir))) await chmod(dataDir, mode);
  } catch (error) {
    throw new SetupError(`The folder ${dataDir} cannot be made (${codeOf(error)}): set DATA_DIR to another one.`);
  }
  await access(dataDir, constants.W_OK | constants.X_OK).catch((error) => {
    throw new SetupError(
      `The folder ${dataDir} cannot be written by this user (${codeOf(error)}): give it to this user, or set DATA_DIR to another one.`,
    );
  });
}

/** Returns whether it was missing. With `recursive`, mkdir of Node.js never ends where a folder cannot have others, as in /proc. */
async function makeFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  if (found?.isDirectory()) return false;
  if (found) throw Object.assign(new Error(), { code: "it is a file" });
  if (dirname(path) !== path) await makeFolder(dirname(path));
  await mkdir(path, { mode: 0o755 }).catch((error: NodeJS.ErrnoException) => {
    // Another process was faster.
    if (error.code !== "EEXIST") throw error;
  });
  return true;
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;
