import type { PendingQuery, Row } from "postgres";
import type { Runner } from "./literals.ts";

/**
 * The join condition that `column` equals `key`, two SQL expressions. The planner can meet it only by looking up each
 * key in an index on `column`.
 * For `column = key` it may also read the whole index and compare each entry with each row of the other side, because
 * the order of the index would serve a merge join. It does so when the statistics say that the table is empty, as after
 * an ANALYZE beside the transaction that inserts the first rows: a claim of 200 among 20,000 rows took 14 s, not 8 ms.
 */
export const byKey = (sql: Runner, column: string, key: string): PendingQuery<Row[]> =>
  sql.unsafe(`${column} = ANY (ARRAY[${key}])`) as PendingQuery<Row[]>;
