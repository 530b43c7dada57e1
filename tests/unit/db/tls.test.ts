import { type AddressInfo, createServer, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { connect } from "#db/client.ts";
import { listen } from "#db/listen.ts";
import { migrate } from "#db/migrate.ts";
import { createTestAuthority } from "../../helpers/test-certificates.ts";
import { waitFor } from "../../helpers/wait-for.ts";

/** A database server as far as TLS: what came after the handshake, and how handshakes failed. */
const server = createServer();
const sockets = new Set<Socket>();
let told = 0;
let refused = 0;

beforeAll(async () => {
  const certificate = await (await createTestAuthority()).issue({ selfSigned: true });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write("S");
      const secure = new TLSSocket(socket, { isServer: true, ...certificate });
      secure.on("error", () => {});
      secure.on("close", () => refused++);
      secure.on("data", () => {
        told++;
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
  told = 0;
  refused = 0;
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
});
afterEach(() => vi.unstubAllEnvs());

const url = (query: string) => `postgres://u:p@localhost:${(server.address() as AddressInfo).port}/d?${query}`;

describe("a database whose certificate is to be verified is told nothing when it shows a wrong one, whatever NODE_TLS_REJECT_UNAUTHORIZED says:", () => {
  it.each(["sslmode=verify-full", "sslmode=verify-ca", "ssl=true", "sslrootcert=system", "x=1&sslmode=verify%2Dfull"])(
    "by queries, with %s",
    async (query) => {
      const connection = connect({ url: url(query), name: "test", connectionsMax: 1 });
      await expect(connection.run(5_000, ({ sql }) => sql`SELECT 1`)).rejects.toMatchObject({
        code: "DEPTH_ZERO_SELF_SIGNED_CERT",
      });
      await connection.close();
      expect(told).toBe(0);
    },
  );

  it("by migrations", async () => {
    await expect(migrate(url("sslmode=verify-full"))).rejects.toThrow();
    expect(told).toBe(0);
  });

  it("by the listener", async () => {
    const listener = listen({
      ...{ url: url("sslmode=verify-full"), name: "test", channel: "c" },
      ...{ onNotice: () => {}, onListening: () => {} },
    });
    await waitFor("it tried", () => told + refused > 0);
    await listener.close();
    expect(told).toBe(0);
  });
});

it("a database that need not be verified is spoken to, as sslmode=require means", async () => {
  const connection = connect({ url: url("sslmode=require"), name: "test", connectionsMax: 1 });
  await expect(connection.run(2_000, ({ sql }) => sql`SELECT 1`)).rejects.toThrow();
  await connection.close();
  expect(told).toBeGreaterThan(0);
});
