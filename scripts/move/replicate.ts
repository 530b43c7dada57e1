import { migrate } from "#db/migrate.ts";
import { SetupError } from "../setup-error.ts";
import type { Plan } from "./check.ts";
import { literal } from "./conninfo.ts";
import { endSessions, type Side, until } from "./servers.ts";
import { NAME, setReadOnly } from "./state.ts";
import { readAttemptDays, readTables, type Table } from "./tables.ts";

/**
 * Prepares the target and starts to copy. It is read-only from here to the flip, so that no process takes it for the
 * primary. `serviceRoles` are granted what the service needs.
 */
export async function beginCopy(
  { source, target, conninfo }: Plan,
  serviceRoles: string[],
  onLog: (line: string) => void,
) {
  await setReadOnly(target, true);
  await endSessions(target);
  await migrate(writable(target.url), { onLog, serviceRoles });
  await target.sql`DELETE FROM shards`;
  const [first] = await readAttemptDays(source);
  if (first !== undefined)
    await target.sql`
      SELECT make_attempt_partitions(day::date, 100)
      FROM generate_series(to_date(${first}, 'YYYYMMDD')::timestamp, (now() AT TIME ZONE 'utc')::date - 1, '100 days') day`;
  const tables = await readTables(target);
  const names = tables.map(({ name }) => name);
  await source.sql.unsafe(
    `CREATE PUBLICATION ${NAME} FOR TABLE ${names.join(", ")} WITH (publish_via_partition_root = true)`,
  );
  await source.sql`SELECT pg_create_logical_replication_slot(${NAME}, 'pgoutput')`;
  await target.sql.unsafe(
    `CREATE SUBSCRIPTION ${NAME} CONNECTION ${literal(conninfo)} PUBLICATION ${NAME} WITH (create_slot = false)`,
  );
  const [row] = await target.sql`SELECT count(*)::int AS n FROM pg_subscription_rel`;
  if (row?.n !== names.length)
    throw new SetupError(
      `${target.name} reaches another database under the address of ${source.name}: see --source-for-target.`,
    );
}

/** The address of a database that is read-only, for sessions that write all the same. */
function writable(url: string): string {
  const at = url.indexOf("?");
  const parameters = new URLSearchParams(at < 0 ? "" : url.slice(at));
  parameters.set("options", `${parameters.get("options") ?? ""} -c default_transaction_read_only=off`.trim());
  return `${at < 0 ? url : url.slice(0, at)}?${parameters}`;
}

export type CopyState = {
  tables: number;
  tablesCopied: number;
  rows: number;
  rowsCopied: number;
  /** What the target has still to take over, bytes of the log. */
  lagBytes: number;
  errors: number;
};

/** How far the target is. Throws a SetupError when the source no longer keeps what it lacks. */
export async function readCopyState(source: Side, target: Side): Promise<CopyState> {
  const [slot] = await source.sql`
    SELECT wal_status AS status, pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn)::float8 AS lag
    FROM pg_replication_slots WHERE slot_name = ${NAME}`;
  if (slot === undefined || slot.status === "lost")
    throw new SetupError(
      `${source.name} no longer keeps the log that ${target.name} needs: raise max_slot_wal_keep_size, run --abort, and begin again.`,
    );
  const states = await target.sql`
    SELECT r.srrelid::regclass::text AS name, r.srsubstate IN ('r', 's', 'f') AS copied, p.tuples_processed::float8 AS rows
    FROM pg_subscription_rel r LEFT JOIN pg_stat_progress_copy p ON p.relid = r.srrelid
    WHERE r.srsubid = (SELECT oid FROM pg_subscription WHERE subname = ${NAME}
      AND subdbid = (SELECT oid FROM pg_database WHERE datname = current_database()))`;
  const [failed] = await target.sql`
    SELECT coalesce(sum(apply_error_count + sync_error_count), 0)::float8 AS errors
    FROM pg_stat_subscription_stats WHERE subname = ${NAME}`;
  const found = await readTables(source);
  const rowsOf = (table: Table) => {
    const state = states.find(({ name }) => table.name.endsWith(`.${name}`));
    return state?.copied ? table.rows : Math.min(state?.rows ?? 0, table.rows);
  };
  return {
    tables: states.length,
    tablesCopied: states.filter(({ copied }) => copied).length,
    rows: found.reduce((sum, { rows }) => sum + rows, 0),
    rowsCopied: found.reduce((sum, table) => sum + rowsOf(table), 0),
    lagBytes: Math.max(0, slot.lag),
    errors: failed?.errors ?? 0,
  };
}

/**
 * Takes everything away that a move has made, so that the source keeps no log for it, and lets the source write again. The
 * target stays read-only, and its tables are emptied unless it holds no schema.
 */
export async function abort(source: Side, target: Side) {
  await setReadOnly(source, false);
  const oid = await removeSubscription(target);
  const tables = (await readTables(target)).map(({ name }) => name);
  if (tables.length > 0)
    await target.sql.begin(async (tx) => {
      await tx`ALTER TABLE audit_log DISABLE TRIGGER audit_log_append_only`;
      await tx.unsafe(`TRUNCATE ${tables.join(", ")}`);
      await tx`ALTER TABLE audit_log ENABLE TRIGGER audit_log_append_only`;
      await tx`INSERT INTO shards (id) SELECT generate_series(0, 63)`;
    });
  await removeFromSource(source, oid);
}

/** Ends the subscription, without asking the source. Returns its oid. */
export async function removeSubscription({ sql }: Side): Promise<string | undefined> {
  const [row] = await sql`
    SELECT oid::text AS oid FROM pg_subscription
    WHERE subname = ${NAME} AND subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  if (row === undefined) return undefined;
  await sql.unsafe(`ALTER SUBSCRIPTION ${NAME} DISABLE`);
  await sql.unsafe(`ALTER SUBSCRIPTION ${NAME} SET (slot_name = NONE)`);
  await sql.unsafe(`DROP SUBSCRIPTION ${NAME}`);
  return row.oid;
}

/** Removes the publication and the slots, those too that copied single tables of the subscription with this oid. */
export async function removeFromSource({ sql }: Side, oid: string | undefined) {
  await sql.unsafe(`DROP PUBLICATION IF EXISTS ${NAME}`);
  const ofTables = oid === undefined ? "" : `pg\\_${oid}\\_sync\\_%`;
  const find = () => sql`
    SELECT slot_name AS name, active_pid AS pid FROM pg_replication_slots
    WHERE slot_name = ${NAME} OR slot_name LIKE ${ofTables}`;
  await until("The replication slot is in use and could not be removed", async () => {
    const slots = await find();
    for (const { name, pid } of slots)
      if (pid === null) await sql`SELECT pg_drop_replication_slot(${name})`.catch(() => {});
      else await sql`SELECT pg_terminate_backend(${pid})`;
    return slots.length === 0;
  });
}
