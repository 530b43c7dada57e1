// Guards: scripts/move/**, db/client*.ts, scripts/commands/move-database.ts, scripts/own-incarnation.ts
// Needs: postgres-15
// Final: its verdict is about what was kept in a move, and how often it was sent.
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate } from "#db/migrate.ts";
import { atHost, parseDatabaseAddress } from "#domain/database-address.ts";
import { encodeId } from "#domain/ids.ts";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "#scripts/postgres/embedded.ts";
import { installRelease } from "#scripts/postgres/releases.ts";
import { createTestDatabase } from "#tests/helpers/database.ts";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";
import { fillTables } from "#tests/helpers/many-schedules.ts";
import { makeServerFolder } from "#tests/helpers/own-server.ts";
import { pause } from "#tests/helpers/time.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";
import { startWebProcess, type WebProcess } from "#tests/helpers/web-process.ts";
import { runNode, runScript, type ScriptProcess } from "./script-process.ts";

// When a session ends while the driver fetches types, nobody can catch the error.
const QUIET = { onnotice: () => {}, fetch_types: false };
const WRITES = { default_transaction_read_only: "off" } as never;
const ROWS = 20_000;
const LOOPS = 10;
const ACCOUNTS = 5;

describe("npm run move-database", () => {
  let pair: Awaited<ReturnType<typeof startPair>>;
  let old: EmbeddedPostgres;
  let to: string;
  let from: postgres.Sql;
  let target: postgres.Sql;

  beforeAll(async () => {
    pair = await startPair({ programs: await installRelease("15") });
    ({ old, to, from, target } = pair);
  });
  afterAll(() => pair?.remove());

  const run = (args: string[], settings: Record<string, string> = { DATABASE_URL: old.url }) =>
    runScript("move-database", args, settings);
  const left = () => leftBy(pair);

  describe("what it cannot move is refused in one line, and nothing is changed", () => {
    const cases: [string, () => ScriptProcess | Promise<ScriptProcess>, RegExp][] = [
      ["the same database", () => run(["--to", old.url]), /The settings and --to name the same database/],
      ["an older server", () => run(["--to", old.url], { DATABASE_URL: to }), /is older than/],
      [
        "a server that cannot be reached",
        () => run(["--to", "postgres://u:p@127.0.0.1:1/stopwatch"]),
        /cannot be reached/,
      ],
      ["no settings", () => run(["--to", to], {}), /DATABASE_URL is missing/],
    ];
    it.each(cases)("%s", async (_name, start, says) => {
      const { code, said } = await finished(await start());
      expect(said).toMatch(says);
      expect(said).not.toMatch(/^ +at /m);
      expect(code).toBe(1);
      expect(await left()).toEqual([]);
    });

    it("a call that names no new database", async () => {
      const { code, said } = await finished(run(["--check"]));
      expect([code, said]).toEqual([2, expect.stringMatching(/the new database is missing: set DATABASE_TARGET_URL/)]);
    });

    it("a source without wal_level = logical", async () => {
      const database = await createTestDatabase();
      const { code, said } = await finished(run(["--to", to, "--check"], { DATABASE_URL: database.url }));
      expect([code, said]).toEqual([1, expect.stringMatching(/wal_level = minimal: set it to logical/)]);
      await database.drop();
    });

    it("a target that is not empty", async () => {
      await target`CREATE TABLE other (id int)`;
      const { code, said } = await finished(run(["--to", to, "--check"]));
      expect([code, said]).toEqual([1, expect.stringMatching(/is not empty \(public\.other\)/)]);
      await target`DROP TABLE other`;
    });

    it("a source with migrations of another version", async () => {
      await from`INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ('x', 4e12)`;
      const { code, said } = await finished(run(["--to", to, "--check"]));
      expect([code, said]).toEqual([1, expect.stringMatching(/other migrations than this version/)]);
      await from`DELETE FROM drizzle.__drizzle_migrations WHERE hash = 'x'`;
    });

    it("a role that does not own the target, or may not subscribe", async () => {
      await target.unsafe(`CREATE ROLE weak LOGIN PASSWORD 'weak'`);
      const weak = Object.assign(new URL(to), { username: "weak", password: "weak" }).href;
      const { code, said } = await finished(run(["--to", weak, "--check"]));
      expect(code).toBe(1);
      expect(said).toMatch(/The role weak does not own the database/);
      expect(said).toMatch(/cannot subscribe to/);
      await target.unsafe("DROP ROLE weak");
    });
  });

  it("--check finds everything there, and changes nothing", async () => {
    const file = join(await mkdtemp(join(tmpdir(), "stopwatch-target-")), "address");
    await writeFile(file, `${to}\n`, { mode: 0o600 });
    const { code, said } = await finished(run(["--check"], { DATABASE_URL: old.url, DATABASE_TARGET_URL_FILE: file }));
    await rm(dirname(file), { recursive: true });
    expect([code, said]).toEqual([0, "Everything that the move needs is there. Nothing was changed."]);
    expect(await left()).toEqual([]);
    expect(await target`SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace`).toHaveLength(0);
  });

  describe("from 15 to 18 while the service runs", () => {
    let receiver: Receiver;
    let web: WebProcess | undefined;
    const dispatchers: ScriptProcess[] = [];
    let settings: Record<string, string>;

    beforeAll(async () => {
      receiver = await startReceiver({ tls: false });
      const port = (url: string) => parseDatabaseAddress(url).hosts[0]?.port;
      settings = {
        DATABASE_URL: old.url.replace(`:${port(old.url)}`, `:${port(old.url)},127.0.0.1:${port(to)}`),
        ENCRYPTION_KEYS,
        DELIVERY_ALLOW: receiver.origin,
        DISPATCHER_PORT: "0",
      };
    });
    afterAll(async () => {
      for (const { child } of dispatchers) child.kill("SIGTERM");
      await Promise.all(dispatchers.map(({ exited }) => exited));
      await web?.stop();
      await receiver?.close();
    });

    const account = async (n: number): Promise<string> => {
      const args = ["create", "--email", `move-${n}@example.com`, "--plan", "indie", "--key", "live"];
      const made = runScript("account", args, settings);
      expect(await made.exited, made.stderr.join("\n")).toBe(0);
      return JSON.parse(made.stdout[0] as string).key;
    };

    it("killed while it copies, it goes on; --abort leaves nothing that keeps the log; it begins again", async () => {
      const [row] = await from`
        INSERT INTO accounts (id, email, plan) VALUES (gen_random_uuid(), 'filled@example.com', 'indie') RETURNING id`;
      await fillTables(from, row?.id, ROWS);
      const killed = run(["--to", to]);
      // It ends the sessions that the target has.
      const subscribed = () => target`SELECT FROM pg_subscription`.catch(() => []);
      await waitFor("it copies", async () => (await subscribed()).length > 0, 30_000);
      killed.child.kill("SIGKILL");
      await killed.exited;
      const waits = await finished(run(["--to", to]));
      expect([waits.code, waits.said]).toEqual([2, expect.stringMatching(/no terminal to confirm this on: add --yes/)]);
      expect(await left()).toHaveLength(3);

      const aborted = await finished(run(["--to", to, "--abort"]));
      expect([aborted.code, aborted.said]).toEqual([0, expect.stringMatching(/^Taken back/)]);
      expect(await left()).toEqual([]);
      const again = await finished(run(["--to", to]));
      expect(again.code, again.said).toBe(2);
    });

    it("nothing that was acknowledged is lost, sent twice, or sent after its cancel", async () => {
      const keys = await Promise.all(Array.from({ length: ACCOUNTS }, (_, n) => account(n)));
      web = await startWebProcess(settings);
      for (let n = 0; n < 2; n++) dispatchers.push(runNode(["dispatcher/main.ts"], { ...settings, LOG_LEVEL: "warn" }));
      const load = startLoad(web.origin, keys, receiver.origin);
      await waitFor("deliveries arrive", () => receiver.requests.length > 50, 60_000);

      const moved = await finished(run(["--to", to, "--yes"], settings));
      expect(moved.code, moved.said).toBe(0);
      const [, seconds] = /Nothing took them for ([\d.]+) s\./.exec(moved.said) ?? [];
      expect(moved.said).not.toMatch(/warning/);
      const at = load.ledger.length;
      await waitFor("the load goes on", () => load.ledger.length > at + 100, 30_000);
      await load.stop();

      const arrivals = (path: string) => receiver.requests.filter((request) => request.path === path);
      const sent = load.ledger.filter(({ cancel }) => cancel === "none");
      await waitFor("all arrive", () => sent.every(({ path }) => arrivals(path).length > 0), 30_000);
      const cancelled = load.ledger.filter(({ cancel }) => cancel === "acknowledged");
      expect(cancelled.length).toBeGreaterThan(20);
      expect(cancelled.filter(({ path }) => arrivals(path).length > 0)).toEqual([]);
      const rows = await target`
        SELECT s.id, EXISTS (SELECT FROM attempts a WHERE a.schedule_id = s.id AND outcome = 'interrupted') AS interrupted
        FROM schedules s`;
      const stored = new Map(rows.map(({ id, interrupted }) => [encodeId("sch", id), interrupted as boolean]));
      expect(load.ledger.filter(({ id }) => !stored.has(id))).toEqual([]);
      const twice = sent.filter(({ path, id }) => arrivals(path).length > 1 && !stored.get(id));
      expect(twice).toEqual([]);
      const early = load.ledger.filter(({ path, movedToMs }) =>
        arrivals(path).some(({ arrivedAtMs }) => arrivedAtMs < (movedToMs ?? 0)),
      );
      expect(early).toEqual([]);

      const visitor = postgres(old.url, { max: 1 });
      await expect(visitor`DELETE FROM shards`).rejects.toThrow("read-only transaction");
      await visitor.end();
      expect(await left()).toEqual([]);
      expect(await target`SELECT FROM holds WHERE ended_at IS NULL`).toHaveLength(0);
      const warned = dispatchers
        .flatMap(({ stdout, stderr }) => [...stdout, ...stderr])
        .filter((line) => /Nothing is sent/.test(line));
      expect(warned).toEqual([]);
      console.log(
        `moved ${stored.size} schedules; no writes for ${seconds} s by the command, for callers ${(load.gapMs() / 1_000).toFixed(1)} s; ${sent.length} sent, ${cancelled.length} cancelled, ${[...stored.values()].filter(Boolean).length} interrupted, ${load.failures()} calls failed`,
      );
      expect(load.gapMs()).toBeLessThan(30_000);
    });

    it("run once more, it says that it is done", async () => {
      const again = await finished(run(["--to", to], settings));
      expect([again.code, again.said]).toEqual([0, expect.stringMatching(/^1\. Set DATABASE_URL/)]);
      const back = await finished(run(["--to", to, "--abort"], settings));
      expect([back.code, back.said]).toEqual([1, expect.stringMatching(/^The move is done/)]);
    });

    it("the way back works as it is printed", async () => {
      const { said } = await finished(run(["--to", to], settings));
      const typed = (database: string) => {
        const [line = ""] = new RegExp(`psql ${database} .*`).exec(said) ?? [];
        return [...line.matchAll(/-c '([^']*)'/g)].map(([, statement = ""]) => statement);
      };
      for (const [url, database] of [
        [to, "NEW"],
        [old.url, "OLD"],
      ] as const) {
        const psql = postgres(url, { ...QUIET, max: 1 });
        expect(typed(database).length).toBeGreaterThan(0);
        for (const statement of typed(database)) await psql.unsafe(statement);
        await psql.end();
      }
      expect([await isReadOnly(to), await isReadOnly(old.url)]).toEqual([true, false]);
    });
  });
});

