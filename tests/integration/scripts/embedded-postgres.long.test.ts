// Guards: scripts/postgres/**
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findRunningPostgres, startEmbeddedPostgres } from "#scripts/postgres/embedded.ts";
import { runNode } from "./script-process.ts";

let parent: string;
let dataDir: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "stopwatch-embedded-"));
  // PostgreSQL runs as another user when this process runs as root.
  await chmod(parent, 0o711);
  dataDir = join(parent, "data");
});
afterEach(() => rm(parent, { recursive: true, force: true }));

async function query(url: string, text: string) {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await sql.unsafe(text);
  } finally {
    await sql.end();
  }
}

test("the embedded Postgres keeps what was written after a stop and a start, at the same address", async () => {
  const first = await startEmbeddedPostgres(dataDir);
  await query(first.url, "CREATE TABLE kept AS SELECT 7 AS n");
  await first.stop();
  expect(await findRunningPostgres(dataDir)).toBeUndefined();

  const second = await startEmbeddedPostgres(dataDir);
  expect(second.url).toBe(first.url);
  expect(await query(second.url, "SELECT n FROM kept")).toEqual([{ n: 7 }]);
  await second.stop();
});

test("the embedded Postgres is durable, listens only on loopback, and requires a password that no other user can read", async () => {
  const server = await startEmbeddedPostgres(dataDir);
  try {
    const shown = await query(
      server.url,
      `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS synchronous_commit,
        current_setting('listen_addresses') AS listen_addresses, current_setting('TimeZone') AS zone,
        current_setting('idle_in_transaction_session_timeout') AS idle`,
    );
    expect(shown).toEqual([
      { fsync: "on", synchronous_commit: "on", listen_addresses: "127.0.0.1", zone: "UTC", idle: "10s" },
    ]);
    const wrong = Object.assign(new URL(server.url), { password: "guess" }).href;
    await expect(query(wrong, "SELECT 1")).rejects.toMatchObject({ code: "28P01" });
    expect((await stat(join(dataDir, "postgres.json"))).mode & 0o777).toBe(0o600);
  } finally {
    await server.stop();
  }
});

test("a second start on a data folder in use is refused and does not affect the first server", async () => {
  const server = await startEmbeddedPostgres(dataDir);
  try {
    await expect(startEmbeddedPostgres(dataDir)).rejects.toThrow(/already runs on the data folder/);
    expect(await query(server.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  } finally {
    await server.stop();
  }
});

test.skipIf(process.platform !== "linux")(
  "a process that now has the number of a server that crashed is neither taken for it nor stopped",
  async () => {
    const first = await startEmbeddedPostgres(dataDir);
    const file = join(dataDir, "postgres", "postmaster.pid");
    const left = await readFile(file, "utf8");
    await first.stop();
    const { uid, gid } = await stat(join(dataDir, "postgres"));
    const bystander = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { uid, gid, stdio: "ignore" });
    const ended = once(bystander, "exit");
    try {
      await writeFile(file, left.replace(/^\d+/, String(bystander.pid)));
      await chown(file, uid, gid);
      expect(await findRunningPostgres(dataDir)).toBeUndefined();
      const second = await startEmbeddedPostgres(dataDir);
      expect(await query(second.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
      await second.stop();
      expect([bystander.exitCode, bystander.signalCode]).toEqual([null, null]);
    } finally {
      bystander.kill("SIGKILL");
      await ended;
    }
  },
);

test("a server that a killed process left behind is replaced and keeps its data", async () => {
  const killed = runNode(
    [
      "--input-type=module",
      "-e",
      `import { startEmbeddedPostgres } from "#scripts/postgres/embedded.ts";
       console.log((await startEmbeddedPostgres(process.env.DATA_DIR)).url);`,
    ],
    { DATA_DIR: dataDir },
  );
  await expect.poll(() => killed.stdout).toHaveLength(1);
  await query(killed.stdout[0] as string, "CREATE TABLE kept AS SELECT 7 AS n");
  killed.child.kill("SIGKILL");
  await killed.exited;
  expect(await findRunningPostgres(dataDir)).toBe(killed.stdout[0]);

  const server = await startEmbeddedPostgres(dataDir);
  expect(await query(server.url, "SELECT n FROM kept")).toEqual([{ n: 7 }]);
  await server.stop();
});

test("the embedded Postgres survives a crash of one session, and reports the end of the server", async () => {
  const server = await startEmbeddedPostgres(dataDir);
  let lost = false;
  void server.lost.then(() => {
    lost = true;
  });
  const backends = "SELECT pid FROM pg_stat_activity WHERE application_name = 'stopwatch start'";
  const [owner] = await query(server.url, backends);
  process.kill(owner?.pid, "SIGKILL");
  const current = () => query(server.url, backends).catch(() => []);
  await expect.poll(async () => (await current())[0]?.pid ?? owner?.pid).not.toBe(owner?.pid);
  expect(lost).toBe(false);

  server.kill();
  await server.lost;
  await server.stop();
});

test.each([
  [
    "a damaged control file",
    (cluster: string) => writeFile(join(cluster, "global/pg_control"), Buffer.alloc(8_192, 7)),
  ],
  ["no control file", (cluster: string) => rm(join(cluster, "global/pg_control"))],
  [
    "a damaged write-ahead log",
    async (cluster: string) => {
      const folder = join(cluster, "pg_wal");
      for (const name of await readdir(folder))
        if (/^[0-9A-F]{24}$/.test(name)) await writeFile(join(folder, name), Buffer.alloc(16 << 20, 7));
    },
  ],
  ["a folder of the server that is gone", (cluster: string) => rm(join(cluster, "global"), { recursive: true })],
  ["no PG_VERSION", (cluster: string) => rm(join(cluster, "PG_VERSION"))],
  ["a damaged PG_VERSION", (cluster: string) => writeFile(join(cluster, "PG_VERSION"), "?")],
])("data with %s is told as damaged, with the way back", async (_, damage) => {
  const server = await startEmbeddedPostgres(dataDir);
  await server.stop();
  await damage(server.cluster);
  await expect(startEmbeddedPostgres(dataDir)).rejects.toThrow(/seems to be damaged: .*npm run restore/);
});
