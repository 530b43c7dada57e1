// Guards: db/*.ts, scripts/on-database.ts, dispatcher/ready.ts
import { type AddressInfo, createServer } from "node:net";
import pino from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { connect, type Database } from "#db/client.ts";
import { openDriver } from "#db/driver.ts";
import { listen } from "#db/listen.ts";
import { migrate } from "#db/migrate.ts";
import { MigrationError } from "#db/migrator/migration-error.ts";
import { reachHost } from "#db/reach-host.ts";
import { untilReady } from "#dispatcher/ready.ts";
import { startServices } from "#server/services.ts";
import { ENCRYPTION_KEYS } from "../../helpers/encryption-keys.ts";
import { type OwnServer, startOwnServer, startStandby } from "../../helpers/own-server.ts";
import { countRunTime } from "../../helpers/run-time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { testConfig } from "../api/api.ts";
import { runScript } from "../scripts/script-process.ts";

const DEAD = "127.0.0.1:1";

let primary: OwnServer;
let standby: Awaited<ReturnType<typeof startStandby>>;
/** Accepts connections and says nothing. */
const silent = createServer((socket) => socket.on("error", () => {}));

beforeAll(async () => {
  primary = await startOwnServer();
  standby = await startStandby(primary);
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  silent.close();
  await standby?.remove();
  await primary?.remove();
});

const hostOf = (url: string) => new URL(url).host;
const unreachable = () => ({
  dead: DEAD,
  silent: `127.0.0.1:${(silent.address() as AddressInfo).port}`,
  standby: hostOf(standby.url),
});

/** The address of the primary with other hosts before it. */
function behind(...before: ("dead" | "silent" | "standby")[]): string {
  const hosts = [...before.map((name) => unreachable()[name]), hostOf(primary.url)];
  return primary.url.replace(hostOf(primary.url), hosts.join());
}

describe("of several hosts, the one that takes writes is found", () => {
  it.each([[["standby"]], [["dead", "standby"]], [["silent"]]] as const)(
    "after %j, by every command",
    async (before) => {
      const env = { DATABASE_URL: behind(...before), ENCRYPTION_KEYS };
      for (const [name, ...args] of [
        ["migrate"],
        ["account", "create", "--email", "hosts@example.com", "--key", "live"],
        ["keys-rotate", "--dry-run"],
      ] as const) {
        const command = runScript(name, [...args], env);
        expect([name, await command.exited, command.stderr]).toEqual([name, 0, []]);
      }
      const owned = runScript("migrate", [], { ...env, DATABASE_OWNER_URL: behind(...before) });
      expect([await owned.exited, owned.stderr]).toEqual([0, []]);
    },
  );

  it.each([[["standby"]], [["dead", "standby"]], [["silent"]]] as const)(
    "after %j, by web process, dispatcher and listener",
    async (before) => {
      const url = behind(...before);
      const config = testConfig(url);
      const services = startServices(config);
      await waitFor("the web process is ready", () => services.installation().then(Boolean, () => false), 20_000);
      await services.close();
      await untilReady(config, pino({ level: "silent" }));
      const heard: string[] = [];
      let begun = 0;
      const listener = listen({
        url,
        name: "hosts",
        channel: async () => "hosts",
        onNotice: (payload) => heard.push(payload),
        onListening: () => begun++,
      });
      await waitFor("it listens", () => begun > 0, 20_000);
      await asPrimary(({ sql }) => sql`SELECT pg_notify('hosts', 'x')`);
      await waitFor("it hears", () => heard.length > 0);
      await listener.close();
    },
  );

  let pool: Database | undefined;
  afterEach(() => pool?.close());

  it("a silent host is waited for no longer than a second after another has answered", async () => {
    const reached = reachHost(behind("silent", "standby"), 10_000);
    await reachHost(behind("standby"), 10_000);
    const ran = countRunTime();
    const [first] = await reached;
    expect(ran()).toBeLessThan(2_000);
    expect(first?.port).toBe(Number(hostOf(primary.url).split(":")[1]));
  });

  it("a pool loses no call to a silent host", async () => {
    pool = connect({ url: behind("silent", "standby"), name: "hosts", connectionsMax: 4, cancelsLate: true });
    const call = () => (pool as Database).run(10_000, ({ sql }) => sql`SELECT pg_sleep(0.05)`);
    const calls = await Promise.allSettled(Array.from({ length: 8 }, call));
    expect(calls.map(({ status }) => status)).toEqual(Array(8).fill("fulfilled"));
  });

  it("the first that takes writes is used, although a later one answers as quickly", async () => {
    const { host } = new URL(primary.url);
    const url = primary.url.replace(host, [DEAD, host, "127.0.0.1:2", host].join());
    for (let n = 0; n < 20; n++)
      expect((await reachHost(url, 2_000)).map(({ port }) => port).slice(1)).toEqual([
        2,
        Number(host.split(":")[1]),
        1,
      ]);
  });
});

