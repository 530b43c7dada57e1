// Guards: scripts/backup/**, scripts/clean-up.ts, scripts/postgres/**, scripts/commands/backup.ts, scripts/commands/restore.ts
// Final: its verdict is about what was kept in a backup.
import { access, chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "#db/migrate.ts";
import { generateEncryptionKey } from "#domain/cipher.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "#scripts/postgres/embedded.ts";
import { insertSchedules } from "../../helpers/overdue.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { endsBy } from "./ends-by.ts";
import { runNode, runScript } from "./script-process.ts";

const ACCOUNT = "00000000-0000-4000-8000-000000000001";
const KEYS = `ENCRYPTION_KEYS=k:${generateEncryptionKey()}\n`;

let parent: string;
let dataDir: string;
let server: EmbeddedPostgres;
let sql: postgres.Sql;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "stopwatch-backup-"));
  // PostgreSQL runs as another user when this process runs as root.
  await chmod(parent, 0o711);
  dataDir = join(parent, "data");
  server = await startEmbeddedPostgres(dataDir);
  await migrate(server.url);
  await writeFile(join(dataDir, "keys.env"), KEYS, { mode: 0o600 });
  sql = postgres(server.url, { max: 4, onnotice: () => {} });
  await sql`INSERT INTO accounts (id, email, plan, granted_plan) VALUES (${ACCOUNT}, 'ada@example.com', 'free', 'free')`;
  // Some more to copy, so that the copy takes a while.
  await sql`CREATE TABLE ballast AS SELECT n, repeat(md5(n::text), 60) AS text FROM generate_series(1, 60000) n`;
});
afterAll(async () => {
  await sql.end();
  await server.stop();
  await rm(parent, { recursive: true, force: true });
});

const run = async (name: string, args: string[], settings: Record<string, string> = {}) => {
  const script = runScript(name, args, { DATA_DIR: dataDir, ...settings });
  const code = await script.exited;
  return { code, stdout: script.stdout.join("\n"), stderr: script.stderr };
};
const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

test("a backup made while others write has every row that was there when it began, and can be restored", async () => {
  await sql`CREATE TABLE written (n bigint PRIMARY KEY)`;
  let writing = true;
  let last = 0;
  // A write that waits for a lock for three seconds fails. The server measures it.
  const patient = postgres(server.url, { max: 1, onnotice: () => {}, connection: { lock_timeout: 3_000 } });
  const writer = (async () => {
    while (writing) {
      await patient`INSERT INTO written VALUES (${last + 1})`;
      last++;
    }
  })();
  writer.catch(() => {});
  await waitFor("the writer is at work", () => last > 100);
  const before = last;
  const folder = join(parent, "monday");
  const backup = await run("backup", [folder]);
  writing = false;
  await writer;
  await patient.end();
  expect(backup).toMatchObject({ code: 0, stderr: [] });
  expect(backup.stdout).toMatch(/Done: .*monday has [\d,]+ rows, all of them checked\./);
  expect(backup.stdout).toContain(`npm run restore -- ${folder}`);
  expect(backup.stdout).toContain("It has the database and keys.env");
  expect(await exists(`${folder}.partial`)).toBe(false);

  const restoredDir = join(parent, "restored");
  const restore = await run("restore", [folder], { DATA_DIR: restoredDir });
  expect(restore).toMatchObject({ code: 0, stderr: [] });
  expect(await readFile(join(restoredDir, "keys.env"), "utf8")).toBe(KEYS);
  const restored = await startEmbeddedPostgres(restoredDir);
  const copy = postgres(restored.url, { max: 1, onnotice: () => {} });
  const [row] = await copy`
    SELECT (SELECT count(*)::int FROM written) AS n, (SELECT max(n)::int FROM written) AS newest,
      (SELECT count(*)::int FROM ballast) AS ballast, (SELECT email FROM accounts) AS email`;
  expect(row).toMatchObject({ ballast: 60_000, email: "ada@example.com" });
  expect(row?.n).toBe(row?.newest);
  expect(row?.n).toBeGreaterThanOrEqual(before);
  expect(row?.n).toBeLessThanOrEqual(last);
  await copy.end();
  await restored.stop();
  // The source keeps nothing of the backup.
  expect(await sql`SELECT slot_name FROM pg_replication_slots`).toEqual([]);
});