it("killed in the flip, the old database writes again after --abort; run again, it goes on without a question", async () => {
  const pair = await startPair({});
  const { old, to, from, target } = pair;
  const run = (...args: string[]) =>
    finished(runScript("move-database", ["--to", to, ...args], { DATABASE_URL: old.url }));
  const readOnly = async () => [await isReadOnly(old.url), await isReadOnly(to)];
  const killInFlip = async (email: string) => {
    expect((await run()).code).toBe(2);
    // The new database waits with this account for another transaction, so that the flip cannot end.
    const add = (sql: postgres.Sql) => sql`
      INSERT INTO accounts (id, email, plan) VALUES (${randomUUID()}, ${email}, 'free')`;
    // The driver reserves no connection that it has yet to open.
    await target`SELECT 1`;
    const blocker = await target.reserve();
    // It waits for as long as the command takes to start.
    await blocker`SET idle_in_transaction_session_timeout = 0`;
    await blocker`BEGIN`;
    await add(blocker);
    await add(from);
    const killed = runScript("move-database", ["--to", to, "--yes"], { DATABASE_URL: old.url });
    await waitFor("the flip has begun", () => isReadOnly(old.url), 30_000);
    killed.child.kill("SIGKILL");
    await killed.exited;
    await blocker`ROLLBACK`;
    blocker.release();
    expect(await readOnly()).toEqual([true, true]);
  };
  try {
    await killInFlip("first@example.com");
    expect(await run("--abort")).toMatchObject({ code: 0, said: expect.stringMatching(/^Taken back/) });
    expect(await readOnly()).toEqual([false, true]);
    expect(await leftBy(pair)).toEqual([]);
    await killInFlip("second@example.com");
    expect(await run()).toMatchObject({ code: 0, said: expect.stringMatching(/^Flipped/) });
    expect(await readOnly()).toEqual([true, false]);
    expect(await leftBy(pair)).toEqual([]);
    const found = await target`SELECT email FROM accounts ORDER BY email`;
    expect(found.map(({ email }) => email)).toEqual(["first@example.com", "second@example.com"]);
  } finally {
    await pair.remove();
  }
});

