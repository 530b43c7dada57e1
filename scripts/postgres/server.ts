import { readFileSync, readlinkSync, realpathSync } from "node:fs";
import { chown, mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { SetupError } from "../setup-error.ts";
import { USER } from "./access.ts";
import { type PostgresHome, runPostgresProgram } from "./home.ts";

/** Settings of every embedded server (`npm start`, tests, bench). Values must not need quotes. */
const SERVER_SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  shared_buffers: "256MB",
  fsync: "on",
  synchronous_commit: "on",
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  log_checkpoints: "off",
  // A client that has stopped reading must not keep its rows locked.
  tcp_user_timeout: "3000",
  idle_in_transaction_session_timeout: "10s",
};

/**
 * Starts the server on a port of the loopback interface and waits until it answers. `settings` override
 * SERVER_SETTINGS.
 */
export async function startServer(home: PostgresHome, port: number, settings: Record<string, string>) {
  const log = join(home.cluster, "server.log");
  const flags = Object.entries({ ...SERVER_SETTINGS, ...settings, port: String(port) }).map(
    ([name, value]) => `-c ${name}=${value}`,
  );
  const start = [
    ...["start", "--wait", "--timeout", String(START_S_MAX), "--pgdata", home.cluster],
    ...["--log", log, "--options", flags.join(" ")],
  ];
  const until = performance.now() + ORPHANS_MS_MAX;
  for (;;) {
    await removeStalePidFile(home);
    const from = await sizeOf(log);
    try {
      await runPostgresProgram(home, "pg_ctl", start);
      return;
    } catch (error) {
      const written = await readFile(log, "utf8").catch(() => "");
      const isHeld = /pre-existing shared memory block/.test(written.slice(from));
      if (!isHeld || performance.now() > until) {
        const end = (written || outputOf(error)).trimEnd().slice(-1500);
        const hint = DAMAGED.test(end) ? `\n${damagedData(home.cluster)}` : "";
        throw new SetupError(`PostgreSQL did not start. The end of ${log}:\n${end}${hint}`);
      }
      await wait(ORPHANS_POLL_MS);
    }
  }
}

/** What a server says of files that are missing or not as it wrote them. Source: xlog.c, xlogrecovery.c, controldata_utils.c, bufmgr.c. */
const DAMAGED =
  /PANIC: {2}|could not (find the database system|locate a valid checkpoint|read from file|read file|open (file|directory) "(global|base|pg_))|incorrect checksum|invalid (page|data|checkpoint|magic|record)|control file|pg_control|(is|are) (damaged|corrupted)|bogus data/i;

/** What to do where the files of a data folder's server are damaged. */
export const damagedData = (cluster: string) =>
  `The data in ${cluster} seems to be damaged: move its folder away, and bring back a backup with npm run restore.`;

/** A crash may be followed by a long recovery. */
const START_S_MAX = 600;
/** Processes of a killed server end when they next wait for something. A busy one keeps the shared memory until then. */
const ORPHANS_MS_MAX = 60_000;
const ORPHANS_POLL_MS = 500;

const sizeOf = (file: string) =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  );

/**
 * Removes the file of a postmaster when its process is none of this cluster: the number now belongs to another process, which
 * pg_ctl would take for the server and stop, or the postmaster has ended and was not waited for, as in a container whose first
 * process does not do so.
 */
async function removeStalePidFile(home: PostgresHome) {
  const file = join(home.cluster, "postmaster.pid");
  const pid = Number.parseInt(await readFile(file, "utf8").catch(() => ""), 10);
  if (pid > 0 && isOther(home, pid)) await rm(file, { force: true });
}

/** Whether this process is certainly not the postmaster of the cluster, whose working directory is the cluster's. */
function isOther({ cluster }: PostgresHome, pid: number): boolean {
  try {
    // The state follows the name of the program, which is in parentheses (proc_pid_stat(5)).
    if (/^\d+ \(.*\) Z /s.test(readFileSync(`/proc/${pid}/stat`, "latin1"))) return true;
    return readlinkSync(`/proc/${pid}/cwd`) !== realpathSync(cluster);
  } catch {
    // It has ended, which pg_ctl sees, or may not be looked at.
    return false;
  }
}

/** Stops the server. Running transactions are rolled back; what was committed is on disk. */
export async function stopServer(home: PostgresHome) {
  await removeStalePidFile(home);
  const stop = ["stop", "--mode", "fast", "--wait", "--timeout", "60", "--pgdata", home.cluster];
  await runPostgresProgram(home, "pg_ctl", stop).catch(async (error) => {
    if (/PID file .* does not exist|Is server running/.test(outputOf(error))) return;
    // Killed while pg_ctl waited, it has left its file behind.
    if (await isServerRunning(home)) throw new SetupError(`PostgreSQL did not stop. ${outputOf(error)}`);
  });
}

/** Stops the server at once, without waiting, by PostgreSQL's immediate shutdown. */
export function killServer(home: PostgresHome) {
  try {
    const pid = Number.parseInt(readFileSync(join(home.cluster, "postmaster.pid"), "utf8"), 10);
    if (!isOther(home, pid)) process.kill(pid, "SIGQUIT");
  } catch {
    // The server has already ended.
  }
}

export async function isServerRunning(home: PostgresHome): Promise<boolean> {
  await removeStalePidFile(home);
  return runPostgresProgram(home, "pg_ctl", ["status", "--pgdata", home.cluster]).then(
    () => true,
    () => false,
  );
}

export async function hasCluster(home: PostgresHome): Promise<boolean> {
  return stat(join(home.cluster, "PG_VERSION")).then(
    () => true,
    () => false,
  );
}

/**
 * Creates the files of an empty server, unless they exist. They are created beside their place and moved there when
 * complete, so that a Ctrl-C leaves no half of them.
 */
export async function createCluster(home: PostgresHome, password: string) {
  if (await hasCluster(home)) return;
  const staging = await mkdtemp(`${home.cluster}.new-`);
  try {
    await writeFile(join(staging, "password"), password, { mode: 0o600 });
    if (home.user) {
      for (const path of [staging, join(staging, "password")]) await chown(path, home.user.uid, home.user.gid);
    }
    await runPostgresProgram(home, "initdb", [
      ...["--pgdata", join(staging, "cluster"), "--username", USER, "--pwfile", join(staging, "password")],
      ...["--auth", "scram-sha-256", "--encoding", "UTF8", ...(await localeOptions(home))],
    ]);
    await rename(join(staging, "cluster"), home.cluster);
  } catch (error) {
    if (await hasCluster(home)) return;
    if (/^(ENOTEMPTY|EEXIST)$/.test((error as NodeJS.ErrnoException).code ?? ""))
      throw new SetupError(`${home.cluster} has no PG_VERSION. ${damagedData(home.cluster)}`);
    throw new SetupError(`PostgreSQL's data could not be created. ${outputOf(error)}`);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** The major version of the programs. */
export async function majorOf(home: PostgresHome): Promise<string> {
  return /\d+/.exec(await runPostgresProgram(home, "initdb", ["--version"]))?.[0] ?? "";
}

/** The same letters and order on every platform. PostgreSQL brings its own since 17; earlier the system has to have it. */
async function localeOptions(home: PostgresHome): Promise<string[]> {
  if (Number(await majorOf(home)) < 17) return ["--locale", "C.UTF-8"];
  return ["--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"];
}

function outputOf(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  return (stderr || message).trim();
}
