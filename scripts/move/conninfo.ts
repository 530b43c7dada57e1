import { atHost, parseDatabaseAddress } from "#domain/database-address.ts";

/**
 * How the server of the target reaches the source, as libpq takes it: the source's address as this process has it. Throws an
 * Error when that names files, which are on this machine and not on the target's. Source: PostgreSQL documentation, section
 * 34.1.1.
 */
export function conninfoOf(url: string): string {
  const { hosts, user, password, database, parameters } = parseDatabaseAddress(url);
  const [{ host, port } = { host: "localhost", port: 5432 }] = hosts;
  const file = ["sslrootcert", "sslcert"].find((name) => (parameters.get(name) || "system") !== "system");
  if (file !== undefined)
    throw new Error(
      `${file} names a file of this machine: give --source-for-target the address of the old server as the new one reaches it, with files of its machine`,
    );
  const given = (name: string) => ({ [name]: parameters.get(name) });
  const values = {
    host,
    port: String(port),
    user,
    password,
    dbname: database,
    ...given("sslmode"),
    ...given("sslrootcert"),
    ...given("options"),
  };
  return Object.entries(values)
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}='${String(value).replace(/['\\]/g, "\\$&")}'`)
    .join(" ");
}

/** An address with one host, as `atHost` writes it. Throws an Error that says what was expected. */
export function readOneHost(text: string): string {
  const [host, ...others] = parseDatabaseAddress(text).hosts;
  if (host === undefined || others.length > 0) throw new Error("expected one host, that of the new server");
  return atHost(text, host);
}

/** A text as a constant in SQL. */
export function literal(text: string): string {
  return text.includes("\\") ? `E'${text.replace(/['\\]/g, "\\$&")}'` : `'${text.replaceAll("'", "''")}'`;
}
