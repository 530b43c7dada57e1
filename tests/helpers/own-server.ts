import { execFile } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { migrate } from "#db/migrate.ts";
import { startEmbeddedPostgres } from "#scripts/postgres/embedded.ts";
import { chosenRelease } from "./postgres-release.ts";

export type OwnServer = Awaited<ReturnType<typeof startOwnServer>>;

/**
 * A PostgreSQL server for a single test, with a migrated database and durable settings (`settings` are added). It can
 * be stopped in every way and started again at the same address.
 */
export async function startOwnServer(settings: Record<string, string> = {}) {
  const folder = await makeServerFolder();
  let server = await startEmbeddedPostgres(folder, { settings, ...chosenRelease() });
  await migrate(server.url);
  const own = {
    folder,
    url: server.url,
    /** Process id of its postmaster. */
    pid: async () => Number.parseInt(await readFile(join(folder, "postgres", "postmaster.pid"), "utf8"), 10),
    /** Immediate shutdown: nothing more is written, and the next start recovers. */
    async crash() {
      server.kill();
      await server.lost;
      await server.stop();
    },
    /** Fast shutdown: sessions are ended, and everything is written. */
    stop: () => server.stop(),
    async start() {
      server = await startEmbeddedPostgres(folder, { settings, ...chosenRelease() });
      if (server.url !== own.url) throw new Error(`the server moved from ${own.url} to ${server.url}`);
    },
    /** For `createDispatchHarness`. `drop` ends the server. */
    database: () => ({ url: own.url, drop: own.remove }),
    /** Starts it again as a standby, which takes no writes until it is promoted. */
    async restartAsStandby() {
      await own.stop();
      await makeStandby(folder);
      await own.start();
    },
    async remove() {
      await server.stop().catch(() => {});
      await rm(folder, { recursive: true, force: true });
    },
  };
  return own;
}

/**
 * Creates a standby of `primary` from a copy of its data, made while it is stopped. Promote it by SQL. Both servers run
 * afterwards.
 */
export async function startStandby(primary: OwnServer) {
  const folder = await makeServerFolder();
  await primary.stop();
  // Keeps the owners of files, which fs.cp does not.
  await promisify(execFile)("cp", ["-a", `${primary.folder}/.`, folder]);
  await primary.start();
  const { hostname, port, username, password } = new URL(primary.url);
  await makeStandby(folder);
  const source = `host=${hostname} port=${port} user=${username} password=${password}`;
  await writeFile(join(folder, "postgres", "postgresql.auto.conf"), `primary_conninfo = '${source}'\n`);
  const standby = await startEmbeddedPostgres(folder, chosenRelease());
  return {
    url: standby.url,
    async remove() {
      await standby.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const makeStandby = (folder: string) => writeFile(join(folder, "postgres", "standby.signal"), "");

/** A folder for a server of this test run. */
export async function makeServerFolder(): Promise<string> {
  // The next test run ends the server by this name if this process is killed.
  const folder = await mkdtemp(join(tmpdir(), `stopwatch-test-${process.pid}-`));
  // PostgreSQL runs as another user when this process runs as root.
  await chmod(folder, 0o711);
  return folder;
}
