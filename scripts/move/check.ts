import { pgTextArray } from "#db/pg-array.ts";
import { assertSchemaFits, isOfThisVersion, readApplied } from "#db/queries/fleet/schema-version.ts";
import { readServerVersion } from "#db/queries/fleet/server-version.ts";
import { atHost, parseDatabaseAddress } from "#domain/database-address.ts";
import { isOwnIncarnation } from "../own-incarnation.ts";
import { SetupError } from "../setup-error.ts";
import { literal } from "./conninfo.ts";
import { close, openSide, type Side } from "./servers.ts";
import { NAME } from "./state.ts";
import { readTables } from "./tables.ts";

export type Plan = {
  source: Side;
  target: Side;
  /** How the target's server reaches the source. */
  conninfo: string;
  /** Addresses that processes of the service have. */
  serviceUrls: readonly string[];
};

/**
 * Checks everything that a move needs before it begins, and changes nothing. Throws a SetupError with a line for each thing
 * that is missing.
 */
export async function checkMove(plan: Plan): Promise<void> {
  const { source, target } = plan;
  const tooOld = await checkVersions(source, target);
  if (tooOld) throw new SetupError(tooOld);
  await assertSchemaFits(source.sql);
  const problems = [
    await checkMigrations(source, target),
    await checkEmpty(target),
    await checkSame(source, target),
    ...(await checkReplication(plan)),
    ...(await checkRights(plan)),
    await checkClocks(source, target),
    await checkHold(source),
  ].filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new SetupError(problems.join("\n"));
}

async function checkVersions(source: Side, target: Side): Promise<string | undefined> {
  const from = await readServerVersion(source.sql);
  const to = await readServerVersion(target.sql);
  const major = ({ number }: { number: number }) => Math.floor(number / 10_000);
  if (major(to) >= major(from)) return undefined;
  return `${target.name} is PostgreSQL ${to.text.split(" ")[0]}, which is older than ${from.text.split(" ")[0]} of ${source.name}: choose the same or a newer major version.`;
}

/** Changes of the schema are not replicated, so it has to be the same on both sides, from the beginning to the end. */
export async function checkMigrations(source: Side, target: Side): Promise<string | undefined> {
  const [from, to] = [await readApplied(source.sql), await readApplied(target.sql)];
  if (!isOfThisVersion(from))
    return `${source.name} has other migrations than this version of Stopwatch: move with the version that migrated it.`;
  if (to.migrations.length > 0 && !isOfThisVersion(to))
    return `${target.name} has other migrations than ${source.name}: empty it, or run "npm run migrate" on both with this version.`;
  return undefined;
}

/** A database that was only migrated is empty. */
async function checkEmpty(target: Side): Promise<string | undefined> {
  const filled: string[] = [];
  const isMigrated = (await readApplied(target.sql)).migrations.length > 0;
  for (const { name } of await readTables(target)) {
    // Migrations fill it.
    if (isMigrated && name.endsWith(".shards")) continue;
    const [row] = await target.sql.unsafe(`SELECT EXISTS (SELECT FROM ${name}) AS found`);
    if (row?.found || !isMigrated) filled.push(name);
  }
  if (filled.length === 0) return undefined;
  return `${target.name} is not empty (${filled.slice(0, 3).join(", ")}${filled.length > 3 ? ", …" : ""}): create a new database there, or empty this one. What an earlier move left goes with --abort.`;
}

async function checkSame(source: Side, target: Side): Promise<string | undefined> {
  const read = async ({ sql }: Side) => {
    const [row] = await sql`
      SELECT datname AS name, pg_encoding_to_char(encoding) AS encoding FROM pg_database WHERE datname = current_database()`;
    return row as { name: string; encoding: string };
  };
  const [from, to] = [await read(source), await read(target)];
  if (from.name !== to.name)
    return `The database is called ${from.name}, and in --to ${to.name}: give it the same name, since one address has to name both servers.`;
  if (from.encoding !== to.encoding)
    return `The database has the encoding ${from.encoding}, and ${target.name} has ${to.encoding}: create that with the same.`;
  return undefined;
}

