import { once } from "node:events";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import type { Dispatcher } from "undici";
import { afterAll, beforeAll, expect, it } from "vitest";
import { connectionOn } from "#dispatcher/connections/client-socket.ts";
import type { Connection } from "#dispatcher/delivery/connection.ts";

const server = http.createServer((_request, response) => response.end());
let port: number;

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function connect(): Promise<Connection> {
  const socket = net.connect(port, "127.0.0.1");
  await once(socket, "connect");
  return connectionOn(socket, `http://127.0.0.1:${port}`, { connectMs: 1, roundTripMs: 1, openedAtMs: 0 });
}

/** Begins a request and resolves when it is answered. `onWrite` is called just before it is written. */
function request(connection: Connection, onWrite: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: onWrite,
      onResponseStart() {},
      onResponseData() {},
      onResponseEnd: () => resolve(),
      onResponseError: (_controller, error) => reject(error),
    };
    connection.client.dispatch({ path: "/", method: "GET", blocking: true }, handler, { claim: null });
  });
}

it("requests begun in one event-loop turn are written in their order, on used connections and on new ones", async () => {
  const used = await Promise.all([connect(), connect()]);
  for (const connection of used) await request(connection, () => {});
  await new Promise((resolve) => setImmediate(resolve));
  const fresh = await Promise.all([connect(), connect()]);

  const written: string[] = [];
  const [first, second, third, fourth] = [used[0], fresh[0], used[1], fresh[1]] as Connection[];
  await Promise.all(
    Object.entries({ first, second, third, fourth }).map(([name, connection]) =>
      request(connection as Connection, () => written.push(name)),
    ),
  );
  expect(written).toEqual(["first", "second", "third", "fourth"]);
  for (const connection of [...used, ...fresh]) connection.destroy();
});
