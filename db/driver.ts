import postgres from "postgres";
import { type DatabaseAddress, parseDatabaseAddress } from "#domain/database-address.ts";
import { InstallationError } from "./installation-error.ts";
import { tlsOf } from "./tls.ts";
import { readBytes } from "./values.ts";

/** The number that `patches/` writes into the driver. It changes with each change of the patch. */
const PATCH = 5;

type Options = postgres.Options<Record<string, never>> & {
  /** Those of the address to try, in this order; all of them by default. */
  hosts?: DatabaseAddress["hosts"];
};

/**
 * Opens the driver, postgres.js, on the database at `url`. Of several hosts each connection uses the first one that
 * answers and takes writes: no standby, and default_transaction_read_only is off. Throws an InstallationError when the driver is not patched
 * (docs/decisions/0005-patched-driver.md): as published, it can answer a statement with the rows of another.
 */
export function openDriver(url: string, { hosts, connection, ...options }: Options): postgres.Sql {
  if ((postgres as { stopwatchPatch?: number }).stopwatchPatch !== PATCH) {
    throw new InstallationError(
      'The installed database driver is not this version\'s: run "npm ci", with its scripts.',
    );
  }
  const { user, password, database, parameters, ...address } = parseDatabaseAddress(url);
  const sessionOf = (name: string) => (parameters.has(name) ? { [name]: parameters.get(name) } : {});
  return postgres({
    onnotice: () => {},
    types: { bytea: BYTEA, instant: INSTANT },
    ...(user && { user }),
    ...(database && { database }),
    ...(password !== null && { password }),
    ...(tlsOf(parameters) as object),
    ...hostsOf(hosts ?? address.hosts),
    // The patch has the driver refuse a standby, too, as libpq does.
    ...(address.hosts.length > 1 && { target_session_attrs: "read-write" as const }),
    ...options,
    connection: { ...sessionOf("options"), ...sessionOf("search_path"), ...connection },
  });
}

/**
 * Whether an error says why there is no connection, or no longer one: of the system, of TLS, or of a server or pooler that
 * let no session begin. The patched driver marks these, whatever their code. Of a statement it says nothing.
 */
export const isOfConnection = (error: unknown): boolean =>
  (error as { ofConnection?: unknown } | null | undefined)?.ofConnection === true;

/**
 * Why the driver could open no connection the last time that it tried, if none has answered since. It tries again by itself
 * while the other side closes connections, and tells no call.
 */
export const connectionFailureOf = ({ options }: postgres.Sql): unknown =>
  (options as unknown as { shared: { failure?: unknown } }).shared.failure ?? undefined;

const BYTEA = {
  to: 17,
  from: [17],
  parse: readBytes,
  serialize: (bytes: Uint8Array) => `\\x${Buffer.from(bytes).toString("hex")}`,
};

/** As text, which `readInstant` reads: the driver takes other styles for another date. */
const INSTANT = {
  to: 1184,
  from: [1082, 1114, 1184],
  parse: (text: string) => text,
  serialize: (at: Date | string) => (at instanceof Date ? at.toISOString() : at),
};

// The driver's own parser knows no IPv6, and gives a host without a port that of the first one. Its types lack lists.
function hostsOf(hosts: DatabaseAddress["hosts"]): { host?: string; port?: number; path?: string } {
  const [first] = hosts;
  if (first === undefined) return {};
  // Cloud SQL, Debian and Heroku's stunnel name the folder of a socket; the server names the socket by its port.
  if (first.host.startsWith("/")) return { path: `${first.host}/.s.PGSQL.${first.port}` };
  const lists = { host: hosts.map(({ host }) => host), port: hosts.map(({ port }) => port) };
  return lists as unknown as { host: string; port: number };
}
