import net from "node:net";
import tls from "node:tls";

/** No connection was open by the deadline. */
export class TimedOut extends Error {
  constructor() {
    super("timed out");
  }
}

export type SocketTarget = {
  origin: string;
  hostname: string;
  port: number;
  /** The only addresses that the socket may connect to. */
  addresses: string[];
  secureContext: tls.SecureContext;
  /** A TLS session to resume. */
  session: Buffer | undefined;
  deadlineMs: number;
};

/**
 * Opens a socket, with TLS when the origin is https. Resolves with it and one TCP round trip, ms. Rejects with the
 * system's error, or with TimedOut.
 */
export function openSocket(target: SocketTarget): Promise<{ socket: net.Socket; roundTripMs: number }> {
  return new Promise((resolve, reject) => {
    const startedAtMs = performance.now();
    let roundTripMs = 0;
    const isSecure = target.origin.startsWith("https:");
    const socket = isSecure ? secureSocket(target) : net.connect(addressOf(target));
    const timer = setTimeout(() => fail(new TimedOut()), Math.max(target.deadlineMs, 1));
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
    socket.once("connect", () => {
      roundTripMs = performance.now() - startedAtMs;
    });
    socket.once("error", fail);
    socket.once("close", onClose);
    socket.once(isSecure ? "secureConnect" : "connect", () => {
      settle();
      resolve({ socket, roundTripMs });
    });
  });
}

function secureSocket(target: SocketTarget): tls.TLSSocket {
  return tls.connect({
    ...addressOf(target),
    secureContext: target.secureContext,
    session: target.session,
    servername: net.isIP(target.hostname) ? "" : target.hostname,
    ALPNProtocols: ["http/1.1"],
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED would decide otherwise.
    rejectUnauthorized: true,
  });
}

function addressOf({ hostname, port, addresses }: SocketTarget): net.TcpNetConnectOpts {
  const answers = addresses.map((address) => ({ address, family: net.isIP(address) }));
  const lookup = ((_name, { all }, callback) =>
    all
      ? callback(null, answers)
      : callback(null, answers[0]?.address ?? "", answers[0]?.family)) as net.LookupFunction;
  return { host: hostname, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 15_000, lookup };
}
