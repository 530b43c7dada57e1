// Guards: db/**, patches/**, domain/connection-problem.ts, domain/database-fault.ts, dispatcher/recording/**, dispatcher/observability/**
// Final: its verdict is about what was sent, and how often.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type DatabaseProxy, type Peer, startProxy } from "#scripts/lab/proxy.ts";
import type { Receiver } from "#scripts/lab/receiver.ts";
import { expectDeliveredOnce } from "#tests/helpers/delivered-once.ts";
import { createTlsPeers, overTls, passesOn, plain, refuses, SPEAKERS } from "../../helpers/database-peers.ts";
import type { DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { inMs } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { watchUncaught } from "../../helpers/watch-uncaught.ts";
import { startWatchedDispatcher } from "../../helpers/watched-dispatcher.ts";
import { withDispatchHarness } from "../../helpers/with-dispatch-harness.ts";

const ON_THE_WIRE = 8;

let receiver: Receiver;
let harness: DispatchHarness;
let proxy: DatabaseProxy;
let folder: string;
let tls: Awaited<ReturnType<typeof createTlsPeers>>;
let watched: ReturnType<typeof startWatchedDispatcher>;
let database: Peer;

withDispatchHarness({}, (made) => {
  ({ receiver, harness } = made);
});
beforeAll(async () => {
  tls = await createTlsPeers();
  folder = await mkdtemp(join(tmpdir(), "stopwatch-authority-"));
  await writeFile(join(folder, "ca.pem"), tls.ca);
  const url = new URL(harness.config.databaseUrl);
  database = overTls(tls.good, passesOn(Number(url.port)));
  proxy = await startProxy(Number(url.port));
  proxy.set(database);
  Object.assign(url, { hostname: "localhost", port: String(proxy.port) });
  watched = startWatchedDispatcher(harness, `${url.href}?sslmode=verify-full&sslrootcert=${join(folder, "ca.pem")}`);
  const dispatcher = await watched.started;
  await waitFor("it owns every shard", () => dispatcher.figures().owned === 64);
});
afterAll(async () => {
  await watched.stop();
  await proxy.close();
  await rm(folder, { recursive: true });
});

const withCertificate = (speak: (typeof SPEAKERS)[number][1]) => overTls(tls.good, speak);
const speakerOf = (wanted: string) => SPEAKERS.find(([what]) => what === wanted)?.[1] ?? expect.fail(wanted);

/** While it lasts, the system refuses connections to the database with `code`. */
function refuseBySystem(code: string): () => void {
  const connectSocket = Socket.prototype.connect;
  const spy = vi.spyOn(Socket.prototype, "connect").mockImplementation(function (this: Socket, ...args: unknown[]) {
    if (args[0] !== proxy.port) return Reflect.apply(connectSocket, this, args);
    return this.destroy(Object.assign(new Error(`connect ${code}`), { code }));
  });
  proxy.set("reset");
  return () => spy.mockRestore();
}

/** Begins it, and returns how to end it but for the proxy. */
type Outage = [what: string, begin: () => () => void, says: RegExp];

const meets = (peer: () => Peer) => () => {
  proxy.set(peer());
  return () => {};
};

const OUTAGES: Outage[] = [
  ["that shows an expired certificate", meets(() => tls.peers[0]?.[1] as Peer), /Its certificate has expired/],
  [
    "whose pooler knows it no more",
    meets(() => withCertificate(speakerOf("a pooler that knows no such tenant"))),
    /It says: Tenant or user not found/,
  ],
  [
    "that refuses the settings of a session",
    meets(() => withCertificate(refuses("42704", 'unrecognized configuration parameter "jit"'))),
    /unrecognized configuration parameter "jit"/,
  ],
  [
    "whose password is another",
    meets(() => withCertificate(refuses("28P01", "password authentication failed"))),
    /refuses the login/,
  ],
  [
    "that takes no connections",
    meets(() => withCertificate(speakerOf("a database that takes no connections"))),
    /not currently accepting connections/,
  ],
  [
    "that closes in the middle of the start",
    meets(() => withCertificate(speakerOf("an end after the login"))),
    /cannot be reached right now/,
  ],
  ["that never answers", meets(() => () => {}), /did not answer in time/],
  ["whose certificate is for another name", meets(() => tls.peers[2]?.[1] as Peer), /is for another name/],
  [
    "in whose place is a web server",
    meets(() => plain(speakerOf("a web server"))),
    /does not speak as PostgreSQL does/,
  ],
  ["whose socket is not there", () => refuseBySystem("ENOENT"), /Unix socket of its address does not exist/],
  ["that the system refuses for a reason nobody knows", () => refuseBySystem("EUNHEARDOF"), /EUNHEARDOF/],
];

describe("a dispatcher that meets, with requests on the wire, a database", () => {
  it.each(OUTAGES)("%s: waits, says why, and records each outcome once when it is back", async (_, begin, says) => {
    const uncaught = watchUncaught();
    const dispatcher = await watched.started;
    const held: ServerResponse[] = [];
    receiver.respond((_request, response) => void held.push(response));
    const account = await harness.account();
    const ids = await Promise.all(
      Array.from({ length: ON_THE_WIRE }, () => harness.schedule(account, `${receiver.origin}/`, inMs(500))),
    );
    await waitFor("all are on the wire", () => held.length === ON_THE_WIRE);

    const end = begin();
    try {
      for (const response of held) response.end("ok");
      await waitFor("no outcome can be written", () => dispatcher.figures().unrecorded === ON_THE_WIRE);
      await waitFor("/readyz says why", async () => {
        const ready = await dispatcher.ready();
        return ready.status === "unavailable" && says.test(ready.reason);
      });
      await waitFor("the log says why", () => watched.messages().some((message) => says.test(message)));
    } finally {
      end();
      proxy.set(database);
    }
    await expectDeliveredOnce({ sql: harness.sql, receiver }, ids);
    expect(watched.loggedPerSecond()).toBeLessThanOrEqual(1);
    expect(uncaught).toEqual([]);
  });
});
