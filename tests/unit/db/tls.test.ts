import { type AddressInfo, createServer, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { connect } from "#db/client.ts";
import { listen } from "#db/listen.ts";
import { migrate } from "#db/migrate.ts";
import { createAuthority } from "#scripts/lab/certificates.ts";
import { waitFor } from "../../helpers/wait-for.ts";

/** A database server as far as TLS. It counts what it received after a handshake, and the handshakes that failed. */
const server = createServer();
const sockets = new Set<Socket>();
let received = 0;
let refused = 0;

beforeAll(async () => {
  const certificate = await (await createAuthority()).issue({ selfSigned: true });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write("S");
      const secure = new TLSSocket(socket, { isServer: true, ...certificate });
      secure.on("error", () => {});
      secure.on("close", () => refused++);
      secure.on("data", () => {
        received++;
        secure.destroy();
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});
beforeEach(() => {
  received = 0;
  refused = 0;
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
});
afterEach(() => vi.unstubAllEnvs());

const url = (query: string) => `postgres://u:p@localhost:${(server.address() as AddressInfo).port}/d?${query}`;

describe("a database that shows a wrong certificate while sslmode demands verification receives nothing, whatever NODE_TLS_REJECT_UNAUTHORIZED says,", () => {
  it.each([
    "sslmode=verify-full",
    "sslmode=verify-ca",
    "ssl=true",
    "sslrootcert=system",
    "channel_binding=require&sslmode=verify%2Dfull",
  ])("from queries, with %s", async (query) => {
    const connection = connect({ url: url(query), name: "test", connectionsMax: 1 });
    await expect(connection.run(5_000, ({ sql }) => sql`SELECT 1`)).rejects.toMatchObject({
      fault: "unreachable",
      cause: { code: "DEPTH_ZERO_SELF_SIGNED_CERT" },
    });
    await connection.close();
    expect(received).toBe(0);
  });

  it("from migrations", async () => {
    await expect(migrate(url("sslmode=verify-full"))).rejects.toThrow();
    expect(received).toBe(0);
  });

  it("from the listener", async () => {
    const listener = listen({
      url: url("sslmode=verify-full"),
      name: "test",
      channel: async () => "c",
      onNotice: () => {},
      onListening: () => {},
    });
    await waitFor("it tried", () => received + refused > 0);
    await listener.close();
    expect(received).toBe(0);
  });
});

it("with sslmode=require, a database whose certificate cannot be verified is connected to", async () => {
  const connection = connect({ url: url("sslmode=require"), name: "test", connectionsMax: 1 });
  await expect(connection.run(2_000, ({ sql }) => sql`SELECT 1`)).rejects.toThrow();
  await connection.close();
  expect(received).toBeGreaterThan(0);
});