test("what was due in a backup is sent after the restore only when an operator has chosen so", async () => {
  await insertSchedules(sql as never, [ACCOUNT], new URL("https://stopwatch.invalid/"), { rows: 3, fromMs: -5_000 });
  const folder = join(parent, "tuesday");
  expect(await run("backup", [folder])).toMatchObject({ code: 0 });
  const restoredDir = join(parent, "held");
  expect(await run("restore", [folder], { DATA_DIR: restoredDir })).toMatchObject({ code: 0 });

  const serve = `import { createServer } from "node:http"; createServer((_, answer) => answer.end()).listen(process.env.PORT);`;
  const all = runNode(
    [
      "--input-type=module",
      "-e",
      `import { runAllParts } from "#scripts/stack/all-parts.ts";
       import { dispatcherParts } from "#scripts/stack/parts.ts";
       const web = { name: "web", args: ["--input-type=module", "-e", ${JSON.stringify(serve)}], stopMsMax: 9_000 };
       process.exitCode = await runAllParts({ verbose: true,
         parts: (env, _web, ports) => [...dispatcherParts(env, ports), { ...web, env }] });`,
    ],
    { DATA_DIR: restoredDir, PORT: "0", DISPATCHER_PORT: "0" },
  );
  const text = () => all.stdout.join("\n");
  await expect
    .poll(() => `${text()}${all.stderr.join("\n")}`)
    .toMatch(/stopwatch \| Nothing is sent: an operator holds this database/);
  await expect.poll(text).toMatch(/dispatcher \| .*Nothing is sent/);
  const { port, password } = JSON.parse(await readFile(join(restoredDir, "postgres.json"), "utf8"));
  const copy = postgres(`postgres://stopwatch:${password}@127.0.0.1:${port}/stopwatch`, { max: 1, onnotice: () => {} });
  const untouched = () => copy`SELECT status FROM schedules WHERE status <> 'scheduled'`;
  expect(await untouched()).toEqual([]);

  const choice = await run("reconcile", ["--send-all", "--yes"], { DATA_DIR: restoredDir });
  expect(choice).toMatchObject({ code: 0, stdout: expect.stringMatching(/3 overdue/) });
  await expect.poll(untouched).toHaveLength(3);
  await copy.end();
  all.child.kill("SIGINT");
  expect(await all.exited).toBe(0);
});

test("a folder that is not empty, lies in the data folder or cannot be written is refused in one sentence, and nothing is written", async () => {
  const full = join(parent, "full");
  await mkdir(full);
  await writeFile(join(full, "notes.txt"), "mine");
  const refused = async (folder: string, message: RegExp, settings = {}) => {
    const { code, stdout, stderr } = await run("backup", [folder], settings);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toEqual([expect.stringMatching(message)]);
  };
  await refused(full, /is not empty: choose a folder that is empty or does not exist\.$/);
  await refused(join(dataDir, "backup"), /lies in .*, which is to be copied: choose a folder outside\.$/);
  await refused(join(parent, "missing", "backup"), /cannot be written: there is no folder .*missing\.$/);
  await refused(join(full, "notes.txt"), /cannot be written \(ENOTDIR\): choose another folder\.$/);
  await refused(join(parent, "other"), /There is no database in .*nowhere yet/, { DATA_DIR: join(parent, "nowhere") });
  await refused(join(parent, "other"), /^DATABASE_URL names/, { DATABASE_URL: server.url });
  expect(await readdir(full)).toEqual(["notes.txt"]);
  expect(await readdir(dataDir)).not.toContain("backup");
  expect(await exists(join(parent, "other"))).toBe(false);
  expect(await run("restore", [full])).toMatchObject({
    code: 1,
    stderr: [expect.stringMatching(/is no complete backup/)],
  });
});

/** Runs a backup that gets a signal when `isReached` says so. Returns false when the backup was done before. */
const isEndedBy = (signal: "SIGKILL" | "SIGINT", folder: string, isReached: (stdout: string) => Promise<boolean>) =>
  endsBy(signal, runScript("backup", [folder], { DATA_DIR: dataDir }), isReached, (code) => code === 0);

test("a backup that is killed leaves nothing that looks whole, and the next one to the same folder succeeds", async () => {
  let folder = join(parent, "killed");
  const isReached = (line: RegExp, file: string) => async (stdout: string) =>
    line.test(stdout) && (await exists(`${folder}.partial/postgres/${file}`));
  for (const moment of [
    isReached(/^copying/m, "base"),
    isReached(/^checking the copy with a second PostgreSQL$/m, "postmaster.pid"),
  ]) {
    // A backup that was done before the signal came says nothing about it.
    while (!(await isEndedBy("SIGKILL", folder, moment))) folder += "-again";
    expect(await exists(folder)).toBe(false);
    expect(await run("restore", [`${folder}.partial`], { DATA_DIR: join(parent, "none") })).toMatchObject({ code: 1 });
  }
  while (!(await isEndedBy("SIGINT", folder, async (stdout) => /^copying/m.test(stdout)))) folder += "-again";
  expect(await exists(`${folder}.partial`)).toBe(false);
  expect(await run("backup", [folder])).toMatchObject({ code: 0 });
});

test("a backup without keys has none, says so, and is restored once the keys are beside it", async () => {
  const folder = join(parent, "without-keys");
  const backup = await run("backup", [folder, "--without-keys"]);
  expect(backup).toMatchObject({ code: 0, stderr: [] });
  expect(backup.stdout).toContain("It has the database and no keys");
  expect((await readdir(folder)).toSorted()).toEqual(["backup.json", "postgres", "postgres.json"]);
  const restoredDir = join(parent, "restored-without-keys");
  const restore = await run("restore", [folder], { DATA_DIR: restoredDir });
  expect(restore).toMatchObject({ code: 0, stderr: [] });
  expect(restore.stdout).toContain("The backup has no keys: put your copy of keys.env into");
  expect(await exists(join(restoredDir, "keys.env"))).toBe(false);
});

test("a backup of a database that does not run starts it for that time", async () => {
  await sql.end();
  await server.stop();
  const folder = join(parent, "stopped");
  expect(await run("backup", [folder])).toMatchObject({ code: 0, stderr: [] });
  expect(await exists(join(dataDir, "postgres", "postmaster.pid"))).toBe(false);
});
