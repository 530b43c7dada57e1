import { outlineQuery } from "#domain/query-outline.ts";
import type { Sql } from "../client.ts";

/** A session that another one waits for. What the role may not see is null: `pg_read_all_stats` shows it. */
export type Blocker = {
  pid: number;
  name: string | null;
  role: string | null;
  transactionSeconds: number | null;
  query: string | null;
};

/**
 * The sessions that the backend `pid` waits for, the oldest transaction first. Only a backend that waits is looked at more
 * closely: pg_blocking_pids stops the server's lock manager for a moment.
 */
export function readBlockers(sql: Sql, pid: number): Promise<Blocker[]> {
  return sql<Blocker[]>`
    WITH blocking AS MATERIALIZED (
      SELECT DISTINCT b.pid FROM pg_stat_activity me
      CROSS JOIN LATERAL unnest(CASE WHEN me.wait_event_type = 'Lock' THEN pg_blocking_pids(me.pid) END) b(pid)
      WHERE me.pid = ${pid})
    SELECT b.pid, coalesce(nullif(a.application_name, ''), a.backend_type) AS name, a.usename AS role,
      extract(epoch FROM clock_timestamp() - a.xact_start)::float8 AS "transactionSeconds", a.query
    FROM blocking b LEFT JOIN pg_stat_activity a ON a.pid = b.pid
    ORDER BY a.xact_start, b.pid`;
}

/** The session that holds the advisory lock `key`, an SQL expression (`lockKey`). */
export function readHolder(sql: Sql, key: string): Promise<Blocker[]> {
  return sql<Blocker[]>`
    SELECT a.pid, coalesce(nullif(a.application_name, ''), a.backend_type) AS name, a.usename AS role,
      extract(epoch FROM clock_timestamp() - a.xact_start)::float8 AS "transactionSeconds", a.query
    FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'advisory' AND l.granted AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND (l.classid::bigint << 32 | l.objid::bigint) = ${sql.unsafe(key)} AND l.objsubid = 1`;
}

/** Names blockers to an operator, without the values in their statements. */
export function describeBlockers(blockers: readonly Blocker[]): string {
  const named = blockers.slice(0, NAMED_MAX).map(describeBlocker);
  const more = blockers.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join("; ");
}

const NAMED_MAX = 3;

function describeBlocker({ pid, name, role, transactionSeconds, query }: Blocker): string {
  if (pid === 0) return "a prepared transaction (see pg_prepared_xacts)";
  const age = transactionSeconds === null ? [] : [`in a transaction for ${Math.round(transactionSeconds)} s`];
  const who = [name, role && `role ${role}`, ...age].filter(Boolean).join(", ");
  return `pid ${pid}${who && ` (${who})`}${query ? `: ${outlineQuery(query)}` : ""}`;
}
