// Guards: db/**, server/start.ts, dispatcher/ready.ts, dispatcher/run.ts, scripts/stack/**, patches/**
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type DatabaseProxy, type Peer, startProxy } from "#scripts/lab/proxy.ts";
import { freePort } from "#scripts/ports.ts";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";
import { createTlsPeers, overTls, passesOn, plain, refuses, SPEAKERS } from "../../helpers/database-peers.ts";
import { ENCRYPTION_KEYS } from "../../helpers/encryption-keys.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { runNode, runScript, type ScriptProcess } from "./script-process.ts";

let database: TestDatabase;
let sql: postgres.Sql;
let folder: string;
let port: number;
let tls: Awaited<ReturnType<typeof createTlsPeers>>;
let proxy: DatabaseProxy | undefined;
let running: ScriptProcess[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  port = Number(new URL(database.url).port);
  sql = postgres(database.url, { max: 1, onnotice: () => {} });
  tls = await createTlsPeers();
  folder = await mkdtemp(join(tmpdir(), "stopwatch-unready-"));
  await writeFile(join(folder, "ca.pem"), tls.ca);
});
afterEach(async () => {
  for (const { child } of running) child.kill("SIGKILL");
  await Promise.all(running.map(({ exited }) => exited));
  running = [];
  await proxy?.close();
  proxy = undefined;
});
afterAll(async () => {
  await sql.end();
  await database.drop();
  await rm(folder, { recursive: true });
});

/** An address where the database will be, and how it gets there. */
type Place = { url: string; arrive: () => Promise<unknown> };

const place = async (peer: Peer, query = "", there: Peer | "pass" = "pass"): Promise<Place> => {
  const front = await startProxy(port);
  proxy = front;
  front.set(peer);
  const url = Object.assign(new URL(database.serviceUrl), { hostname: "localhost", port: String(front.port) });
  return { url: `${url.href}${query}`, arrive: async () => front.set(there) };
};

/** The same address for the owner, who may migrate. */
const asOwner = (url: string) => {
  const [owner, service] = [database.url, database.serviceUrl].map((one) => new URL(one));
  return url.replace(`${service?.username}:${service?.password}@`, `${owner?.username}:${owner?.password}@`);
};

const socketAddress = () => {
  const { username, password, pathname } = new URL(database.serviceUrl);
  return `postgres://${username}:${password}@${pathname}?host=${folder}`;
};
const openSocket = async () => {
  proxy = await startProxy(port, join(folder, ".s.PGSQL.5432"));
};

const speakerOf = (wanted: string) => SPEAKERS.find(([what]) => what === wanted)?.[1] ?? expect.fail(wanted);

const PLACES: [what: string, make: () => Promise<Place>, says: RegExp][] = [
  [
    "whose Unix socket is not there",
    async () => ({ url: socketAddress(), arrive: openSocket }),
    /The Unix socket of its address does not exist/,
  ],
  [
    "that shows an expired certificate",
    () => {
      const query = `?sslmode=verify-full&sslrootcert=${join(folder, "ca.pem")}`;
      return place(tls.peers[0]?.[1] as Peer, query, overTls(tls.good, passesOn(port)));
    },
    /Its certificate has expired/,
  ],
  [
    "that takes no connections",
    () => place(plain(refuses("55000", 'database "d" is not currently accepting connections'))),
    /It says: database \\?"d\\?" is not currently accepting connections/,
  ],
  [
    "in whose place is a web server",
    () => place(plain(speakerOf("a web server"))),
    /does not speak as PostgreSQL does/,
  ],
  [
    "that closes in the middle of the start",
    () => place(plain(speakerOf("an end after the login"))),
    /cannot be reached right now/,
  ],
];

const NOBODY: (typeof PLACES)[number] = [
  "where nobody listens",
  async () => {
    const away = await freePort();
    const url = Object.assign(new URL(database.serviceUrl), { hostname: "127.0.0.1", port: String(away) });
    const arrive = async () => {
      proxy = await startProxy(port, { port: away });
    };
    return { url: url.href, arrive };
  },
  /cannot be reached/,
];

function start(args: string[], settings: Record<string, string>): ScriptProcess {
  const started = runNode(args, { ENCRYPTION_KEYS, LOG_LEVEL: "info", NODE_ENV: "production", ...settings });
  running.push(started);
  return started;
}

const WEB = `import { start } from "#server/start.ts"; await start(); setInterval(() => {}, 1_000);`;

