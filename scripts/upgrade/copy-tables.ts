import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Sql } from "postgres";
import type { Table } from "../postgres/compare-tables.ts";

/**
 * Replaces the rows of `tables` in the database of `to` by those of `from`, with the partitions and the values of the sequences,
 * in one transaction. Triggers and foreign keys do nothing meanwhile: the rows have been through them. `from` has to be in a
 * transaction, so that all of it is of one instant. `onRows` gets how many rows are copied so far.
 */
export async function copyTables(
  { from, to }: { from: Sql; to: Sql },
  tables: readonly Table[],
  { onRows, signal }: { onRows: (rows: number) => void; signal: AbortSignal },
): Promise<void> {
  let rows = 0;
  await to.unsafe("BEGIN");
  await to`SET LOCAL session_replication_role = replica`;
  await to.unsafe(`TRUNCATE ${tables.map(({ name }) => name).join(", ")}`);
  await makePartitions({ from, to });
  for (const { name, columns } of tables) {
    const source = await from.unsafe(`COPY (SELECT ${columns} FROM ${name}) TO STDOUT`).readable();
    const target = await to.unsafe(`COPY ${name} (${columns}) FROM STDIN`).writable();
    const count = (n: number) => {
      rows += n;
      onRows(rows);
    };
    await pipeline(source, inBlocks(count), target, { signal });
    // The driver pauses the connection while the stream is full, and forgets that when it has ended meanwhile.
    source._read(0);
  }
  for (const { name, value } of await from<{ name: string; value: string }[]>`
    SELECT format('%I.%I', schemaname, sequencename) AS name, last_value::text AS value
    FROM pg_sequences WHERE last_value IS NOT NULL`)
    await to`SELECT setval(${name}::text::regclass, ${value}::text::bigint)`;
  await to.unsafe("COMMIT");
}

/** Partitions of days that are over, which migrations do not make. */
async function makePartitions({ from, to }: { from: Sql; to: Sql }) {
  const partitions = await from`
    SELECT format('%I.%I', n.nspname, c.relname) AS name, i.inhparent::regclass::text AS parent,
      pg_get_expr(c.relpartbound, c.oid) AS bound
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relispartition AND c.relkind = 'r' ORDER BY 1`;
  for (const { name, parent, bound } of partitions)
    await to.unsafe(`CREATE TABLE IF NOT EXISTS ${name} PARTITION OF ${parent} ${bound}`);
}

const BLOCK_BYTES = 65_536;

/** Joins rows, which the driver gives one by one, to blocks, so that few messages are sent. Passes on how many rows they are. */
function inBlocks(onRows: (rows: number) => void): Transform {
  let waiting: Buffer[] = [];
  let bytes = 0;
  const take = () => {
    const block = Buffer.concat(waiting);
    onRows(waiting.length);
    waiting = [];
    bytes = 0;
    return block;
  };
  return new Transform({
    transform(row: Buffer, _encoding, done) {
      waiting.push(row);
      bytes += row.length;
      if (bytes < BLOCK_BYTES) done();
      else done(null, take());
    },
    flush(done) {
      if (bytes === 0) done();
      else done(null, take());
    },
  });
}
