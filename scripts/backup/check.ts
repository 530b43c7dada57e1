import { rm } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import { withCleanUp } from "../clean-up.ts";
import { freePort } from "../ports.ts";
import { type Access, addressOf, randomPassword, USER } from "../postgres/access.ts";
import { type Contents, countRows, findDifferences, listTables } from "../postgres/compare-tables.ts";
import type { PostgresHome } from "../postgres/home.ts";
import { startServer, stopServer } from "../postgres/server.ts";
import { SetupError } from "../setup-error.ts";

/** Settings of the server that checks a copy: nothing but the check happens in it. */
const SETTINGS = { shared_buffers: "64MB", autovacuum: "off" };

/**
 * Lets PostgreSQL recover a copy, and compares the rows of each table, of which it reads every page. Afterwards the copy is
 * that of a server that was stopped, with a password of its own: one that has the port of the copied server is not taken for it.
 * Returns how to reach it. Throws a SetupError when it does not recover, or a row is missing.
 */
export async function checkCopy(
  home: PostgresHome,
  { password }: Access,
  wanted: ReadonlyMap<string, Contents>,
  signal: AbortSignal,
): Promise<Access> {
  const port = await freePort();
  const own = { port, password: randomPassword() };
  await startServer(home, port, SETTINGS);
  const sql = postgres(addressOf({ port, password }), { max: 1, onnotice: () => {} });
  const check = async () => {
    const found = await countRows(sql, await listTables(sql, { unlogged: false }), { signal });
    const wrong = findDifferences(wanted, found);
    if (wrong.length > 0) throw new SetupError(`The copy is not complete, and was removed: ${wrong.join("; ")}.`);
    await sql.unsafe(`ALTER ROLE ${USER} PASSWORD '${own.password}'`);
  };
  await withCleanUp(check, [() => sql.end({ timeout: 2 }), () => stopServer(home)]);
  for (const name of ["server.log", "postmaster.opts", "backup_label.old"])
    await rm(join(home.cluster, name), { force: true });
  return own;
}
