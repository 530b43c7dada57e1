// Guards: db/migrations/**, db/migrator/**, db/functions/**
// Needs: previous-release
// Final: its verdict is about what was stored and sent by two versions at once.
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate } from "#db/migrate.ts";
import { type ReceivedRequest, type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { verifySignature } from "../../../sdk/src/index.ts";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";
import { ENCRYPTION_KEYS } from "../../helpers/encryption-keys.ts";
import { fillTables } from "../../helpers/many-schedules.ts";
import { createMigrationsFolder } from "../../helpers/migrations-folder.ts";
import { checkOutPreviousRelease, findPreviousRelease } from "../../helpers/previous-release.ts";
import { pause } from "../../helpers/time.ts";
import { type Call, startTraffic } from "../../helpers/traffic.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { startWebProcess, type WebProcess } from "../../helpers/web-process.ts";
import { runNode, runScript, type ScriptProcess } from "../scripts/script-process.ts";

const found = findPreviousRelease();
const MINUTES = 60_000;

/** The sources that a process runs: those of the previous release, or those of this checkout. */
type Release = "previous" | "this";
type Account = { key: string; secrets: string[]; shard: number };

let folder: string | undefined;
let removeFolder: (() => Promise<void>) | undefined;
let database: TestDatabase;
let sql: postgres.Sql;
let receiver: Receiver;
const webs: Record<Release, WebProcess | undefined> = { previous: undefined, this: undefined };
const dispatchers = new Set<ScriptProcess>();

const folderOf = (release: Release) => (release === "previous" ? folder : undefined);
const settings = () => ({
  DATABASE_URL: database.url,
  ENCRYPTION_KEYS,
  DELIVERY_ALLOW: receiver.origin,
  DISPATCHER_PORT: "0",
  PLANS: JSON.stringify({ indie: { retryBackoffMs: 1_000 } }),
});

async function startDispatcher(release: Release): Promise<ScriptProcess> {
  const started = runNode(["dispatcher/main.ts"], { ...settings(), LOG_LEVEL: "warn" }, folderOf(release));
  dispatchers.add(started);
  await waitFor(
    `the dispatcher owns shards\n${started.stderr.join("\n")}`,
    async () => (await shardsOf(started)).length,
  );
  return started;
}

async function stopDispatcher(dispatcher: ScriptProcess): Promise<void> {
  dispatcher.child.kill("SIGTERM");
  expect(await dispatcher.exited, [...dispatcher.stdout, ...dispatcher.stderr].join("\n")).toBe(0);
  dispatchers.delete(dispatcher);
}

async function shardsOf({ child }: ScriptProcess): Promise<number[]> {
  const rows = await sql`
    SELECT s.id FROM shards s JOIN dispatchers d ON d.id = s.owner
    WHERE d.pid = ${child.pid as number} AND s.lease_until > clock_timestamp()`;
  return rows.map(({ id }) => id);
}

/** An account that `npm run account` of a release creates. */
async function createAccount(release: Release, name: string): Promise<Account> {
  const args = ["create", "--email", `${name}@example.com`, "--plan", "indie", "--key", "live"];
  const run = runScript("account", args, settings(), folderOf(release));
  expect(await run.exited, run.stderr.join("\n")).toBe(0);
  const { key } = JSON.parse(run.stdout[0] as string);
  const { body } = await call(release, key, "GET", "/v1/signing-secrets");
  const [row] = await sql`SELECT shard FROM accounts WHERE email = ${`${name}@example.com`}`;
  return { key, secrets: [body.current], shard: row?.shard };
}

async function call(through: Release, key: string, method: string, path: string, body?: object) {
  const answer = await fetch(`${webs[through]?.origin}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  expect(answer.status, `${method} ${path} through the web process of ${through} release: ${text}`).toBeLessThan(300);
  return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) };
}

const arrivedAt = (path: string): ReceivedRequest[] => receiver.requests.filter((request) => request.path === path);

/**
 * Does with schedules of `account` all that the API offers, `through` the web process of one release, and what changes them
 * through that of `other`. Checks that the requests that are due arrive as often as they should, signed, and no other does.
 */
async function useService(account: Account, name: string, through: Release, other: Release): Promise<void> {
  const { key } = account;
  const target = (what: string) => `${receiver.origin}/${name}/${what}`;
  const create = async (what: string, fireIn: string, more: object = {}) =>
    (await call(through, key, "POST", "/v1/schedules", { targetUrl: target(what), fireIn, ...more })).body.id as string;

  const first = { targetUrl: target("one"), fireIn: "2s", payload: `{"of":"${name}"}`, headers: { "X-Tag": name } };
  const idempotencyKey = `${name}-one`;
  const one = (await call(through, key, "POST", "/v1/schedules", { ...first, idempotencyKey })).body;
  const again = (await call(other, key, "POST", "/v1/schedules", { ...first, idempotencyKey })).body;
  expect(again).toMatchObject({ id: one.id, replayed: true, mismatch: false });

  const items = ["a", "b", "c"].map((what) => ({ targetUrl: target(`bulk-${what}`), fireIn: "2s", payload: what }));
  const bulk = await call(through, key, "POST", "/v1/schedules/bulk", { schedules: items });
  expect(bulk.body.accepted).toHaveLength(3);
  const failing = await create("fails-once", "2s");
  const moved = await create("moved", "1h");
  const fired = await create("fired", "1h", { payload: "now" });
  for (const what of ["op-1", "op-2"]) await create(what, "1h");
  // So soon that a dispatcher may have read it ahead.
  const cancelled = await create("cancelled", "4s");
  const wouldBeDueAtMs = Date.now() + 4_000;
  await call(other, key, "DELETE", `/v1/schedules/${cancelled}`);

  const filter = { status: ["scheduled"], q: `/${name}/op-` };
  const operation = (await call(other, key, "POST", "/v1/operations", { action: "cancel", filter })).body.id;
  await call(other, key, "PATCH", `/v1/schedules/${moved}`, { fireIn: "2s" });
  await call(other, key, "POST", `/v1/schedules/${fired}/fire`);

  const due = ["one", "bulk-a", "bulk-b", "bulk-c", "fails-once", "moved", "fired"];
  await waitFor("everything arrives", () => due.every((what) => arrivedAt(`/${name}/${what}`).length > 0), 30_000);
  await waitFor("the retry arrives", () => arrivedAt(`/${name}/fails-once`).length === 2, 30_000);
  await waitFor("the operation is done", async () => {
    const { body } = await call(through, key, "GET", `/v1/operations/${operation}`);
    return body.status === "done" && body.acted === 2;
  });
  const ended = async (id: string) => {
    await waitFor(`${id} has succeeded`, async () => {
      const { body } = await call(through, key, "GET", `/v1/schedules/${id}`);
      return body.status === "succeeded";
    });
    return (await call(other, key, "GET", `/v1/schedules/${id}/attempts`)).body;
  };
  for (const id of [one.id, moved, fired, ...bulk.body.accepted.map((item: { id: string }) => item.id)])
    await ended(id);
  const attempts = (await ended(failing)).items as { status_code: number }[];
  expect(attempts.map(({ status_code }) => status_code).toSorted()).toEqual([200, 500]);
  expect((await call(through, key, "GET", `/v1/schedules/${cancelled}`)).body.status).toBe("cancelled");

  const replay = (await call(other, key, "POST", `/v1/schedules/${one.id}/replay`, {})).body.id;
  await ended(replay);
  const clone = (await call(through, key, "POST", `/v1/schedules/${fired}/clone`, { payload: "cloned" })).body.id;
  await ended(clone);

  const { body: ofOperation } = await call(other, key, "GET", `/v1/schedules?status=cancelled&q=/${name}/op-`);
  expect(ofOperation.total).toBe(2);

  await waitFor("the cancelled one would have been sent", () => Date.now() > wouldBeDueAtMs + 1_000);
  const own = receiver.requests.filter(({ path }) => path.startsWith(`/${name}/`));
  const counts = Object.fromEntries(own.map(({ path }) => [path.split("/")[2], arrivedAt(path).length]));
  const twice = { one: 2, "fails-once": 2, fired: 2 };
  expect(counts).toEqual({ ...Object.fromEntries(due.map((what) => [what, 1])), ...twice });
  expect(arrivedAt(`/${name}/one`)[0]?.body.toString()).toBe(first.payload);
  expect(arrivedAt(`/${name}/one`)[0]?.headers["x-tag"]).toBe(name);
  for (const { headers, body } of own) await verifySignature({ headers, body } as never, { secrets: account.secrets });

  for (const release of [through, other]) {
    const { body } = await call(release, key, "GET", `/v1/schedules?q=${encodeURIComponent(`/${name}/`)}&limit=50`);
    expect(body.total).toBe(12);
    expect((await call(release, key, "GET", "/v1/logs")).body.total).toBe(own.length);
    expect((await call(release, key, "GET", "/v1/overview")).status).toBe(200);
  }
}

describe.skipIf(found.missing !== undefined)(
  found.missing === undefined ? "the previous release on the schema of this one" : `not run: ${found.missing}`,
  () => {
    beforeAll(async () => {
      const checkout = await checkOutPreviousRelease(found.commit);
      [folder, removeFolder] = [checkout.folder, checkout.remove];
      database = await createTestDatabase();
      sql = postgres(database.url, { max: 2, onnotice: () => {} });
      receiver = await startReceiver({ tls: false });
      receiver.respond((request, response) => {
        const isFirst = arrivedAt(request.path).length === 1;
        response.writeHead(request.path.endsWith("/fails-once") && isFirst ? 500 : 200).end("ok");
      });
      // Each is built first.
      webs.previous = await startWebProcess(settings(), { folder: checkout.folder, deadlineMs: 6 * MINUTES });
      webs.this = await startWebProcess(settings(), { deadlineMs: 6 * MINUTES });
    }, 15 * MINUTES);
    afterAll(async () => {
      for (const dispatcher of dispatchers) dispatcher.child.kill("SIGKILL");
      for (const web of Object.values(webs)) await web?.stop();
      await receiver?.close();
      await sql?.end();
      await database?.drop();
      await removeFolder?.();
    }, MINUTES);

    let old: ScriptProcess;
    let current: ScriptProcess;

    it(
      "works by itself: its web process, its dispatcher and its commands",
      async () => {
        old = await startDispatcher("previous");
        await useService(await createAccount("previous", "before"), "before", "previous", "previous");
      },
      2 * MINUTES,
    );

    it(
      "delivers beside this one: either web process stores and changes what either dispatcher delivers",
      async () => {
        current = await startDispatcher("this");
        await waitFor(
          "both dispatchers own half of the shards",
          async () => {
            const [ofOld, ofCurrent] = [await shardsOf(old), await shardsOf(current)];
            return ofOld.length === 32 && ofCurrent.length === 32;
          },
          30_000,
        );
        const ofOld = new Set(await shardsOf(old));
        const wanted = [
          ...[
            { by: "old", through: "previous", other: "this" },
            { by: "old", through: "this", other: "previous" },
          ],
          ...[
            { by: "current", through: "previous", other: "this" },
            { by: "current", through: "this", other: "previous" },
          ],
        ] as const;
        const accounts: Record<"old" | "current", Account[]> = { old: [], current: [] };
        for (let n = 0; (accounts.old.length < 2 || accounts.current.length < 2) && n < 30; n++) {
          const account = await createAccount(n % 2 ? "previous" : "this", `beside-${n}`);
          accounts[ofOld.has(account.shard) ? "old" : "current"].push(account);
        }
        await Promise.all(
          wanted.map(({ by, through, other }) =>
            useService(accounts[by].pop() as Account, `by-${by}-through-${through}`, through, other),
          ),
        );
        expect(new Set(await shardsOf(old))).toEqual(ofOld);
      },
      4 * MINUTES,
    );

    it(
      "leaves to this one what it has stored, and takes its place again, as when an upgrade is taken back",
      async () => {
        const account = await createAccount("previous", "handed-over");
        const store = async (what: string) => {
          const targetUrl = `${receiver.origin}/handed-over/${what}`;
          for (let n = 0; n < 5; n++)
            await call("previous", account.key, "POST", "/v1/schedules", {
              targetUrl,
              fireIn: `${n + 2}s`,
              payload: what,
            });
        };
        await store("upgraded");
        await stopDispatcher(old);
        await waitFor("all arrive", () => arrivedAt("/handed-over/upgraded").length === 5, 60_000);
        old = await startDispatcher("previous");
        await store("taken-back");
        await stopDispatcher(current);
        await waitFor("all arrive", () => arrivedAt("/handed-over/taken-back").length === 5, 60_000);
        await stopDispatcher(old);
        expect(arrivedAt("/handed-over/upgraded")).toHaveLength(5);
        expect(arrivedAt("/handed-over/taken-back")).toHaveLength(5);
      },
      3 * MINUTES,
    );

    it(
      "waits for no lock for 1.5 s, answers each call, and all but its overview within 1.5 s, while this one migrates two million rows beside a reader of all tables",
      async () => {
        const dispatcher = await startDispatcher("previous");
        const account = await createAccount("previous", "beside-migrations");
        const [owner] = await sql`SELECT id FROM accounts WHERE email = 'beside-migrations@example.com'`;
        await fillTables(sql, owner?.id, 700_000);
        const migrations = await createMigrationsFolder();
        await migrations.write("0901_column", "ALTER TABLE accounts ADD COLUMN added text NOT NULL DEFAULT ''");
        await migrations.write(
          "0902_indexes",
          "CREATE INDEX CONCURRENTLY schedules_added ON schedules (account_id, updated_at)",
          "CREATE INDEX CONCURRENTLY attempts_added ON attempts (account_id, latency_ms)",
        );
        await migrations.write("0903_function", "CREATE FUNCTION added() RETURNS int LANGUAGE sql AS 'SELECT 1'");
        await migrations.write("0904_column", "ALTER TABLE schedules ADD COLUMN added text");
        const target = `${receiver.origin}/beside-migrations`;
        const waits = watchLocks();
        const web = webs.previous?.origin as string;
        const health = watchHealth(web);
        const traffic = startTraffic(web, account.key, target);
        const lines: string[] = [];
        try {
          const reader = await startReading(await readTables());
          const migrating = migrate(database.url, { folder: migrations.path, onLog: (line) => lines.push(line) });
          await pause(READER_MS);
          // The first migration goes on when the first reader has ended, and the indexes wait for this one.
          const second = await startReading(["shards"]);
          await reader.end();
          await waitFor("the index waits for it", () => lines.some((line) => line.startsWith("index ")), 60_000);
          await second.end();
          await migrating;
        } finally {
          await traffic.stop();
          await health.end();
          await waits.end();
          await migrations.remove();
        }
        const arrived = () => traffic.delivered.filter((path) => arrivedAt(`/beside-migrations${path}`).length > 0);
        await waitFor("all are delivered", () => arrived().length === traffic.delivered.length, 30_000);
        await stopDispatcher(dispatcher);

        expect(traffic.calls.length).toBeGreaterThan(500);
        expect(traffic.calls.filter(({ status }) => status === 0 || status >= 400)).toEqual([]);
        expect(waits.longest()).toMatchObject({ ms: expect.toSatisfy((ms) => ms > 0 && ms < 1_500) });
        // The previous release counts 700,000 rows for an overview, beside the work of the indexes.
        const isSlow = (call: Call) => call.ms - health.stoodStillMs(call) > 1_500;
        expect(traffic.calls.filter((call) => call.what !== "GET /v1/overview" && isSlow(call))).toEqual([]);
        expect(lines[0]).toMatch(/^migration 0901_column waits for pid \d+ \(a report, .*in a transaction for \d+ s\)/);
        expect(
          await sql`SELECT added(), 1 AS one FROM pg_index WHERE indexrelid = 'attempts_added'::regclass AND indisvalid`,
        ).toHaveLength(1);
      },
      5 * MINUTES,
    );
  },
);

const READER_MS = 60_000;

/** Watches for how long the sessions of the service wait for locks. `longest` is the longest wait that was seen. */
function watchLocks(): { longest(): { ms: number; query: string }; end(): Promise<void> } {
  const found = { ms: 0, query: "" };
  let isRunning = true;
  const watch = async () => {
    while (isRunning) {
      const rows = await sql<{ ms: number; query: string }[]>`
        SELECT extract(epoch FROM clock_timestamp() - l.waitstart)::float8 * 1000 AS ms, a.query
        FROM pg_locks l JOIN pg_stat_activity a USING (pid)
        WHERE NOT l.granted AND l.waitstart IS NOT NULL AND a.datname = current_database()
          AND a.application_name NOT IN ('stopwatch migrate', ${REPORT})`;
      for (const row of rows) if (row.ms > found.ms) Object.assign(found, row);
      await pause(20);
    }
  };
  const watching = watch();
  return {
    longest: () => found,
    async end() {
      isRunning = false;
      await watching;
    },
  };
}

const PROBE_EVERY_MS = 50;
/** A web process that answers later than this without the database did not run. */
const PROBE_MAX_MS = 500;

/**
 * Asks a web process for its health again and again, which it answers without the database. `stoodStillMs` is the part of
 * a call in which the web process, or this one, did not even do that.
 */
function watchHealth(origin: string): { stoodStillMs(call: Call): number; end(): Promise<void> } {
  const stills: { fromMs: number; toMs: number }[] = [];
  let isRunning = true;
  const watch = async () => {
    for (let fromMs = performance.now(); isRunning; ) {
      await (await fetch(`${origin}/healthz`)).text();
      const toMs = performance.now();
      if (toMs - fromMs > PROBE_EVERY_MS + PROBE_MAX_MS) stills.push({ fromMs, toMs });
      fromMs = toMs;
      await pause(PROBE_EVERY_MS);
    }
  };
  const watching = watch();
  return {
    stoodStillMs: ({ startedAtMs, ms }) =>
      stills.reduce((sum, { fromMs, toMs }) => {
        const sharedMs = Math.min(toMs, startedAtMs + ms) - Math.max(fromMs, startedAtMs);
        return sum + Math.max(0, sharedMs);
      }, 0),
    async end() {
      isRunning = false;
      await watching;
    },
  };
}

const REPORT = "a report";

/** Reads tables in a transaction with one snapshot, which stays open until `end`. */
async function startReading(tables: string[]): Promise<{ end(): Promise<void> }> {
  const reader = postgres(database.url, {
    max: 1,
    connection: { application_name: REPORT, idle_in_transaction_session_timeout: 10 * MINUTES },
  });
  await reader.unsafe("BEGIN ISOLATION LEVEL REPEATABLE READ");
  for (const table of tables) await reader.unsafe(`SELECT FROM ${table} LIMIT 1`);
  return { end: () => reader.end() };
}

const readTables = async (): Promise<string[]> =>
  (
    await sql`SELECT oid::regclass::text AS name FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace`
  ).map(({ name }) => name);
