import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { connect, type Database, type DatabaseUnavailable } from "#db/client.ts";
import { DATABASE_FAULTS, describeFault } from "#domain/database-fault.ts";
import { type DatabaseProxy, startProxy } from "#scripts/lab/proxy.ts";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";
import { createTlsPeers, endsAtQuestion, overTls, passesOn, plain, SPEAKERS } from "../../helpers/database-peers.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { watchUncaught } from "../../helpers/watch-uncaught.ts";

const CODES = [
  ...["ENOENT", "EACCES", "EPERM", "EMFILE", "ENFILE", "ENOBUFS", "ENETUNREACH", "ENETDOWN", "EHOSTUNREACH", "EINVAL"],
  ...["EAI_FAIL", "EAI_AGAIN", "EAI_MEMORY", "ENOTFOUND", "EADDRNOTAVAIL", "ENOTCONN", "ECONNREFUSED", "EUNHEARDOF"],
];

const speakerOf = (wanted: string) => SPEAKERS.find(([what]) => what === wanted)?.[1] ?? expect.fail(wanted);

let database: TestDatabase;
let tls: Awaited<ReturnType<typeof createTlsPeers>>;
let folder: string;
let port: number;
let proxy: DatabaseProxy;
let pool: Database | undefined;

beforeAll(async () => {
  database = await createTestDatabase();
  tls = await createTlsPeers();
  folder = await mkdtemp(join(tmpdir(), "stopwatch-authority-"));
  port = Number(new URL(database.url).port);
});
beforeEach(async () => {
  proxy = await startProxy(port);
  await writeFile(join(folder, "ca.pem"), tls.ca);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await pool?.close();
  pool = undefined;
  await proxy.close();
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await database.drop();
});

const proxied = (query = "") => {
  const url = Object.assign(new URL(database.url), { port: String(proxy.port), hostname: "localhost" });
  return `${url.href}${query}`;
};
const verified = () => proxied(`?sslmode=verify-full&sslrootcert=${join(folder, "ca.pem")}`);

const ask = (deadlineMs: number) => pool?.run(deadlineMs, ({ sql }) => sql`SELECT 1 AS one`);
const failure = async (deadlineMs = 10_000) => (await ask(deadlineMs)?.catch((error) => error)) as DatabaseUnavailable;
const recovers = () => waitFor("the next call is answered", () => ask(5_000)?.catch(() => false));

const textOf = (error: DatabaseUnavailable) => `${error.reason} ${(error.cause as Error)?.message}`;

/** Expects that calls fail because of an outage whose log line and reason say `says`, and that none ends the process. */
async function expectOutage(url: string, says: RegExp, deadlineMs?: number) {
  const uncaught = watchUncaught();
  pool = connect({ url, name: "test", connectionsMax: 2, waitsWhenRefused: true });
  const errors = await Promise.all([1, 2].map(() => failure(deadlineMs)));
  for (const error of errors) {
    expect(error).toMatchObject({ code: "UNAVAILABLE", status: 503 });
    expect(DATABASE_FAULTS).toContain(error.fault);
    expect(error.publicMessage).toBe(describeFault(error.fault));
    expect(textOf(error)).toMatch(says);
  }
  expect(uncaught).toEqual([]);
  return errors;
}

