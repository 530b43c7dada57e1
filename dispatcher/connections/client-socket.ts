import type net from "node:net";
import { Client } from "undici";
import { type Connection, ConnectionGone } from "../delivery/connection.ts";
import { CONNECTIONS } from "../tuning/connections.ts";
import type { Inlet } from "./open-socket.ts";

/**
 * Puts an HTTP client on a socket. The client gets exactly this socket, once; a later connect of its own is an error.
 * Until its first request the socket is parked: a FIN is noticed, and unexpected bytes end it.
 */
export function connectionOn(
  socket: net.Socket,
  origin: string,
  measured: Pick<Connection, "connectMs" | "roundTripMs" | "openedAtMs">,
  inlet?: Inlet,
): Connection {
  const parked = park(socket);
  let error: Error | undefined;
  const client = clientOn(origin, () => {
    if (socket.destroyed) throw error ?? new ConnectionGone();
    parked.release((chunk) => connection.onBytes?.(chunk) ?? chunk);
    return socket;
  });
  const connection: Connection = {
    client,
    origin,
    ...measured,
    used: false,
    requestsLeft: Number.POSITIVE_INFINITY,
    answeredAtMs: Number.NaN,
    get error() {
      return error;
    },
    get broken() {
      return socket.destroyed;
    },
    get hasUnread() {
      return inlet?.hasUnread ?? false;
    },
    get reading() {
      return inlet?.reading;
    },
    onBroken: undefined,
    onBytes: undefined,
    destroy() {
      // Destroy it with an error. Without one undici takes an answer that is delimited by the close as complete, and an
      // assertion of undici fails.
      socket.destroy(new ConnectionGone());
      client.destroy().catch(() => {});
    },
  };
  socket.on("error", (cause) => {
    error ??= cause;
  });
  socket.once("close", () => {
    connection.onBroken?.();
    // Let undici's own listener first fail the request on the wire.
    setImmediate(() => client.destroy().catch(() => {}));
  });
  return connection;
}

/**
 * A Client of undici whose `connect` yields what `take` returns, the first time. Later, or when `take` throws, it
 * fails.
 */
function clientOn(origin: string, take: () => net.Socket): Client {
  let isTaken = false;
  return new Client(origin, {
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: CONNECTIONS.idleMaxMs,
    keepAliveMaxTimeout: CONNECTIONS.idleMaxMs,
    keepAliveTimeoutThreshold: 2_000,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: 16_384,
    connect: (_options: unknown, callback: (error: Error | null, socket: net.Socket | null) => void) => {
      // undici needs an asynchronous callback; after a synchronous one the request hangs for ever. It writes on a
      // connection that was used before in the check phase of the event loop. So does a new one, which keeps the order.
      setImmediate(() => {
        if (isTaken) return callback(new ConnectionGone(), null);
        let socket: net.Socket;
        try {
          socket = take();
        } catch (error) {
          return callback(error as Error, null);
        }
        isTaken = true;
        callback(null, socket);
      });
    },
    // biome-ignore lint/suspicious/noExplicitAny: undici types `connect` for its own connector only
  } as any);
}

/** Parks a socket. `release` hands it over; from then on a reader gets what `onBytes` returns of the bytes. */
function park(socket: net.Socket) {
  const end = () => socket.destroy();
  const refuseBytes = () => {
    if (socket.read() !== null) socket.destroy();
  };
  socket.on("readable", refuseBytes);
  socket.on("end", end);
  return {
    release(onBytes: (chunk: Buffer) => Buffer) {
      socket.off("readable", refuseBytes);
      socket.off("end", end);
      const read = socket.read.bind(socket);
      socket.read = (size) => {
        for (;;) {
          const chunk = read(size);
          const passed = chunk === null ? null : onBytes(chunk);
          if (passed?.length !== 0) return passed;
        }
      };
    },
  };
}
