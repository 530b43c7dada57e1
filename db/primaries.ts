import { parseDatabaseAddress } from "#domain/database-address.ts";
import type { Mark } from "#domain/incarnation.ts";
import { openDriver } from "./driver.ts";
import { newestBeat } from "./queries/fleet/beats.ts";
import { DIRECT_SESSION } from "./sessions.ts";

/** How long a host may take to answer, ms. */
const ANSWER_MS = 2_000;

/**
 * The servers behind an address with several hosts that take writes, each with its incarnation and the newest heartbeat in
 * it. After a failover that left the former primary running there are two. A host that does not answer is left out. None
 * for an address with one host.
 */
export async function readPrimaries(url: string): Promise<Mark[]> {
  const { hosts } = parseDatabaseAddress(url);
  if (hosts.length < 2) return [];
  const found = await Promise.all(hosts.map((host) => readPrimary(url, host).catch(() => null)));
  return found.filter((mark) => mark !== null);
}

async function readPrimary(
  url: string,
  host: ReturnType<typeof parseDatabaseAddress>["hosts"][number],
): Promise<Mark | null> {
  const sql = openDriver(url, {
    hosts: [host],
    max: 1,
    prepare: false,
    fetch_types: false,
    connect_timeout: ANSWER_MS / 1_000,
    connection: { application_name: "stopwatch hosts", ...DIRECT_SESSION },
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ANSWER_MS, null);
  });
  const ask = (newest: ReturnType<typeof newestBeat>) => sql`
    SELECT i.system_identifier::text AS system, i.timeline::float8, (extract(epoch FROM n.beat_at) * 1000)::float8 AS ms
    FROM database_incarnation() i LEFT JOIN ${newest} n ON true`;
  // A server that was left behind may have the schema of a previous release.
  const former = (table: string) => sql.unsafe(`(SELECT max(beat_at) AS beat_at FROM ${table})`);
  const asked = ask(newestBeat(sql))
    .catch(() => ask(former("heartbeats")))
    .catch(() => ask(former("dispatchers")))
    .then(([row]): Mark | null =>
      row
        ? { systemIdentifier: row.system, timeline: row.timeline, databaseOid: null, tableOid: null, atMs: row.ms ?? 0 }
        : null,
    );
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
    sql.end({ timeout: 0 }).catch(() => {});
  }
}