/** An old server with a migrated database, and a new one with an empty database of the same name and password. */
async function startPair(release: { programs?: string }) {
  const folders = [await makeServerFolder(), await makeServerFolder()] as const;
  const old = await startEmbeddedPostgres(folders[0], { settings: { wal_level: "logical" }, ...release });
  const next = await startEmbeddedPostgres(folders[1]);
  const to = atHost(old.url, parseDatabaseAddress(next.url).hosts[0] as { host: string; port: number });
  const admin = postgres(next.url, { max: 1 });
  await admin.unsafe(`ALTER ROLE stopwatch PASSWORD '${new URL(old.url).password}'`);
  await admin.end();
  await migrate(old.url);
  const open = (url: string) => postgres(url, { ...QUIET, max: 2, connection: WRITES });
  const [from, target] = [open(old.url), open(to)];
  return {
    old,
    to,
    from,
    target,
    async remove() {
      await Promise.all([from, target].map((sql) => sql.end({ timeout: 2 })));
      await Promise.all([old, next].map((server) => server.stop()));
      for (const folder of folders) await rm(folder, { recursive: true, force: true });
    },
  };
}

async function finished(moved: ScriptProcess) {
  const code = await moved.exited;
  return { code, said: [...moved.stdout, ...moved.stderr].join("\n") };
}

