/** An address of a PostgreSQL database, taken apart. */
export type DatabaseAddress = {
  /** In the order of the address; none where the driver's default is meant. */
  hosts: readonly { host: string; port: number }[];
  user: string;
  database: string;
  parameters: URLSearchParams;
  /** The address with its first host alone, which a URL parser accepts. */
  firstUrl: string;
};

const DEFAULT_PORT = 5432;
const PORT_MAX = 65_535;

const FORM =
  "expected postgres://user:password@host:port/database, with more hosts as host1:port1,host2:port2; other characters in the password are percent-encoded";
const ATTRIBUTES = "expected target_session_attrs=read-write or primary, or neither, since the service writes";

/**
 * Takes an address apart: `postgres://user:password@host:port,host:port/database?parameter=value`, the form of libpq,
 * whose default port it has too. Throws an Error that says what was expected and never shows the address.
 * Source: PostgreSQL documentation, section 34.1.1 (connection strings).
 */
export function parseDatabaseAddress(text: string): DatabaseAddress {
  const [, scheme, authority = "", rest = ""] = /^(postgres(?:ql)?:\/\/)([^/?#]*)(.*)$/s.exec(text) ?? [];
  if (scheme === undefined || authority + rest === "") throw new Error(FORM);
  const userEnd = authority.lastIndexOf("@") + 1;
  const names = authority.slice(userEnd).split(",");
  const hosts = names.length === 1 && names[0] === "" ? [] : names.map(parseHost);
  const firstUrl = `${scheme}${authority.slice(0, userEnd)}${names[0]}${rest}`;
  if (!URL.canParse(firstUrl)) throw new Error(FORM);
  const { username, password, pathname, searchParams } = new URL(firstUrl);
  const [user, , database] = [username, password, pathname.slice(1)].map(decode) as [string, string, string];
  const attributes = searchParams.get("target_session_attrs");
  if (attributes !== null && attributes !== "read-write" && attributes !== "primary") throw new Error(ATTRIBUTES);
  return { hosts, user, database: database || user, parameters: searchParams, firstUrl };
}

/** The database and all its hosts, for messages. */
export function describeDatabase({ database, hosts }: DatabaseAddress): string {
  const names = hosts.map(({ host, port }) => `${host.includes(":") ? `[${host}]` : host}:${port}`);
  return `${database} on ${names.join(",") || "the default host"}`;
}

function parseHost(text: string): { host: string; port: number } {
  const [, v6, name = v6, port] = /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::(\d*))?$/i.exec(text) ?? [];
  if (name === undefined || Number(port ?? 1) > PORT_MAX || port === "0") throw new Error(FORM);
  return { host: decode(name), port: port ? Number(port) : DEFAULT_PORT };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(FORM);
  }
}
