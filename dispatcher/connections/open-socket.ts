import net from "node:net";
import tls from "node:tls";
import { orderOfTries } from "./address-order.ts";
import { connectToOneOf, type FurtherSockets, TimedOut } from "./address-race.ts";

export type SocketTarget = {
  origin: string;
  hostname: string;
  port: number;
  /** The only addresses that the socket may connect to. */
  addresses: string[];
  secureContext: tls.SecureContext;
  /** A TLS session to resume. */
  session: Buffer | undefined;
  /** Room for the sockets of tries side by side. */
  further: FurtherSockets;
  /** Told of the address that the socket is connected to, before TLS. */
  onConnected: (address: string) => void;
  deadlineMs: number;
};

/**
 * Opens a socket, with TLS when the origin is https. Resolves with it and one TCP round trip, ms. Rejects with
 * NoneConnected before there is a connection, then with the system's error or TimedOut.
 */
export async function openSocket(target: SocketTarget): Promise<{ socket: net.Socket; roundTripMs: number }> {
  const { origin, addresses, port, further, deadlineMs } = target;
  const startedAtMs = performance.now();
  // Each is an address, so nothing is resolved here.
  const connect = (host: string) =>
    net.connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 15_000 });
  const won = await connectToOneOf(orderOfTries(addresses), { connect, further, deadlineMs });
  const { socket, roundTripMs } = won;
  target.onConnected(won.address);
  if (!origin.startsWith("https:")) return { socket, roundTripMs };
  const leftMs = deadlineMs - (performance.now() - startedAtMs);
  return { socket: await secure(socket, target, leftMs), roundTripMs };
}

/** Shakes hands on `socket`, within `deadlineMs`. */
function secure(plain: net.Socket, target: SocketTarget, deadlineMs: number): Promise<tls.TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({
      socket: plain,
      host: target.hostname,
      secureContext: target.secureContext,
      session: target.session,
      servername: net.isIP(target.hostname) ? "" : target.hostname,
      ALPNProtocols: ["http/1.1"],
      // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED would decide otherwise.
      rejectUnauthorized: true,
    });
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