/** What a move has left in its databases. */
async function leftBy({ from, target }: { from: postgres.Sql; target: postgres.Sql }) {
  return [
    ...(await from`SELECT slot_name FROM pg_replication_slots UNION ALL SELECT pubname FROM pg_publication`),
    ...(await target`SELECT subname FROM pg_subscription`),
  ];
}

/** Whether a session that begins now may not write. */
async function isReadOnly(url: string): Promise<boolean> {
  const sql = postgres(url, { ...QUIET, max: 1 });
  const [row] = await sql`SHOW default_transaction_read_only`.catch(() => []);
  await sql.end({ timeout: 1 });
  return row?.default_transaction_read_only === "on";
}

/** What a caller knows of a schedule whose create was acknowledged. */
type Entry = {
  id: string;
  path: string;
  cancel: "none" | "acknowledged" | "unknown";
  /** What it was last moved to, and when that is not certain, null; epoch ms. */
  movedToMs?: number | null;
};

/** Creates schedules that fire after some seconds, and cancels or moves some of them, in several loops. */
function startLoad(origin: string, keys: readonly string[], target: string) {
  const ledger: Entry[] = [];
  let failed = 0;
  let isRunning = true;
  let lastAt = performance.now();
  let gapMs = 0;

  async function call(key: string, method: string, path: string, body?: object) {
    const answer = await fetch(`${origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    }).catch(() => undefined);
    const text = (await answer?.text().catch(() => "")) ?? "";
    if (!answer?.ok) failed++;
    else if (method === "POST") {
      gapMs = Math.max(gapMs, performance.now() - lastAt);
      lastAt = performance.now();
    }
    return answer?.ok ? { ok: true, body: text === "" ? {} : JSON.parse(text) } : { ok: false, body: {} };
  }

  async function loop(name: number) {
    const key = keys[name % keys.length] as string;
    for (let n = 0; isRunning; n++) {
      const path = `/${name}-${n}`;
      const made = await call(key, "POST", "/v1/schedules", {
        targetUrl: `${target}${path}`,
        fireIn: "4s",
        payload: path,
      });
      await pause(200);
      if (!made.ok) continue;
      const entry: Entry = { id: made.body.id, path, cancel: "none" };
      ledger.push(entry);
      if (n % 4 === 1) {
        const { ok } = await call(key, "DELETE", `/v1/schedules/${entry.id}`);
        entry.cancel = ok ? "acknowledged" : "unknown";
      } else if (n % 4 === 2) {
        const { ok, body } = await call(key, "PATCH", `/v1/schedules/${entry.id}`, { fireIn: "6s" });
        entry.movedToMs = ok ? Date.parse(body.fireAt ?? body.fire_at) : null;
      }
    }
  }

  const loops = Array.from({ length: LOOPS }, (_, name) => loop(name));
  return {
    ledger,
    gapMs: () => gapMs,
    failures: () => failed,
    async stop() {
      isRunning = false;
      await Promise.all(loops);
    },
  };
}