describe("what keeps a session from beginning is an outage that is named, and passes:", () => {
  it.each(SPEAKERS.filter(([, , says]) => !says.test("closed")))("%s", async (_, speak, says) => {
    proxy.set(plain(speak));
    for (const { fault } of await expectOutage(proxied(), says)) expect(fault).not.toBe("timeout");
    proxy.set("pass");
    await recovers();
  });

  it.each(SPEAKERS.filter(([, , says]) => says.test("closed")))(
    "%s, for which it is tried again until the deadline",
    async (_, speak, says) => {
      proxy.set(plain(speak));
      pool = connect({ url: proxied(), name: "test", connectionsMax: 1 });
      const error = await waitFor("a call has met it", async () => {
        const met = await failure(300);
        return met.fault === "unreachable" && met;
      });
      expect(textOf(error)).toMatch(says);
      proxy.set("pass");
      await recovers();
    },
  );

  it("nothing at all, which is an answer that does not come in time", async () => {
    proxy.set(() => {});
    const [error] = await expectOutage(proxied(), /did not answer/, 300);
    expect(error?.fault).toBe("timeout");
    proxy.set("pass");
    await recovers();
  });

  it("each of the peers that shows a wrong certificate, or none", async () => {
    for (const [what, peer, code] of tls.peers) {
      proxy.set(peer);
      for (const { fault, cause } of await expectOutage(verified(), /./)) {
        expect([what, fault, (cause as { code: string }).code]).toEqual([
          what,
          "unreachable",
          expect.stringMatching(code),
        ]);
      }
      proxy.set(overTls(tls.good, passesOn(port)));
      await recovers();
      await pool?.close();
    }
  });

  it.each([
    [
      "that is missing",
      /^The file that sslrootcert names cannot be read: ENOENT/,
      () => rename(join(folder, "ca.pem"), join(folder, "old.pem")),
    ],
    [
      "that is half written",
      /^The file that sslrootcert names cannot be read: its last certificate is cut off/,
      () => writeFile(join(folder, "ca.pem"), "-----BEGIN CERTIFICATE-----\nMIIB"),
    ],
    [
      "of another authority",
      /not of an authority that this process trusts/,
      async () => writeFile(join(folder, "ca.pem"), (await createTlsPeers()).ca),
    ],
  ] as const)("a file of authorities %s, which is read again for each connection", async (_, says, damage) => {
    proxy.set(overTls(tls.good, passesOn(port)));
    pool = connect({ url: verified(), name: "test", connectionsMax: 1, waitsWhenRefused: true });
    await ask(5_000);
    await damage();
    // A peer that is set again resets the connections of the one before.
    proxy.set(overTls(tls.good, passesOn(port)));
    await waitFor("it fails, and says why", async () => says.test((await failure()).reason));
    await writeFile(join(folder, "ca.pem"), tls.ca);
    await recovers();
  });

  it("each error of the system, known or not", async () => {
    const connectSocket = Socket.prototype.connect;
    for (const code of CODES) {
      vi.spyOn(Socket.prototype, "connect").mockImplementation(function (this: Socket, ...args: unknown[]) {
        if (args[0] !== proxy.port) return Reflect.apply(connectSocket, this, args);
        return this.destroy(Object.assign(new Error(`connect ${code} ${proxy.port}`), { code }));
      });
      const [error] = await expectOutage(proxied(), new RegExp(code));
      expect(error?.fault).toBe("unreachable");
      vi.restoreAllMocks();
      await pool?.close();
    }
  });

  it.each([
    ["a pooler that knows no such tenant", plain(speakerOf("a pooler that knows no such tenant")), /Tenant or user/],
    ["a web server", plain(speakerOf("a web server")), /PostgreSQL/],
    ["an end at the question whether it takes writes", plain(endsAtQuestion), /closed|did not answer|no answer/i],
  ])("%s at each of several hosts", async (_, peer, says) => {
    const second = await startProxy(port);
    try {
      const { username, password, pathname } = new URL(database.url);
      const address = `postgres://${username}:${password}@localhost:${proxy.port},localhost:${second.port}${pathname}`;
      for (const one of [proxy, second]) one.set(peer);
      await expectOutage(address, says);
      for (const one of [proxy, second]) one.set("pass");
      await recovers();
      // Now the pool is open, and the driver goes from host to host.
      for (const one of [proxy, second]) one.set(peer);
      await waitFor("it fails, and says why", async () => says.test(textOf(await failure(800))));
      for (const one of [proxy, second]) one.set("pass");
      await recovers();
    } finally {
      await pool?.close();
      await second.close();
    }
  });

  it("a Unix socket whose server is away", async () => {
    const [error] = await expectOutage(`postgres://u:p@/d?host=${folder}`, /ENOENT/);
    expect(error?.fault).toBe("unreachable");
  });

  it("a database of a real server that takes no connections", async () => {
    const owner = postgres(database.url, { max: 1, database: "postgres", onnotice: () => {} });
    const name = owner(new URL(database.url).pathname.slice(1));
    await owner`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`;
    try {
      const [error] = await expectOutage(database.url, /not currently accepting connections/);
      expect(error).toMatchObject({ fault: "unreachable", cause: { code: "55000" } });
    } finally {
      await owner`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`;
    }
    await recovers();
    await owner.end();
  });
});

it("an unknown error of the system on a connection that works is an outage: whether the statement ran is unknown", async () => {
  const sockets: Socket[] = [];
  const connectSocket = Socket.prototype.connect;
  vi.spyOn(Socket.prototype, "connect").mockImplementation(function (this: Socket, ...args: unknown[]) {
    if (args[0] === proxy.port) sockets.push(this);
    return Reflect.apply(connectSocket, this, args);
  });
  pool = connect({ url: proxied(), name: "test", connectionsMax: 1 });
  await ask(5_000);
  const running = pool.run(10_000, ({ sql }) => sql`SELECT pg_sleep(20)`).catch((error) => error);
  await waitFor("it was sent", () => (sockets[0]?.bytesWritten ?? 0) > 200);
  sockets[0]?.destroy(Object.assign(new Error("read EUNHEARDOF"), { code: "EUNHEARDOF" }));
  expect(await running).toMatchObject({ fault: "unreachable", changedNothing: false, isRefused: false });
  await recovers();
});
