import { mkdtemp, rm } from "node:fs/promises";
import { createServer, connect as openSocket, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream";
import { afterAll, beforeAll, expect, it } from "vitest";
import { connect } from "#db/client.ts";
import { listen } from "#db/listen.ts";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";

let database: TestDatabase;
let folder: string;
let own: URL;
const servers: Server[] = [];

/** Listens where a test connects, and passes everything on to the database. */
async function forward(...at: [string] | [number, string]) {
  const server = createServer((socket) => {
    const upstream = openSocket(Number(own.port), own.hostname);
    pipeline(socket, upstream, socket, () => {});
  });
  servers.push(server);
  await new Promise<void>((resolve) =>
    at.length === 1 ? server.listen(at[0], resolve) : server.listen(...at, resolve),
  );
  return server;
}

beforeAll(async () => {
  database = await createTestDatabase();
  own = new URL(database.url);
  folder = await mkdtemp(join(tmpdir(), "stopwatch-socket-"));
});
afterAll(async () => {
  for (const server of servers) server.close();
  await rm(folder, { recursive: true });
  await database.drop();
});

async function nameOfDatabase(url: string) {
  const connection = connect({ url, name: "test", connectionsMax: 1 });
  try {
    const [row] = await connection.run(5_000, ({ sql }) => sql`SELECT current_database() AS name`);
    return row?.name;
  } finally {
    await connection.close();
  }
}

const name = () => own.pathname.slice(1);
const credentials = () => `${own.username}:${own.password}`;

it("connects through a Unix socket, whose folder the address names as libpq and Cloud SQL do", async () => {
  await forward(join(folder, ".s.PGSQL.5432"));
  await forward(join(folder, ".s.PGSQL.6000"));
  for (const url of [
    `postgres://${credentials()}@/${name()}?host=${folder}`,
    `postgres://${credentials()}@localhost/${name()}?host=${folder}&port=6000`,
    `postgres://${credentials()}@${encodeURIComponent(folder)}:6000/${name()}`,
  ])
    expect(await nameOfDatabase(url), url).toBe(name());
});

it("connects to an IPv6 address", async () => {
  const server = await forward(0, "::1");
  const { port } = server.address() as { port: number };
  expect(await nameOfDatabase(`postgres://${credentials()}@[::1]:${port}/${name()}`)).toBe(name());
  expect(
    await nameOfDatabase(
      `postgres:///?host=::1&port=${port}&user=${own.username}&password=${own.password}&dbname=${name()}`,
    ),
  ).toBe(name());
});

it.each([
  "channel_binding=require",
  "pgbouncer=true&connection_limit=5&schema=public",
  "gssencmode=disable&keepalives=1&keepalives_idle=30&keepalives_interval=10",
  "supa=base-pooler.x&uselibpqcompat=true",
  "application_name=theirs&statement_timeout=1&datestyle=German",
])("connects and listens with parameters for other drivers: %s", async (query) => {
  const url = `${database.url}?${query}`;
  expect(await nameOfDatabase(url)).toBe(name());
  const { promise: heard, resolve: onListening } = Promise.withResolvers<void>();
  const listener = listen({ url, name: "test", channel: async () => "addresses", onNotice: () => {}, onListening });
  await heard;
  await listener.close();
});
