import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { EXIT } from "../errors/exit-codes.ts";
import { Failure } from "../errors/failure.ts";
import { UsageError } from "../errors/usage-error.ts";
import { environment } from "./environment.ts";

/** A stored key, and the one address that it is sent to. */
export type Profile = { url: string; key: string };

/** The name of the profile that is used without `--profile`. */
export const DEFAULT_PROFILE = "default";

/** Where profiles are stored: below XDG_CONFIG_HOME or ~/.config, on Windows below APPDATA. */
export function profilesFile(): string {
  return join(profilesFolder(), "profiles.json");
}

/** The stored profile of this name. Throws a Failure when the file is damaged or others may read it. */
export function readProfile(name: string): Profile | undefined {
  assertProfileName(name);
  return readProfiles()[name];
}

/** Throws a UsageError for a name that no profile may have. */
export function assertProfileName(name: string): void {
  if (/^[\w.-]{1,64}$/.test(name) && !(name in {})) return;
  throw new UsageError("--profile must be a name of letters, digits, dots, _ and -", "stopwatch whoami --profile work");
}

/** Stores a profile, or removes it where none is given. The file is replaced as a whole, readable by its owner alone. */
export function writeProfile(name: string, profile: Profile | undefined): void {
  const { [name]: _, ...others } = readProfiles();
  const content = `${JSON.stringify(profile ? { ...others, [name]: profile } : others, null, 2)}\n`;
  mkdirSync(profilesFolder(), { recursive: true, mode: 0o700 });
  chmodSync(profilesFolder(), 0o700);
  const made = `${profilesFile()}.${randomUUID()}.tmp`;
  writeFileSync(made, content, { mode: 0o600, flag: "wx" });
  renameSync(made, profilesFile());
}

function profilesFolder(): string {
  const { XDG_CONFIG_HOME, APPDATA } = environment();
  const home = process.platform === "win32" ? APPDATA : XDG_CONFIG_HOME;
  return join(home || join(homedir(), ".config"), "stopwatch");
}

function readProfiles(): Record<string, Profile> {
  const file = profilesFile();
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new Failure(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`, {
      exitCode: EXIT.unauthorised,
      fix: `make it yours, or set STOPWATCH_API_KEY.`,
    });
  }
  if (process.platform !== "win32" && statSync(file).mode & 0o077) {
    throw new Failure(`${file} holds keys, and others may read it.`, {
      exitCode: EXIT.unauthorised,
      fix: `chmod 600 ${file}`,
    });
  }
  try {
    const stored: unknown = JSON.parse(text);
    if (stored === null || typeof stored !== "object") throw new Error("no object");
    return stored as Record<string, Profile>;
  } catch {
    throw new Failure(`${file} is damaged.`, {
      exitCode: EXIT.unauthorised,
      fix: "remove it, and run `stopwatch login` again.",
    });
  }
}
