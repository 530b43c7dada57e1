import type { Mark } from "#domain/incarnation.ts";
import type { Sql } from "./client.ts";
import { openDriver } from "./driver.ts";

const CONNECT_SECONDS = 2;

/**
 * The servers behind an address with several hosts that take writes, each with its incarnation and the newest heartbeat in
 * it. After a failover that left the former primary running there are two. A host that does not answer is left out. None
 * for an address with one host.
 */
export async function readPrimaries(url: string): Promise<Mark[]> {
  const urls = eachHost(url);
  if (urls.length < 2) return [];
  const found = await Promise.all(urls.map((one) => readPrimary(one).catch(() => null)));
  return found.filter((mark) => mark !== null);
}

/** An address for each host of one with several, without the condition on the kind of server. */
function eachHost(url: string): string[] {
  const [, before = "", hosts = "", after = ""] = /^([a-z]+:\/\/(?:[^/?@]*@)?)([^/?]*)(.*)$/i.exec(url) ?? [];
  const rest = after.replace(/([?&])target_session_attrs=[^&]*&?/i, "$1");
  return hosts.split(",").map((host) => `${before}${host}${rest}`);
}

async function readPrimary(url: string): Promise<Mark | null> {
  const sql: Sql = openDriver(url, {
    ...{ max: 1, connect_timeout: CONNECT_SECONDS, fetch_types: false },
    connection: { application_name: "stopwatch-start", statement_timeout: CONNECT_SECONDS * 1_000 },
  });
  try {
    const [row] = await sql`
      SELECT i.system_identifier::text, i.timeline::float8,
        (SELECT (extract(epoch FROM max(beat_at)) * 1000)::float8 FROM dispatchers) AS ms
      FROM database_incarnation() i WHERE NOT pg_is_in_recovery()`;
    return row ? { systemIdentifier: row.system_identifier, timeline: row.timeline, atMs: row.ms ?? 0 } : null;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
