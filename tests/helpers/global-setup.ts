import { chmod, mkdtemp, readdir, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import type { TestProject } from "vitest/node";
import { migrate } from "#db/migrate.ts";
import { startEmbeddedPostgres } from "#scripts/postgres/embedded.ts";
import { chosenRelease } from "./postgres-release.ts";
import { SERVICE_ROLE } from "./service-role.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** URL of the migrated template database. */
    templateUrl: string;
  }
}

/** The server of this run, and how many projects use it. Each of them loads this file anew. */
const run = globalThis as { stopwatchTestServer?: { users: number; started: ReturnType<typeof start> } };

/** One throw-away PostgreSQL for a test run, with a migrated template that `createTestDatabase` copies. */
export default async function setUp(project: TestProject) {
  run.stopwatchTestServer ??= { users: 0, started: start() };
  const shared = run.stopwatchTestServer;
  shared.users++;
  const server = await shared.started;
  project.provide("templateUrl", server.url);
  return async () => {
    if (--shared.users > 0) return;
    delete run.stopwatchTestServer;
    await server.stop();
  };
}

/**
 * It writes nothing through to the disk, for speed: a test that needs a durable server starts its own. Nothing works in it but the
 * tests: autovacuum would change figures that they compare.
 */
async function start() {
  await removeLeftBehind();
  const folder = await mkdtemp(join(await fastFolder(), `${PREFIX}${process.pid}-`));
  // PostgreSQL runs as another user when this process runs as root.
  await chmod(folder, 0o711);
  const server = await startEmbeddedPostgres(folder, {
    settings: {
      fsync: "off",
      synchronous_commit: "off",
      full_page_writes: "off",
      autovacuum: "off",
      // A deadlock takes a fifth of a second instead of one; calls wait for three.
      deadlock_timeout: "200ms",
      wal_level: "minimal",
      max_wal_senders: "0",
      max_wal_size: "512MB",
    },
    ...chosenRelease(),
  }).catch(async (error) => {
    await remove(folder);
    throw error;
  });
  const stop = async () => {
    await server.stop();
    await remove(folder);
  };
  try {
    await makeServiceRole(server.url);
    await migrate(server.url, { serviceRoles: [SERVICE_ROLE] });
    await sealTemplate(server.url);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: server.url, stop };
}

const MEMORY = "/dev/shm";
const NEEDED_BYTES = 4 * 1024 ** 3;

/** A file system in memory, if there is a large one: a database is copied in 25 ms there, and in up to 500 ms on a disk. */
async function fastFolder(): Promise<string> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= NEEDED_BYTES ? MEMORY : tmpdir();
}

async function makeServiceRole(url: string) {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql.unsafe(`CREATE ROLE ${SERVICE_ROLE} LOGIN PASSWORD '${SERVICE_ROLE}'`);
  await sql.end();
}

const PREFIX = "stopwatch-test-";

// A session in the template, autovacuum's included, would make the copies fail.
async function sealTemplate(url: string) {
  const { pathname } = new URL(url);
  const sql = postgres(url, { max: 1, database: "postgres", onnotice: () => {} });
  await sql`ALTER DATABASE ${sql(pathname.slice(1))} WITH ALLOW_CONNECTIONS false IS_TEMPLATE true`;
  await sql.end();
}

// A test run that was killed could not stop its server. Another run may be removing it too: what cannot be removed stays.
async function removeLeftBehind() {
  for (const parent of [tmpdir(), MEMORY]) {
    for (const name of await readdir(parent).catch(() => [])) {
      const pid = Number(new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]);
      if (!pid || isAlive(pid)) continue;
      const folder = join(parent, name);
      const server = await startEmbeddedPostgres(folder, chosenRelease()).catch(() => undefined);
      await server?.stop().catch(() => {});
      await remove(folder);
    }
  }
}

/** Processes of the server may still write there for a moment. */
const remove = (folder: string) => rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
