import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** No secret setting needs more. */
const BYTES_MAX = 65_536;

/**
 * Gives each setting of `names` that is set as `<name>_FILE` the content of that file, without one line break at its end.
 * Returns the settings, and by name what a person has to correct; those have no value. Nothing of a content is in the texts.
 */
export function readSecretFiles(
  given: Readonly<Record<string, string>>,
  names: Iterable<string>,
): { settings: Record<string, string>; problems: Map<string, string> } {
  const settings = { ...given };
  const problems = new Map<string, string>();
  for (const name of names) {
    const path = given[`${name}_FILE`];
    if (path === undefined) continue;
    try {
      if (name in given) throw new Error(`${name} is set as well: set one of the two`);
      settings[name] = readSecret(path);
    } catch (error) {
      delete settings[name];
      problems.set(name, `${name}_FILE: ${(error as Error).message}`);
    }
  }
  return { settings, problems };
}

function readSecret(path: string): string {
  const refuse = (what: string) => new Error(`${shown(path)} ${what}`);
  let bytes: Buffer;
  try {
    bytes = readRegularFile(path);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    throw refuse(WHY.get(code) ?? `cannot be read (${code})`);
  }
  if (bytes.length > BYTES_MAX) throw refuse(`has more than ${BYTES_MAX} bytes`);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r?\n$/, "");
  } catch {
    throw refuse("is not UTF-8");
  }
  if (text === "") throw refuse("is empty");
  if (/\p{Cc}/u.test(text)) throw refuse("has more than one line, or control characters");
  return text;
}

function readRegularFile(path: string): Buffer {
  // Without O_NONBLOCK, opening a named pipe waits for its writer.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw Object.assign(new Error(), { code: stats.isDirectory() ? "EISDIR" : "NOT_REGULAR" });
    return stats.size > BYTES_MAX ? Buffer.alloc(BYTES_MAX + 1) : readFileSync(file);
  } finally {
    closeSync(file);
  }
}

const WHY = new Map([
  ["ENOENT", "does not exist"],
  ["ENOTDIR", "does not exist"],
  ["EACCES", "cannot be read by this user"],
  ["EPERM", "cannot be read by this user"],
  ["EISDIR", "is a folder"],
  ["NOT_REGULAR", "is not a regular file"],
]);

/** The path, unless it may be the secret itself, put in the wrong setting. */
function shown(path: string): string {
  return /^(?:\.{0,2}\/|[A-Za-z]:[\\/])(?!\/)/.test(path)
    ? JSON.stringify(path)
    : "the file (not shown, since it may be the secret itself: begin a path with / or ./)";
}
