import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";

export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => unknown;

/**
 * Serves `handle` on a free port of the loopback interface, over HTTPS when there are `certificates`. What `handle` throws
 * is answered by 500 and thrown again by `close`, unless the client is gone, as a process that was killed while it sent its
 * body is. Uncaught, both would fail the run without a test to their name.
 */
export async function serveHttp(
  handle: HttpHandler,
  certificates: { cert: string; key: string } | null = null,
  options: ServerOptions = {},
) {
  const failures: unknown[] = [];
  const sockets = new Set<Socket>();
  const onRequest = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      await handle(request, response);
    } catch (error) {
      if (request.socket.destroyed) return;
      failures.push(error);
      if (!response.headersSent) response.writeHead(500, { "content-type": "text/plain" });
      response.end(String(error));
    }
  };
  const server: Server = certificates
    ? createTlsServer({ ...options, ...certificates }, onRequest)
    : createServer(options, onRequest);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  // Thousands of connections may come at once.
  await new Promise<void>((resolve) => server.listen({ port: 0, host: "127.0.0.1", backlog: 1_024 }, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    server,
    port,
    /** Its address by number; a certificate has the name `localhost`. */
    origin: certificates ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    /** The number of open connections, those in a handshake included. */
    connections: () => sockets.size,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      if (failures.length > 0) throw failures[0];
    },
  };
}
