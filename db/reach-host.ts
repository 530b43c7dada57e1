import type postgres from "postgres";
import { DATABASE_AWAY } from "#domain/connection-problem.ts";
import { type DatabaseAddress, describeDatabase, parseDatabaseAddress } from "#domain/database-address.ts";
import { openDriver } from "./driver.ts";

type Hosts = DatabaseAddress["hosts"];

/** How long other hosts may take to answer once one has answered that takes writes, ms. */
const PATIENCE_MS = 1_000;
/** How often a host that takes no writes is asked again, ms: it may be promoted. */
const AGAIN_MS = 200;

/**
 * What is known of a host. `beatAtMs`: the newest heartbeat of a dispatcher there, epoch ms, 0 where none was yet; null where
 * there is no Stopwatch.
 */
type Found =
  | { kind: "silent" }
  | { kind: "failed"; error: unknown }
  | { kind: "read-only"; isInstalled: boolean }
  | { kind: "writable"; beatAtMs: number | null };

/** Searches that are under way, by address: the pools of a process share one. */
const searches = new Map<string, Promise<Hosts>>();

/**
 * Returns the hosts of an address for `openDriver`: before all others the one that takes writes and, of several such, has the
 * newest heartbeat. One that is silent for a second longer is passed over. A host without Stopwatch is taken only where every
 * other one has answered, and none has it either: it may be a new server whose old one is away. A single host is not asked.
 * Rejects with the first host's error when none has answered within `deadlineMs`.
 */
export async function reachHost(url: string, deadlineMs: number): Promise<Hosts> {
  const { hosts } = parseDatabaseAddress(url);
  if (hosts.length < 2) return hosts;
  const key = `${deadlineMs} ${url}`;
  let search = searches.get(key);
  if (search === undefined) {
    search = findHost(url, hosts, deadlineMs).finally(() => searches.delete(key));
    searches.set(key, search);
  }
  return search;
}

async function findHost(url: string, hosts: Hosts, deadlineMs: number): Promise<Hosts> {
  const found = hosts.map((): Found => ({ kind: "silent" }));
  const allAnswered = Promise.withResolvers<void>();
  const tries = hosts.map((host, at) =>
    ask(url, host, deadlineMs, (now) => {
      found[at] = now;
      if (found.every(({ kind }) => kind !== "silent")) allAnswered.resolve();
    }),
  );
  try {
    await Promise.any(tries);
  } catch (error) {
    throw (error as AggregateError).errors[0];
  }
  await Promise.race([allAnswered.promise, new Promise<void>((resolve) => setTimeout(resolve, PATIENCE_MS).unref())]);
  const at = choose(found);
  if (at === undefined) throw new NotThere(parseDatabaseAddress(url), found);
  return [...hosts.slice(at), ...hosts.slice(0, at)];
}

/** The place of the host to use; undefined where none is certain to be the one. */
function choose(found: readonly Found[]): number | undefined {
  const beats = found.map((one) => (one.kind === "writable" ? (one.beatAtMs ?? -1) : -2));
  const newest = Math.max(...beats);
  const mayBeNew = found.every((one) => one.kind === "writable" || (one.kind === "read-only" && !one.isInstalled));
  return newest >= 0 || mayBeNew ? beats.indexOf(newest) : undefined;
}

/** Resolves once the host takes sessions and writes. `note` is told of each answer. */
async function ask(url: string, host: Hosts[number], deadlineMs: number, note: (found: Found) => void): Promise<void> {
  const sql = openDriver(url, { ...ONE, hosts: [host], connect_timeout: deadlineMs / 1_000 });
  let isLate = false;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isLate = true;
      reject(new NoAnswer(deadlineMs));
    }, deadlineMs);
  });
  const untilWritable = async () => {
    while (!isLate) {
      const now = await look(sql);
      note(now);
      if (now.kind === "writable") return;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  };
  try {
    await Promise.race([untilWritable(), late]);
  } catch (error) {
    if (!isLate) note({ kind: "failed", error });
    throw error;
  } finally {
    clearTimeout(timer);
    sql.end({ timeout: 0 }).catch(() => {});
  }
}

async function look(sql: postgres.Sql): Promise<Found> {
  const [row] = await sql`
    SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS "isReadOnly",
      to_regclass('schedules') IS NOT NULL AS "isInstalled", to_regclass('heartbeats') IS NOT NULL AS "hasHeartbeats"`;
  const { isReadOnly, isInstalled, hasHeartbeats } = row ?? {};
  if (isReadOnly) return { kind: "read-only", isInstalled };
  if (!isInstalled) return { kind: "writable", beatAtMs: null };
  // A server that was left behind may have the schema of a previous release.
  const [newest] = await sql`
    SELECT (extract(epoch FROM max(beat_at)) * 1000)::float8 AS ms FROM ${sql(hasHeartbeats ? "heartbeats" : "dispatchers")}`;
  return { kind: "writable", beatAtMs: newest?.ms ?? 0 };
}

class NoAnswer extends Error {
  readonly code = "CONNECT_TIMEOUT";
  constructor(deadlineMs: number) {
    super(`no answer within ${deadlineMs} ms`);
  }
}

/** A host takes writes that has no Stopwatch, and another one may have it. */
class NotThere extends Error {
  readonly code = DATABASE_AWAY;

  constructor({ database, hosts }: DatabaseAddress, found: readonly Found[]) {
    const named = (isMeant: (one: Found) => boolean) =>
      describeDatabase({ database, hosts: hosts.filter((_, at) => isMeant(found[at] as Found)) });
    const empty = named(({ kind }) => kind === "writable");
    const away = named((one) => (one.kind === "read-only" ? one.isInstalled : one.kind !== "writable"));
    super(
      `${empty} has no Stopwatch, and ${away}, which may have it, takes no writes now; start that, or name the other one alone`,
    );
  }
}

const ONE = {
  max: 1,
  prepare: false,
  fetch_types: false,
  // A host that takes no writes answers, too.
  target_session_attrs: undefined as never,
  connection: { application_name: "stopwatch hosts" },
} satisfies postgres.Options<Record<string, never>>;