/** Tries what a move does, as far as it leaves nothing behind. */
async function checkReplication({ source, target, conninfo }: Plan): Promise<string[]> {
  const [row] = await source.sql`
    SELECT current_setting('wal_level') AS level,
      current_setting('max_replication_slots')::int - (SELECT count(*)::int FROM pg_replication_slots) AS slots,
      current_setting('max_wal_senders')::int - (SELECT count(*)::int FROM pg_stat_replication) AS senders`;
  if (row?.level !== "logical")
    return [`${source.name} has wal_level = ${row?.level}: set it to logical there, and restart that server.`];
  const problems: string[] = [];
  for (const [left, name] of [
    [row.slots, "max_replication_slots"],
    [row.senders, "max_wal_senders"],
  ])
    if (left < SLOTS_MIN)
      problems.push(
        `${source.name} has ${left} of its ${name} left, and a move takes ${SLOTS_MIN}: raise it, and restart that server.`,
      );
  if (problems.length > 0) return problems;
  const slot = await tryOut(source, `SELECT pg_create_logical_replication_slot('${NAME}_check', 'pgoutput', true)`);
  await source.sql`SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = ${`${NAME}_check`}`;
  if (slot)
    problems.push(
      /statement timeout/.test(slot)
        ? `A transaction in ${source.name} has been open for more than ${TRY_S} s: a move begins when it has ended.`
        : `${source.name} does not let its role replicate (${slot}): run ALTER ROLE … REPLICATION there.`,
    );
  const subscription = await tryOut(
    target,
    `
    CREATE SUBSCRIPTION ${NAME} CONNECTION ${literal(conninfo)} PUBLICATION ${NAME}
    WITH (create_slot = false, enabled = false, copy_data = false)`,
  );
  if (subscription)
    problems.push(
      `${target.name} cannot subscribe to ${source.name} (${subscription}): it needs a superuser or pg_create_subscription, has to reach that server, and may have to know it by another address, --source-for-target.`,
    );
  return problems;
}

/** A slot for the whole, and one for each of two tables that are copied at once. */
const SLOTS_MIN = 3;
const TRY_S = 10;

/** Runs a statement in a transaction that is rolled back. Returns what the server says against it. */
async function tryOut({ sql }: Side, statement: string): Promise<string | undefined> {
  let refused: string | undefined;
  await sql
    .begin(async (tx) => {
      await tx.unsafe(`SET LOCAL statement_timeout = '${TRY_S}s'; ${statement}`).catch((error: Error) => {
        refused = error.message;
      });
      throw new Error("rolled back");
    })
    .catch(() => {});
  return refused;
}

/** Both databases are made read-only for a time, and the sessions of the service are ended. */
async function checkRights({ source, target, serviceUrls }: Plan): Promise<string[]> {
  const problems: string[] = [];
  for (const { sql, name } of [source, target]) {
    const [row] = await sql`
      SELECT current_user AS role, pg_has_role(datdba, 'USAGE') AS owns FROM pg_database WHERE datname = current_database()`;
    if (!row?.owns)
      problems.push(`The role ${row?.role} does not own the database ${name}: use the address of its owner.`);
  }
  const users = serviceUrls.map((url) => parseDatabaseAddress(url).user).filter((user) => user !== "");
  const others = await source.sql`
    SELECT rolname AS role, rolsuper AS "isSuperuser" FROM pg_roles r
    WHERE (rolname = ANY (${pgTextArray(users)}::text::text[]) OR rolname IN (SELECT usename FROM pg_stat_activity WHERE datname = current_database()))
      AND NOT pg_has_role(oid, 'USAGE') AND NOT (pg_has_role('pg_signal_backend', 'USAGE') AND NOT rolsuper)`;
  for (const { role, isSuperuser } of others)
    problems.push(
      `The role of ${source.name} may not end the sessions of ${role}: ${isSuperuser ? "that is a superuser, so end them, or use the address of one" : "run GRANT pg_signal_backend to it there"}.`,
    );
  const [{ host, port } = { host: "", port: 0 }] = parseDatabaseAddress(target.url).hosts;
  for (const url of new Set(serviceUrls.map((one) => atHost(one, { host, port })))) {
    const failed = await openSide(url, "The new database").then(close, (error: Error) => error.message);
    if (failed)
      problems.push(
        `The service cannot log in there as it does now. ${failed} Create its roles there, with the same passwords.`,
      );
  }
  return problems;
}

/** Instants of schedules, leases and claims are compared with the clock of the database. */
async function checkClocks(source: Side, target: Side): Promise<string | undefined> {
  const read = async ({ sql }: Side) => {
    const before = Date.now();
    const [row] = await sql`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms`;
    return row?.ms - (before + Date.now()) / 2;
  };
  const skewMs = Math.abs((await read(source)) - (await read(target)));
  if (skewMs <= SKEW_MS_MAX) return undefined;
  return `The clocks of the two servers differ by ${(skewMs / 1_000).toFixed(1)} s: let both follow the same time server.`;
}

const SKEW_MS_MAX = 1_000;

/** A question that an operator has to answer is answered there: the new database asks none. */
export async function checkHold({ sql }: Side): Promise<string | undefined> {
  if (await isOwnIncarnation(sql)) return undefined;
  return 'The database is held, or was restored and no dispatcher has worked on it since: choose first, with "npm run reconcile".';
}
