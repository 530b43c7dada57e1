import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";

export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => unknown;

/**
 * Serves `handle` on a free port of the loopback interface, over HTTPS when there are `certificates`. What `handle` throws
 * is answered by 500 and thrown again by `close`, unless the client is gone, as a process that was killed while it sent its
 * body is. Uncaught, both would fail the run without a test to their name.
 */
export async function serveHttp(handle: HttpHandler, certificates: ServerOptions | null = null) {
  const failures: unknown[] = [];
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
  const server: Server = certificates ? createTlsServer(certificates, onRequest) : createServer(onRequest);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    server,
    port,
    /** Its address by number; a certificate has the name `localhost`. */
    origin: certificates ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (failures.length > 0) throw failures[0];
    },
  };
}
