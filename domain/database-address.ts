import { readAddressParameters } from "./database-parameters.ts";

/** An address of a PostgreSQL database, taken apart. */
export type DatabaseAddress = {
  /**
   * In the order of the address; none where the driver's default is meant. `host` is a name, an IP address, or the folder
   * of a Unix socket, which begins with a slash.
   */
  hosts: readonly { host: string; port: number }[];
  user: string;
  /** Null where the address has none. */
  password: string | null;
  database: string;
  /** The parameters that the service uses. */
  parameters: ReadonlyMap<string, string>;
  /** Names of parameters that are for other drivers, and have no effect. */
  ignored: readonly string[];
};

const DEFAULT_PORT = 5432;
const PORT_MAX = 65_535;

/** The folder of a Unix socket, an IPv6 address, or any other name without a port. */
const HOST = /^(?:\/[^\0]*|[\da-f]*:[\da-f]*:[\da-f:.]*|[^:/[\]@\s]+)$/i;
const FORM =
  "expected postgres://user:password@host:port/database, with more hosts as host1:port1,host2:port2, or ?host=/folder for a Unix socket";
// What stands before the mistake may be part of the password, so nothing of the address is shown.
const ESCAPES =
  "expected user and password with each of @ : / ? # [ ] % as %40 %3A %2F %3F %23 %5B %5D %25, as in postgres://user:p%40ss@host/database";
const ATTRIBUTES = "expected target_session_attrs=read-write or primary, or neither, since the service writes";

/**
 * Takes an address apart: `postgres://user:password@host:port,host:port/database?parameter=value`, the form of libpq,
 * whose default port it has too. Throws an Error that says what was expected and never shows the address.
 * Source: PostgreSQL documentation, section 34.1.1 (connection strings).
 */
export function parseDatabaseAddress(text: string): DatabaseAddress {
  const [, scheme, authority = "", rest = ""] = /^(postgres(?:ql)?:\/\/)([^/?#]*)(.*)$/s.exec(text) ?? [];
  if (scheme === undefined || authority + rest === "") throw new Error(FORM);
  const parts = /^(?:\/([^/?#@]*))?(?:\?([^#@]*))?$/s.exec(rest);
  if (parts === null) throw new Error(ESCAPES);
  const [, path = "", query = ""] = parts;
  const userEnd = authority.lastIndexOf("@");
  const [, user = "", password] = /^([^:]*)(?::(.*))?$/s.exec(authority.slice(0, Math.max(userEnd, 0))) ?? [];
  const { used, ignored } = readAddressParameters(new URLSearchParams(query));
  const attributes = used.get("target_session_attrs") ?? "primary";
  if (attributes !== "read-write" && attributes !== "primary") throw new Error(ATTRIBUTES);
  const hosts = readHosts(authority.slice(userEnd + 1), used);
  const name = decode(user) || (used.get("user") ?? "");
  return {
    hosts,
    user: name,
    password: password === undefined ? (used.get("password") ?? null) : decode(password),
    database: decode(path) || used.get("dbname") || name,
    parameters: used,
    ignored,
  };
}

/** The same address with one of its hosts, or another one, alone. Its parameters are those that the service uses. */
export function atHost(text: string, { host, port }: DatabaseAddress["hosts"][number]): string {
  const { user, password, database, parameters } = parseDatabaseAddress(text);
  const query = new URLSearchParams([...parameters].filter(([name]) => !PLACE.has(name)));
  const isSocket = host.startsWith("/");
  if (isSocket) for (const [name, value] of Object.entries({ host, port: String(port) })) query.set(name, value);
  const login = [user, ...(password === null ? [] : [password])].map(encodeURIComponent).join(":");
  const name = host.includes(":") ? `[${host}]` : encodeURIComponent(host);
  const end = `${encodeURIComponent(database)}${query.size > 0 ? `?${query}` : ""}`;
  return `postgres://${login === "" ? "" : `${login}@`}${isSocket ? "" : `${name}:${port}`}/${end}`;
}

const PLACE = new Set(["host", "port", "user", "password", "dbname", "target_session_attrs"]);

/** The database and all its hosts, for messages. */
export function describeDatabase({ database, hosts }: Pick<DatabaseAddress, "database" | "hosts">): string {
  const names = hosts.map(({ host, port }) => `${host.includes(":") ? `[${host}]` : host}:${port}`);
  return `${database} on ${names.join(",") || "the default host"}`;
}

/** As in libpq, the parameters `host` and `port` replace those before the database. */
function readHosts(authority: string, parameters: ReadonlyMap<string, string>): DatabaseAddress["hosts"] {
  const named = parameters.get("host");
  const port = parameters.get("port");
  if (named === undefined) {
    if (/^(?::\d*)?$/.test(authority)) {
      const own = authority.slice(1) || port;
      return own === undefined ? [] : [{ host: "localhost", port: readPort(own) }];
    }
    return authority.split(",").map(parseHost);
  }
  const hosts = named.split(",");
  const ports = port === undefined ? [] : port.split(",");
  if (ports.length > 1 && ports.length !== hosts.length) throw new Error(FORM);
  return hosts.map((host, at) => {
    if (!HOST.test(host)) throw new Error(FORM);
    return { host, port: readPort(ports[at] ?? ports[0]) };
  });
}

function parseHost(text: string): DatabaseAddress["hosts"][number] {
  const [, v6, name = v6, port] = /^(?:\[([\da-f:.]+)\]|([^:[\]@]+))(?::(\d*))?$/i.exec(text) ?? [];
  if (name === undefined) throw new Error(/^\[?[\da-f:]+\]?$/i.test(text) ? FORM : ESCAPES);
  return { host: decode(name), port: readPort(port) };
}

function readPort(text: string | undefined): number {
  if (!text) return DEFAULT_PORT;
  const port = /^\d+$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > PORT_MAX) throw new Error(FORM);
  return port;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(ESCAPES);
  }
}
