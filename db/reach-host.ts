import type postgres from "postgres";
import { type DatabaseAddress, parseDatabaseAddress } from "#domain/database-address.ts";
import { openDriver } from "./driver.ts";

type Hosts = DatabaseAddress["hosts"];

/** How long the hosts before one that has answered may take to answer as well, ms. */
const PATIENCE_MS = 1_000;

/**
 * Returns the hosts of an address for `openDriver`: before all others the first one that takes writes. One that is
 * still silent a second after a later one has answered is passed over. A single host is not asked. Rejects with the
 * first host's error when none has answered within `deadlineMs`.
 */
export async function reachHost(url: string, deadlineMs: number): Promise<Hosts> {
  const { hosts } = parseDatabaseAddress(url);
  if (hosts.length < 2) return hosts;
  const tries = hosts.map((host) => ask(url, [host], deadlineMs));
  const outOfPatience = Promise.any(tries).then(
    () => new Promise<false>((resolve) => setTimeout(resolve, PATIENCE_MS, false).unref()),
  );
  for (const [index, answered] of tries.entries()) {
    if (await Promise.race([answered, outOfPatience]).catch(() => false)) {
      return [...hosts.slice(index), ...hosts.slice(0, index)];
    }
  }
  throw await tries[0]?.catch((error: unknown) => error);
}

/** Resolves to true when the host takes sessions and writes. */
async function ask(url: string, hosts: Hosts, deadlineMs: number): Promise<true> {
  const sql = openDriver(url, { ...ONE, hosts, connect_timeout: deadlineMs / 1_000 });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(deadlineMs)), deadlineMs);
  });
  try {
    await Promise.race([sql`SELECT 1`, late]);
    return true;
  } finally {
    clearTimeout(timer);
    sql.end({ timeout: 0 }).catch(() => {});
  }
}

class NoAnswer extends Error {
  readonly code = "CONNECT_TIMEOUT";
  constructor(deadlineMs: number) {
    super(`no answer within ${deadlineMs} ms`);
  }
}

const ONE = {
  max: 1,
  prepare: false,
  fetch_types: false,
  connection: { application_name: "stopwatch hosts" },
} satisfies postgres.Options<Record<string, never>>;
