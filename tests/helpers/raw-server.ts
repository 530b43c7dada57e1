import { type AddressInfo, createServer, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";

export type RawRequest = { head: string; connection: number; arrivedAtMs: number };

/**
 * What a target does with a connection: when it opens, and when the header block of its nth request (from 1) is
 * complete.
 */
export type RawBehaviour = {
  onConnect?: (socket: Socket) => void;
  onRequest?: (socket: Socket, n: number) => void;
};

export type RawServer = Awaited<ReturnType<typeof startRawServer>>;

/**
 * A TCP (or TLS) server on loopback that sends only what `behaviour` writes. It records the header block of each
 * request.
 */
export async function startRawServer(behaviour: RawBehaviour, options: { tls?: TlsOptions } = {}) {
  const requests: RawRequest[] = [];
  const sockets = new Set<Socket>();
  let opened = 0;
  let written = 0;

  const onConnection = (socket: Socket) => {
    const connection = ++opened;
    let unread = "";
    let bodyLeft = 0;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      written += socket.bytesWritten;
      sockets.delete(socket);
    });
    behaviour.onConnect?.(socket);
    if (!behaviour.onRequest) return;
    socket.on("data", (chunk) => {
      const text = chunk.toString("latin1");
      unread += text.slice(bodyLeft);
      bodyLeft = Math.max(0, bodyLeft - text.length);
      const end = unread.indexOf("\r\n\r\n");
      if (end < 0) return;
      const head = unread.slice(0, end);
      const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
      const rest = unread.slice(end + 4);
      unread = rest.slice(length);
      bodyLeft = Math.max(0, length - rest.length);
      requests.push({ head, connection, arrivedAtMs: performance.timeOrigin + performance.now() });
      behaviour.onRequest?.(socket, requests.length);
    });
  };
  const server = options.tls ? createTlsServer(options.tls, onConnection) : createServer(onConnection);
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  return {
    port,
    requests,
    /** The number of open connections, and of connections ever opened. */
    connections: () => sockets.size,
    opened: () => opened,
    /** The bytes written to connections that are closed. */
    written: () => written,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Writes `next()` every `periodMs` while the socket is open. */
export function drip(socket: Socket, periodMs: number, next: () => string | Buffer) {
  const timer = setInterval(() => socket.write(next()), periodMs);
  socket.on("close", () => clearInterval(timer));
}

/** Writes `chunk` without end, as fast as the client reads it. */
export function pour(socket: Socket, chunk: Buffer) {
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on("drain", more);
  more();
}
