/**
 * Settings of the server with which the service would answer otherwise than documented, or lose what it has acknowledged,
 * and the values that it needs. Each session on the database itself begins with these values; behind a pooler in transaction
 * mode they cannot be sent, so the role has to have them.
 * Source: PostgreSQL documentation, chapter 19 (server configuration).
 */
export const NEEDED = {
  // How instants, numbers and texts are written and read.
  DateStyle: "ISO, MDY",
  TimeZone: "UTC",
  extra_float_digits: "1",
  standard_conforming_strings: "on",
  array_nulls: "on",
  // Statements are written for READ COMMITTED: under the others, concurrent ones fail.
  default_transaction_isolation: "read committed",
  // Above 0, searches leave out rows at random.
  gin_fuzzy_search_limit: "0",
  // `on` ends the session at an error that the service expects.
  exit_on_error: "off",
} as const;

/** The least that a timeout of the operator may be behind a pooler before the log warns of it, ms. */
const TIMEOUT_MS_MIN = 1_000;

const TIMEOUTS = [
  "statement_timeout",
  "lock_timeout",
  "transaction_timeout",
  "idle_in_transaction_session_timeout",
] as const;

const OTHERS = [
  "default_transaction_read_only",
  "server_encoding",
  "session_replication_role",
  "synchronous_commit",
  "fsync",
  "full_page_writes",
] as const;

/** The names of all settings that `judgeSettings` looks at. */
export const JUDGED: readonly string[] = [...Object.keys(NEEDED), ...TIMEOUTS, ...OTHERS];

/** What a session finds: the settings by name, as in pg_settings, and where its unqualified names lead. */
export type FoundSettings = {
  settings: Readonly<Record<string, string>>;
  user: string;
  database: string;
  searchPath: string;
  /** The schema in which a new table would be made; null where there is none. */
  schema: string | null;
  /** The schema of an installation: `schema`, where it holds one, else "public". */
  home: string;
  /** Whether `home` holds an installation. */
  isInstalled: boolean;
  /** The tables of that installation that the search_path does not lead to. */
  hidden: readonly string[];
  /** The tables of that installation of which row level security hides rows from this user. */
  guarded: readonly string[];
};

export type SettingsVerdict = {
  /** Why the service cannot work, a sentence each, with what to do. */
  refused: string[];
  /** What the operator should know, a sentence each. */
  warnings: string[];
  /** What further sessions have to begin with besides NEEDED. A pooler takes none of it. */
  session: Record<string, string>;
};

/**
 * Judges what a session found: behind a pooler in transaction mode (`isPooled`) or on the server itself, and whether it is to
 * migrate (`creates`).
 */
export function judgeSettings(
  found: FoundSettings,
  { isPooled = false, creates = false }: { isPooled?: boolean; creates?: boolean } = {},
): SettingsVerdict {
  const { settings } = found;
  const toRole = (name: string, value: string) =>
    `run: ALTER ROLE ${quote(found.user)} IN DATABASE ${quote(found.database)} SET ${name} = ${literal(value)}`;
  const refused = Object.entries(NEEDED)
    .filter(([name]) => settings[name] !== undefined && !fits(name, settings[name]))
    .map(([name, value]) => `${name} is "${settings[name]}": ${toRole(name, value)}`);
  const encoding = settings.server_encoding ?? UTF8;
  if (encoding !== UTF8 && encoding !== "SQL_ASCII") {
    refused.push(`the encoding of the database is ${encoding}: create it with ENCODING 'UTF8' TEMPLATE template0`);
  }
  if (settings.session_replication_role === "replica") {
    refused.push(
      `session_replication_role is "replica", so no trigger runs: ${toRole("session_replication_role", "origin")}`,
    );
  }
  if (creates && settings.default_transaction_read_only === "on") {
    refused.push(`default_transaction_read_only is on: ${toRole("default_transaction_read_only", "off")}`);
  }
  if (found.guarded.length > 0) {
    const others = found.guarded.length > 1 ? ` and ${found.guarded.length - 1} more` : "";
    const role = quote(found.user);
    refused.push(
      `row level security hides the rows of ${found.guarded[0]}${others} from this user: run, as a superuser, ALTER ROLE ${role} BYPASSRLS, or for each of them ALTER TABLE … DISABLE ROW LEVEL SECURITY`,
    );
  }
  const lost = aimOf(found, creates);
  if (lost !== undefined) {
    const path = found.searchPath === "" ? "empty" : found.searchPath;
    refused.push(`search_path is ${path}, which ${lost}: ${toRole("search_path", found.home)}`);
  }
  return { refused, ...advise(settings, isPooled) };
}

/** What is wrong with where unqualified names lead; undefined when it fits. */
function aimOf({ home, isInstalled, hidden, schema }: FoundSettings, creates: boolean): string | undefined {
  if (!creates && schema !== home && isInstalled && hidden.length === 0)
    return `leads to the schema ${schema} before the installation in ${home}`;
  if (!creates && hidden.length > 0) {
    const others = hidden.length > 1 ? ` and ${hidden.length - 1} more` : "";
    return `does not lead to ${hidden[0]}${others} of the schema ${home}`;
  }
  if (!creates) return undefined;
  if (schema === null) return "leads to no schema that this user may use";
  if (schema === home) return hidden.length > 0 ? `does not lead to ${hidden[0]} of the schema ${home}` : undefined;
  // A path that names another schema alone asks for an installation there.
  return isInstalled && hidden.length === 0
    ? `leads to the schema ${schema}, and past it to the installation in ${home}`
    : undefined;
}

function advise(settings: FoundSettings["settings"], isPooled: boolean): Pick<SettingsVerdict, "warnings" | "session"> {
  const warnings = ["fsync", "full_page_writes"]
    .filter((name) => settings[name] === "off")
    .map((name) => `${name} is off: a crash of the database's server can destroy all of its data`);
  if (settings.server_encoding === "SQL_ASCII") {
    warnings.push(
      "the encoding of the database is SQL_ASCII, which checks no text and knows no letters outside ASCII: use UTF8",
    );
  }
  const session: Record<string, string> = {};
  if (settings.synchronous_commit === "off") {
    if (isPooled)
      warnings.push(
        "synchronous_commit is off: a crash of the database's server loses what was acknowledged just before",
      );
    else session.synchronous_commit = "on";
  }
  // Known to PostgreSQL 17 and later alone, so it is not sent unless it is set there.
  if (!isPooled && (settings.transaction_timeout ?? "0") !== "0") session.transaction_timeout = "0";
  if (isPooled) {
    for (const name of TIMEOUTS) {
      const ms = Number(settings[name] ?? 0);
      if (ms > 0 && ms < TIMEOUT_MS_MIN)
        warnings.push(`${name} is ${ms} ms: calls that take longer are answered with 503`);
    }
  }
  return { warnings, session };
}

const UTF8 = "UTF8";

function fits(name: string, value: string): boolean {
  if (name === "DateStyle") return value.startsWith("ISO,");
  if (name === "TimeZone") return /^(Etc\/)?(UTC|UCT|GMT|Zulu|Universal)$/i.test(value);
  if (name === "extra_float_digits") return Number(value) >= 1;
  return value === NEEDED[name as keyof typeof NEEDED];
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
const literal = (value: string) => (/^\w+$/.test(value) ? value : `'${value}'`);