describe("beside a server of the same address that takes writes, too,", () => {
  let other: OwnServer;
  let admin: Database;
  beforeAll(async () => {
    await migrate(primary.url);
    other = await startOwnServer();
    const { username, password } = new URL(primary.url);
    admin = connect({ url: other.url, name: "hosts", connectionsMax: 1 });
    await admin.run(5_000, ({ sql }) =>
      sql.unsafe(`ALTER ROLE ${username} PASSWORD '${password}'; DROP SCHEMA drizzle CASCADE;
        DROP SCHEMA public CASCADE; CREATE SCHEMA public`),
    );
  });
  afterAll(async () => {
    await admin?.close();
    await other?.remove();
  });
  const of = (...hosts: string[]) => primary.url.replace(hostOf(primary.url), hosts.join());
  const chosen = async (...hosts: string[]) => {
    const [first] = await reachHost(of(...hosts), 3_000);
    return `${first?.host}:${first?.port}`;
  };

  it("an empty one is not taken, wherever it stands", async () => {
    expect(await chosen(hostOf(other.url), hostOf(primary.url))).toBe(hostOf(primary.url));
    expect(await chosen(hostOf(primary.url), hostOf(other.url))).toBe(hostOf(primary.url));
  });

  it.each(["silent", "dead", "standby"] as const)(
    "an empty one is neither used nor migrated while the other one is %s, and the text names both",
    async (which) => {
      const away = unreachable()[which];
      const failure = await migrate(of(away, hostOf(other.url))).catch((error: unknown) => error as Error);
      expect((failure as Error).message).toMatch(
        new RegExp(`on ${hostOf(other.url)} has no Stopwatch, and .* on ${away}, which may have it`),
      );
      expect(await admin.run(5_000, ({ sql }) => sql`SELECT to_regclass('schedules') AS name`)).toEqual([
        { name: null },
      ]);
      const pool = connect({ url: of(away, hostOf(other.url)), name: "hosts", connectionsMax: 1 });
      await expect(pool.run(5_000, ({ sql }) => sql`SELECT 1`)).rejects.toMatchObject({
        fault: "unreachable",
        reason: expect.stringContaining("has no Stopwatch"),
      });
      await pool.close();
    },
  );

  it("the one with the newest heartbeat is taken", async () => {
    await migrate(of(hostOf(other.url)));
    expect(await chosen(hostOf(primary.url), hostOf(other.url))).toBe(hostOf(primary.url));
    await admin.run(5_000, async ({ sql }) => {
      const [row] =
        await sql`INSERT INTO dispatchers (id, host, pid, version) VALUES (gen_random_uuid(), 'h', 1, '1') RETURNING id`;
      await sql`INSERT INTO heartbeats (dispatcher_id, beat, beat_at) VALUES (${row?.id}, 1, now())`;
    });
    expect(await chosen(hostOf(primary.url), hostOf(other.url))).toBe(hostOf(other.url));
  });
});