describe("a database", () => {
  it.each(PLACES)(
    "%s is waited for by a dispatcher that starts, which says why in its log and at /readyz",
    async (_, make, says) => {
      const { url, arrive } = await make();
      const dispatcherPort = String(await freePort());
      const dispatcher = start(["dispatcher/main.ts"], { DATABASE_URL: url, DISPATCHER_PORT: dispatcherPort });
      const logged = () => dispatcher.stdout.join("\n");
      await waitFor("it says why", () => /waiting for the database/.test(logged()) && says.test(logged()));
      const ready = await waitFor("/readyz says why", async () => {
        const answer = await fetch(`http://127.0.0.1:${dispatcherPort}/readyz`);
        const { reason } = (await answer.json()) as { reason: string };
        return says.test(reason) && { status: answer.status, reason };
      });
      expect(ready.status).toBe(503);
      expect(ready.reason).not.toContain(new URL(database.serviceUrl).password);
      await arrive();
      await waitFor("it delivers", () => /"delivering"/.test(logged()));
      dispatcher.child.kill("SIGTERM");
      expect([await dispatcher.exited, dispatcher.stderr]).toEqual([0, []]);
      await sql`UPDATE shards SET owner = NULL, lease_until = '-infinity'`;
    },
  );

  it.each(PLACES)("%s is waited for by a web process that starts, which says why in its log", async (_, make, says) => {
    const { url, arrive } = await make();
    const web = start(["--input-type=module", "-e", WEB], { DATABASE_URL: url });
    const logged = () => web.stdout.join("\n");
    await waitFor("it says why", () => /the database is unavailable/.test(logged()) && says.test(logged()));
    await arrive();
    await waitFor("it goes on", () => /the database is available again/.test(logged()));
    expect([web.child.exitCode, web.stderr]).toEqual([null, []]);
  });

  it.each([...PLACES.slice(0, 3), NOBODY])(
    "%s is waited for by npm start, which says why; npm run migrate ends, and says so",
    async (_, make) => {
      const { url, arrive } = await make();
      const settings = { DATABASE_URL: asOwner(url), ENCRYPTION_KEYS, DATA_DIR: folder };
      const cannot = /The database .* cannot be reached: .*\. Start it, or correct its address\.$/;

      const migrate = runScript("migrate", [], settings);
      expect([await migrate.exited, migrate.stdout, migrate.stderr]).toEqual([1, [], [expect.stringMatching(cannot)]]);

      const all = runScript("start", [], { ...settings, PORT: "0", DISPATCHER_PORT: "0" });
      running.push(all);
      await waitFor("it says why", () => all.stdout.some((line) => /waiting for/.test(line) && cannot.test(line)));
      await arrive();
      await waitFor("it goes on", () => all.stdout.includes("stopwatch | the database is there"));
      all.child.kill("SIGTERM");
      expect([await all.exited, all.stderr]).toEqual([0, []]);
    },
  );
});

describe("what does not pass without an operator still ends a process that starts, and says what it is:", () => {
  it.each([
    [
      "a setting that the server refuses",
      () => `${database.serviceUrl}?options=-c%20no_such_setting%3D1`,
      /no_such_setting/,
    ],
    [
      "a file of authorities that is not there",
      () => `postgres://u:p@127.0.0.1:1/d?sslmode=verify-full&sslrootcert=${folder}/none`,
      /^The file that sslrootcert names cannot be read: ENOENT/,
    ],
  ])("%s", async (_, url, says) => {
    for (const args of [["dispatcher/main.ts"], ["--input-type=module", "-e", WEB]]) {
      const { exited, stderr } = start(args, { DATABASE_URL: url(), DISPATCHER_PORT: "0" });
      expect([await exited, stderr]).toEqual([1, ["Stopwatch cannot start:", expect.stringMatching(says)]]);
    }
  });
});

it("a dispatcher goes on when the server behind its Unix socket has been restarted", async () => {
  await openSocket();
  const dispatcher = start(["dispatcher/main.ts"], { DATABASE_URL: socketAddress(), DISPATCHER_PORT: "0" });
  const beats = (after: Date) =>
    sql`
      SELECT FROM heartbeats h JOIN dispatchers d ON d.id = h.dispatcher_id
      WHERE d.pid = ${dispatcher.child.pid ?? 0} AND h.beat_at > ${after}`;
  await waitFor("it lives", async () => (await beats(new Date(0))).length === 1);
  await proxy?.close();
  await waitFor("it says why", () => /Unix socket of its address does not exist/.test(dispatcher.stdout.join("\n")));
  const [row] = await sql<[{ now: Date }]>`SELECT clock_timestamp() AS now`;
  await openSocket();
  await waitFor("it lives again", async () => (await beats(row.now)).length === 1);
  expect(dispatcher.child.exitCode).toBeNull();
});
