// Guards: scripts/postgres/**, scripts/stack/**
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findRunningPostgres, startEmbeddedPostgres } from "#scripts/postgres/embedded.ts";
import { runNode } from "./script-process.ts";

let parent: string;
let dataDir: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "stopwatch-restart-"));
  // PostgreSQL runs as another user when this process runs as root.
  await chmod(parent, 0o711);
  dataDir = join(parent, "data");
});
afterEach(() => rm(parent, { recursive: true, force: true }));

const postmasterPid = async () =>
  Number.parseInt(await readFile(join(dataDir, "postgres", "postmaster.pid"), "utf8"), 10);

/** npm start with a real database and dispatcher, and in place of the web part one that answers everything. */
function start() {
  const serve = `import { createServer } from "node:http"; createServer((_, answer) => answer.end()).listen(process.env.PORT);`;
  return runNode(
    [
      "--input-type=module",
      "-e",
      `import { runAllParts } from "#scripts/stack/all-parts.ts";
       import { dispatcherParts } from "#scripts/stack/parts.ts";
       const web = { name: "web", args: ["--input-type=module", "-e", ${JSON.stringify(serve)}], stopMsMax: 9_000 };
       process.exitCode = await runAllParts({ verbose: false,
         parts: (env, _web, ports) => [...dispatcherParts(env, ports), { ...web, env }] });`,
    ],
    { DATA_DIR: dataDir, PORT: "0", DISPATCHER_PORT: "0" },
  );
}

test("a killed PostgreSQL is started again at its address while one of its processes is still busy, and the dispatcher goes on", async () => {
  const all = start();
  await expect.poll(() => all.stdout.join("\n")).toMatch(/ready: /);
  const url = (await findRunningPostgres(dataDir)) as string;
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const beats = () =>
    sql`
    SELECT d.pid, h.beat_at > ${killedAt}::timestamptz AS later FROM dispatchers d JOIN heartbeats h ON h.dispatcher_id = d.id`.catch(
      () => [],
    );
  let killedAt = new Date(0);
  await expect.poll(beats).toMatchObject([{ later: true }]);
  const [dispatcher] = await beats();

  const busy = postgres(url, { max: 1, onnotice: () => {} });
  const counting = busy`SELECT count(*) FROM generate_series(1, 15000000) n WHERE n % 7 = 3`.catch(() => {});
  const running = () =>
    sql`SELECT FROM pg_stat_activity WHERE query LIKE '%generate_series%' AND pid <> pg_backend_pid()`;
  await expect.poll(running).toHaveLength(1);
  killedAt = new Date();
  process.kill(await postmasterPid(), "SIGKILL");

  await expect.poll(() => all.stdout.join("\n")).toMatch(/PostgreSQL was started again/);
  expect(await findRunningPostgres(dataDir)).toBe(url);
  await expect.poll(beats).toMatchObject([{ pid: dispatcher?.pid, later: true }]);
  await counting;
  await Promise.all([sql.end(), busy.end()]);
  all.child.kill("SIGINT");
  expect(await all.exited).toBe(0);
  expect(all.stdout.join("\n")).toMatch(/PostgreSQL ended \(its server is gone\), and is started again in 0.25 s/);
});

test("a pid file of a server that was killed does not keep the next start from working", async () => {
  const killed = await startEmbeddedPostgres(dataDir);
  process.kill(await postmasterPid(), "SIGKILL");
  await killed.lost;
  const server = await startEmbeddedPostgres(dataDir);
  expect(await findRunningPostgres(dataDir)).toBe(server.url);
  await server.stop();
});

test("a server whose data is gone is not replaced by an empty one", async () => {
  const again = startEmbeddedPostgres(dataDir, { port: 5_432 });
  await expect(again).rejects.toThrow(`its data in ${dataDir} is gone`);
  expect(await readdir(parent)).toEqual([]);
});

test("data of another major version is refused in one sentence, and stays as it is", async () => {
  await mkdir(join(dataDir, "postgres"), { recursive: true });
  await writeFile(join(dataDir, "postgres", "PG_VERSION"), "17\n");
  await expect(startEmbeddedPostgres(dataDir)).rejects.toThrow(
    /is of PostgreSQL 17, and this version of Stopwatch brings 18: run/,
  );
  expect(await readdir(dataDir, { recursive: true })).toEqual(["postgres", "postgres/PG_VERSION"]);
});