it("a connection that is opened again asks the host that took writes first", async () => {
  const { host } = new URL(primary.url);
  const url = primary.url.replace(host, [host, unreachable().silent].join());
  let asked = 0;
  const count = () => asked++;
  silent.on("connection", count);
  const sql = openDriver(url, { max: 1, idle_timeout: 1 });
  const pidOf = async () => (await sql`SELECT pg_backend_pid() AS pid`)[0]?.pid as number;
  const first = await pidOf();
  const isThere = async () => (await sessions(first)) > 0;
  await waitFor("it is closed", async () => !(await isThere()));
  expect(await pidOf()).not.toBe(first);
  expect(asked).toBe(0);
  await sql.end();
  silent.off("connection", count);
});

it("where none takes writes, migrating fails soon and names all hosts", async () => {
  const hosts = [DEAD, hostOf(standby.url)].join();
  const url = primary.url.replace(hostOf(primary.url), hosts);
  const startedAtMs = performance.now();
  const failure = await migrate(url).catch((error: unknown) => error as Error);
  expect(performance.now() - startedAtMs).toBeLessThan(15_000);
  expect(failure).toBeInstanceOf(MigrationError);
  expect((failure as Error).message).toContain(`on ${hosts} cannot be reached`);
  expect((failure as Error).message).toContain("one of the hosts has to take writes");
});

it.each(["SELECT FROM listeners", "DELETE FROM listen_exchanges", "SELECT FROM request_counts", "DELETE FROM usage"])(
  "a standby does not take '%s', and the call says that the database is not writable",
  async (statement) => {
    const pool = connect({ url: standby.url, name: "standby", connectionsMax: 1 });
    const call = pool.run(5_000, ({ sql }) => sql.unsafe(statement));
    await expect(call).rejects.toMatchObject({ code: "UNAVAILABLE", fault: "read_only" });
    await pool.close();
  },
);

it("a pool leaves a server whose database becomes read-only, before its first write, and so does a listener", async () => {
  const other = await startOwnServer();
  const both = primary.url.replace(hostOf(primary.url), [primary.url, other.url].map(hostOf).join());
  // Two data folders have two passwords.
  const { username, password, pathname } = new URL(primary.url);
  const admin = connect({ url: other.url, name: "hosts", connectionsMax: 1 });
  await admin.run(5_000, ({ sql }) => sql.unsafe(`ALTER ROLE ${username} PASSWORD '${password}'`));
  const pool = connect({ url: both, name: "hosts moved", connectionsMax: 2 });
  const portOf = async () => (await pool.run(5_000, ({ sql }) => sql`SELECT inet_server_port() AS port`))[0]?.port;
  let begun = 0;
  const listener = listen({
    url: both,
    name: "hosts moved",
    channel: async () => "hosts",
    onNotice: () => {},
    onListening: () => begun++,
  });
  const set = (value: string) =>
    asPrimary(({ sql }) =>
      sql.unsafe(`ALTER DATABASE ${pathname.slice(1)} SET default_transaction_read_only = ${value};
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hosts moved'`),
    );
  try {
    expect(await portOf()).toBe(Number(hostOf(primary.url).split(":")[1]));
    await waitFor("it listens", () => begun > 0);
    await set("on");
    await waitFor("the pool has left", () => portOf().catch(() => undefined), 10_000);
    for (let n = 0; n < 10; n++) expect(await portOf()).toBe(Number(hostOf(other.url).split(":")[1]));
    const listens = () => admin.run(5_000, ({ sql }) => sql`SELECT FROM pg_stat_activity WHERE query ILIKE 'listen%'`);
    await waitFor("the listener has followed", async () => (await listens()).length === 1);
  } finally {
    await set("off");
    await listener.close();
    await pool.close();
    await admin.close();
    await other.remove();
  }
});

async function sessions(pid: number): Promise<number> {
  let found = 0;
  await asPrimary(async ({ sql }) => {
    found = (await sql`SELECT FROM pg_stat_activity WHERE pid = ${pid}`).length;
  });
  return found;
}

async function asPrimary(work: Parameters<Database["run"]>[1]) {
  const session = { default_transaction_read_only: "off" };
  const database = connect({ url: primary.url, name: "hosts", connectionsMax: 1, session });
  await database.run(5_000, work);
  await database.close();
}
