import net from "node:net";
import tls from "node:tls";
import type { Connection } from "../delivery/connection.ts";
import type { ConfirmedLatency } from "../runtime/confirmed-latency.ts";
import { orderOfTries } from "./address-order.ts";
import { connectToOneOf, type FurtherSockets, TimedOut } from "./address-race.ts";
import { GuardedStream } from "./guarded-stream.ts";
import type { ReadTurns } from "./read-turns.ts";
import { connectSliced } from "./sliced-socket.ts";

export type SocketTarget = {
  origin: string;
  /** The account that it is opened for. */
  accountId: string;
  hostname: string;
  port: number;
  /** The only addresses that the socket may connect to. */
  addresses: string[];
  secureContext: tls.SecureContext;
  turns: ReadTurns;
  confirmedLatency: ConfirmedLatency;
  /** A TLS session to resume. */
  session: Buffer | undefined;
  /** Room for the sockets of tries side by side. */
  further: FurtherSockets;
  /** Told of the address that the socket is connected to, before TLS. */
  onConnected: (address: string) => void;
  deadlineMs: number;
};

/** What has arrived for a socket and is still to be passed on to it, and when it arrived. */
export type Inlet = Pick<Connection, "hasUnread" | "reading">;

/** Without an `inlet` the socket knows of everything that has arrived. */
export type OpenSocket = { socket: net.Socket; roundTripMs: number; inlet?: Inlet };

/**
 * Opens a socket, with TLS when the origin is https. Resolves with it and one TCP round trip, ms. Rejects with
 * NoneConnected before there is a connection, then with the system's error or TimedOut.
 */
export async function openSocket(target: SocketTarget): Promise<OpenSocket> {
  const { origin, addresses, port, further, deadlineMs } = target;
  const startedAtMs = performance.now();
  // Each is an address, so nothing is resolved here.
  const isSecure = origin.startsWith("https:");
  const connect = (host: string) => {
    const options = { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 15_000 };
    return isSecure ? connectSliced(options) : net.connect(options);
  };
  const won = await connectToOneOf(orderOfTries(addresses), { connect, further, deadlineMs });
  const { socket, roundTripMs } = won;
  target.onConnected(won.address);
  if (!isSecure) return { socket, roundTripMs };
  const leftMs = deadlineMs - (performance.now() - startedAtMs);
  const stream = new GuardedStream(socket, target.accountId, target);
  return { socket: await secure(stream, target, leftMs), roundTripMs, inlet: stream };
}

/** Shakes hands on `stream`, within `deadlineMs`. */
function secure(stream: GuardedStream, target: SocketTarget, deadlineMs: number): Promise<tls.TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({
      socket: stream,
      host: target.hostname,
      secureContext: target.secureContext,
      session: target.session,
      servername: net.isIP(target.hostname) ? "" : target.hostname,
      ALPNProtocols: ["http/1.1"],
      // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED would decide otherwise.
      rejectUnauthorized: true,
    });
    stream.serve(socket);
    const timer = setTimeout(() => fail(new TimedOut()), Math.max(deadlineMs, 1));
    const settle = () => {
      clearTimeout(timer);
      socket.off("error", fail);
      socket.off("close", onClose);
    };
    const fail = (error: Error) => {
      settle();
      socket.on("error", () => {}).destroy();
      reject(error);
    };
    const onClose = () => fail(new Error("closed during the handshake"));
    socket.once("error", fail);
    socket.once("close", onClose);
    socket.once("secureConnect", () => {
      settle();
      resolve(socket);
    });
  });
}
