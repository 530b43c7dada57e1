import { type Config, ConfigError, processEnv, readConfig, readLauncherConfig, secretValues } from "#config.ts";
import { connect, type Database, type Sql } from "#db/client.ts";
import { POOLED_SESSION } from "#db/sessions.ts";
import { generateEncryptionKey } from "#domain/cipher.ts";
import { readKeys } from "../keys/keys.ts";
import { findRunningPostgres } from "../postgres/embedded.ts";
import { SetupError } from "../setup-error.ts";

/** How long a check may take, ms, and a call of the database in it. */
export const CHECK_MS_MAX = 5_000;
export const CALL_MS_MAX = 4_500;

// Also behind a pooler, which the checks are to find.
const CONNECTION = { name: "stopwatch doctor", connectionsMax: 1, prepare: false, session: POOLED_SESSION };

type Env = Record<string, string | undefined>;

/** What the checks look at. */
export type Context = {
  /** What is wrong with the settings; empty when all is right. */
  problems: readonly string[];
  /** Where the keys are, when ENCRYPTION_KEYS is not set. */
  keysFile: "used" | "missing" | null;
  dataDir: string;
  /** The settings of web process and dispatcher; undefined while they are wrong. */
  config: Config | undefined;
  /** The addresses by which the database is reached; undefined when there is none, or the embedded one does not run. */
  urls: { direct: string; pooled: string | null; owner: string | null } | undefined;
  isEmbedded: boolean;
  /** Runs `work` in a transaction that can only read, at the direct address. */
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Runs `work` at the direct address, or at `url`. */
  ask<T>(work: (sql: Sql) => Promise<T>, url?: string): Promise<T>;
  /** Replaces what is secret in the text of another program. */
  clear(text: string): string;
  close(): Promise<void>;
};

/** Reads the settings and finds the database. Of an embedded database it starts nothing. */
export async function openContext(env: Env = processEnv()): Promise<Context> {
  const { launcher, problems } = tryLauncher(env);
  const dataDir = launcher?.dataDir ?? ".data";
  const isEmbedded = launcher !== undefined && !launcher.databaseDirectUrl;
  const running = isEmbedded ? await tryRunning(dataDir, problems) : undefined;
  const { keys, keysFile } = await tryKeys(launcher?.hasEncryptionKeys !== false, dataDir, problems);
  const complete: Env = {
    ...env,
    ...keys,
    // So that the rest of the settings is checked.
    ...(keysFile === "missing" && isEmbedded && { ENCRYPTION_KEYS: `none:${generateEncryptionKey()}` }),
    ...(isEmbedded && { DATABASE_URL: running ?? "postgres://localhost/not-running" }),
  };
  const config = problems.length === 0 ? tryConfig(complete, problems) : undefined;
  const direct = launcher?.databaseDirectUrl ?? running;
  const pooled = launcher?.databaseUrl !== direct ? (launcher?.databaseUrl ?? null) : null;
  const databases = new Map<string, Database>();
  const open = (url: string) => {
    const known = databases.get(url) ?? connect({ url, ...CONNECTION });
    databases.set(url, known);
    return known;
  };
  const secrets = secretsOf([...secretValues(complete), ...(running ? [running] : [])]);
  const context: Context = {
    problems,
    keysFile,
    dataDir,
    config,
    isEmbedded,
    urls: direct === undefined ? undefined : { direct, pooled, owner: launcher?.databaseOwnerUrl ?? null },
    ask: (work, url = direct ?? "") => open(url).run(CALL_MS_MAX, ({ sql }) => work(sql)),
    read: (work) =>
      context.ask((sql) => sql.begin("READ ONLY", (tx) => work(tx as unknown as Sql)) as ReturnType<typeof work>),
    clear: (text) => secrets.reduce((clean, secret) => clean.replaceAll(secret, "…"), text),
    async close() {
      await Promise.all([...databases.values()].map((one) => one.close()));
    },
  };
  return context;
}

function tryLauncher(env: Env): { launcher?: ReturnType<typeof readLauncherConfig>; problems: string[] } {
  try {
    return { launcher: readLauncherConfig(env), problems: [] };
  } catch (error) {
    return { problems: linesOf(error) };
  }
}

async function tryRunning(dataDir: string, problems: string[]): Promise<string | undefined> {
  return findRunningPostgres(dataDir).catch((error) => {
    problems.push(...linesOf(error));
    return undefined;
  });
}

function tryConfig(env: Env, problems: string[]): Config | undefined {
  try {
    return readConfig(env);
  } catch (error) {
    problems.push(...linesOf(error));
    return undefined;
  }
}

async function tryKeys(
  areSet: boolean,
  dataDir: string,
  problems: string[],
): Promise<{ keys: Env; keysFile: Context["keysFile"] }> {
  if (areSet) return { keys: {}, keysFile: null };
  try {
    const keys = await readKeys(dataDir);
    return { keys: keys ?? {}, keysFile: keys ? "used" : "missing" };
  } catch (error) {
    problems.push(...linesOf(error));
    return { keys: {}, keysFile: null };
  }
}

function linesOf(error: unknown): string[] {
  if (error instanceof ConfigError || error instanceof SetupError) return error.message.split("\n");
  throw error;
}

/** The values, and the passwords and keys in them, longest first. */
function secretsOf(values: string[]): string[] {
  const parts = values.flatMap((value) => {
    const [, password = ""] = /^\w+:\/\/[^:/?#]*:([^@]*)@/.exec(value) ?? [];
    const keys = value.split(",").map((entry) => entry.replace(/^[^:]*:/, ""));
    return [value, password, decoded(password), ...(value.includes("://") ? [] : keys)];
  });
  return [...new Set(parts)].filter((part) => part.length >= 4).toSorted((a, b) => b.length - a.length);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
