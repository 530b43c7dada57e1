import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createAuthority } from "#scripts/lab/certificates.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { type RawServer, startRawServer } from "../../helpers/raw-server.ts";
import { waitFor } from "../../helpers/wait-for.ts";

type Case = { title: string; close?: (socket: Socket) => void; head?: string; secure?: boolean };

const AT_ONCE = 150;
/** Handshakes of TLS, both ends of which this process computes. */
const AT_ONCE_SECURE = 30;
const APART = 100;
const APART_MS = 5;
const ONE_BY_ONE = 20;

const closing: Case[] = [
  { title: "at once", close: (socket) => socket.end() },
  { title: "3 ms later", close: (socket) => setTimeout(() => socket.end(), 3) },
  { title: "15 ms later", close: (socket) => setTimeout(() => socket.end(), 15) },
  { title: "by a reset", close: (socket) => setTimeout(() => socket.resetAndDestroy(), 1) },
  { title: "with close_notify", close: (socket) => socket.end(), secure: true },
  { title: "as HTTP/1.0 does", close: (socket) => socket.end(), head: "HTTP/1.0 200 OK\r\n" },
  { title: "a second later, as it says", head: "HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1, max=1\r\n" },
];
const keeping: Case = { title: "never" };
const cases = [...closing, keeping];
const atOnce = ({ secure }: Case) => (secure ? AT_ONCE_SECURE : AT_ONCE);

let harness: DispatchHarness;
let folder: string;
const servers: RawServer[] = [];
const accounts: Awaited<ReturnType<DispatchHarness["account"]>>[] = [];
let targets: string[];

beforeAll(async () => {
  const authority = await createAuthority();
  for (const { close, head = "HTTP/1.1 200 OK\r\n", secure } of cases) {
    const answered = new Set<Socket>();
    const onRequest = (socket: Socket) => {
      if (close && answered.has(socket)) return;
      answered.add(socket);
      socket.write(`${head}Content-Length: 2\r\n\r\nok`, () => close?.(socket));
    };
    servers.push(await startRawServer({ onRequest }, secure ? { tls: await authority.issue({}) } : {}));
  }
  targets = cases.map(({ secure }, n) => `${secure ? "https" : "http"}://localhost:${servers[n]?.port}`);
  folder = await mkdtemp(join(tmpdir(), "stopwatch-ca-"));
  const caFile = join(folder, "ca.pem");
  await writeFile(caFile, authority.ca);
  harness = await createDispatchHarness({ DELIVERY_ALLOW: targets.join(), DELIVERY_CA_FILE: caFile });
  await harness.dispatcher();
  for (const [n, one] of cases.entries()) {
    const account = await harness.account();
    accounts.push(account);
    const at = Date.now() + 3_000;
    const instants = [
      ...Array.from({ length: atOnce(one) }, () => at),
      ...Array.from({ length: APART }, (_, n) => at + 1_000 + APART_MS * n),
    ];
    await Promise.all(instants.map((at) => harness.schedule(account, `${targets[n]}/`, new Date(at))));
  }
});
afterAll(async () => {
  await harness.close();
  await Promise.all(servers.map((server) => server.close()));
  await rm(folder, { recursive: true });
});

it.each(cases.map((one, n) => ({ ...one, n })))(
  "no request fails at a target that closes after each answer, $title",
  async ({ n, ...one }) => {
    const count = atOnce(one) + APART;
    const outcomes = await waitFor("each schedule had an attempt", async () => {
      const rows = await harness.sql`
      SELECT a.outcome, a.error_text, count(*)::int AS n FROM attempts a JOIN schedules s ON s.id = a.schedule_id
      WHERE s.account_id = ${accounts[n]?.id as string} GROUP BY 1, 2`;
      return rows.reduce((sum, { n }) => sum + n, 0) >= count && rows;
    });
    expect(outcomes).toEqual([{ outcome: "delivered", error_text: "", n: count }]);
    expect(servers[n]?.requests).toHaveLength(count);
  },
);

it("a connection that its target keeps open carries request after request", async () => {
  const last = cases.indexOf(keeping);
  const [server, account] = [servers[last] as RawServer, accounts[last] as (typeof accounts)[number]];
  const before = server.requests.length;
  for (let n = 1; n <= ONE_BY_ONE; n++) {
    await harness.schedule(account, `${targets[last]}/`, new Date());
    await waitFor("the request has arrived", () => server.requests.length === before + n);
  }
  const used = new Set(server.requests.slice(before).map(({ connection }) => connection));
  expect(used.size).toBeLessThan(ONE_BY_ONE / 4);
});
