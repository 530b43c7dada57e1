import {
  createServer as createHttpServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { createCertificates } from "./certificates.ts";

export type ReceivedRequest = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  rawHeaders: string[];
  body: Buffer;
  /** When its header block was complete, epoch ms. */
  arrivedAtMs: number;
  /** When its answer or its connection ended; null while it is open. */
  endedAtMs: number | null;
};

export type Respond = (request: ReceivedRequest, response: ServerResponse, socket: Socket) => void;

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/**
 * A real local receiver over HTTPS (or HTTP) that records every request. `respond` changes its answer (by default 200
 * "ok").
 */
export async function startReceiver(options: { tls?: boolean } = {}) {
  const secure = options.tls ?? true;
  const certificates = secure ? await createCertificates() : null;
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  let answer: Respond = (_request, response) => response.end("ok");

  const onRequest = (message: IncomingMessage, response: ServerResponse) => {
    const request: ReceivedRequest = {
      method: message.method ?? "",
      path: message.url ?? "",
      headers: message.headers,
      rawHeaders: message.rawHeaders,
      body: Buffer.alloc(0),
      arrivedAtMs: performance.timeOrigin + performance.now(),
      endedAtMs: null,
    };
    const chunks: Buffer[] = [];
    message.on("data", (chunk) => chunks.push(chunk));
    response.on("close", () => {
      request.endedAtMs = performance.timeOrigin + performance.now();
    });
    message.on("end", () => {
      request.body = Buffer.concat(chunks);
      requests.push(request);
      answer(request, response, message.socket);
    });
  };
  const server = certificates ? createHttpsServer(certificates, onRequest) : createHttpServer(onRequest);
  server.keepAliveTimeout = 60_000;
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  return {
    port,
    origin: `${secure ? "https" : "http"}://localhost:${port}`,
    /** PEM of the authority that signed its certificate. */
    ca: certificates?.ca ?? "",
    requests,
    connections: () => sockets.size,
    respond(next: Respond) {
      answer = next;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
