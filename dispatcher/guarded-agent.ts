import { promises as dns } from "node:dns";
import net from "node:net";
import tls from "node:tls";
import { Client } from "undici";
import { judgeAddresses } from "#domain/address-policy.ts";
import { judgeTarget, type TargetPolicy } from "#domain/target-url.ts";
import { CONNECT_DEADLINE_MS } from "#domain/timing.ts";
import { type Connection, ConnectionGone, type OpenResult } from "./connection.ts";

const IDLE_MAX_MS = 4_000;
const LOCAL = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EADDRNOTAVAIL"]);

/**
 * Opens connections to targets, and to nothing else: the target is judged as at creation, its name is resolved once
 * with a deadline, an answer with one bad address is refused whole, and the socket goes to exactly these addresses.
 * No proxy, no redirect, HTTP/1.1 only.
 */
export function createGuardedAgent(deps: {
  policy: TargetPolicy;
  ca?: string;
  monotonic: () => number;
  /** All addresses of a name. `allowed` names are the operator's own and may stand in /etc/hosts. */
  resolve?: (hostname: string, allowed: boolean) => Promise<string[]>;
}) {
  const resolve = deps.resolve ?? resolveName;
  const sessions = new Map<string, Buffer>();
  // Made once: parsing the root certificates for each connection costs more than its handshake.
  const secureContext = tls.createSecureContext(
    deps.ca === undefined ? {} : { ca: [...tls.rootCertificates, deps.ca] },
  );

  return {
    async open(origin: string): Promise<OpenResult> {
      const startedAt = deps.monotonic();
      const target = judgeTarget(`${origin}/`, deps.policy);
      if (!target.ok) return { kind: "blocked", error: "blocked: the target is not allowed" };
      const { hostname, port, allowed } = target;
      const literal = net.isIP(hostname) !== 0;
      let addresses = [hostname];
      try {
        if (!literal) addresses = await within(resolve(hostname, allowed), CONNECT_DEADLINE_MS);
      } catch (error) {
        return failure(error, "name resolution");
      }
      if (!literal && addresses.length === 0) return { kind: "unreachable", error: "name resolution: no address" };
      if (!judgeAddresses(addresses, deps.policy, allowed)) {
        return { kind: "blocked", error: "blocked: the target's address is not allowed" };
      }
      const left = CONNECT_DEADLINE_MS - (deps.monotonic() - startedAt);
      const dialled = await dial({
        origin,
        hostname,
        port,
        addresses,
        secureContext,
        session: sessions.get(origin),
        deadlineMs: left,
      });
      if ("error" in dialled) return failure(dialled.error, "connection");
      dialled.socket.on("session", (session: Buffer) => {
        sessions.delete(origin);
        sessions.set(origin, session);
        if (sessions.size > 1_000) sessions.delete(sessions.keys().next().value as string);
      });
      const openedAtMs = deps.monotonic();
      return {
        kind: "open",
        connection: wrap(dialled.socket, origin, {
          connectMs: openedAtMs - startedAt,
          roundTripMs: dialled.roundTripMs,
          openedAtMs,
        }),
      };
    },
  };
}

export type GuardedAgent = ReturnType<typeof createGuardedAgent>;

/**
 * A Client that is handed exactly this socket, once: a later connect of its own is an error. Until its first request the
 * socket is parked: a FIN must be noticed, and bytes that nobody asked for end it.
 */
function wrap(
  socket: net.Socket,
  origin: string,
  measured: Pick<Connection, "connectMs" | "roundTripMs" | "openedAtMs">,
) {
  const read = socket.read.bind(socket);
  let handedOver = false;
  const client = new Client(origin, {
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: IDLE_MAX_MS,
    keepAliveMaxTimeout: IDLE_MAX_MS,
    keepAliveTimeoutThreshold: 2_000,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: 16_384,
    connect: (_options: unknown, callback: (error: Error | null, socket: net.Socket | null) => void) => {
      // Asynchronous: a synchronous callback leaves the request hanging for ever.
      queueMicrotask(() => {
        if (handedOver || socket.destroyed) return callback(new ConnectionGone(), null);
        handedOver = true;
        socket.off("readable", refuseBytes);
        socket.off("end", end);
        socket.read = (size) => {
          const chunk = read(size);
          if (chunk !== null) connection.onBytes?.(chunk);
          return chunk;
        };
        callback(null, socket);
      });
    },
    // biome-ignore lint/suspicious/noExplicitAny: undici types `connect` for its own connector only
  } as any);
  const connection: Connection = {
    client,
    origin,
    ...measured,
    used: false,
    broken: false,
    onBroken: undefined,
    onBytes: undefined,
    destroy() {
      connection.broken = true;
      // With an error: without one undici takes an answer that lasts until the close for complete, and asserts.
      socket.destroy(new ConnectionGone());
      client.destroy().catch(() => {});
    },
  };
  const end = () => socket.destroy();
  const refuseBytes = () => {
    if (socket.read() !== null) socket.destroy();
  };
  socket.on("readable", refuseBytes);
  socket.on("error", () => {});
  socket.on("end", end);
  socket.once("close", () => {
    connection.broken = true;
    connection.onBroken?.();
    // After undici's own listener has failed the request that was under way.
    setImmediate(() => client.destroy().catch(() => {}));
  });
  return connection;
}

type Dialled = { socket: net.Socket; roundTripMs: number } | { error: Error };

function dial(options: {
  origin: string;
  hostname: string;
  port: number;
  addresses: string[];
  secureContext: tls.SecureContext;
  session: Buffer | undefined;
  deadlineMs: number;
}): Promise<Dialled> {
  return new Promise((settle) => {
    const answers = options.addresses.map((address) => ({ address, family: net.isIP(address) }));
    const address = {
      host: options.hostname,
      port: options.port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 15_000,
      lookup: ((_name, { all }, callback) =>
        all
          ? callback(null, answers)
          : callback(null, answers[0]?.address ?? "", answers[0]?.family)) as net.LookupFunction,
    };
    const startedAt = performance.now();
    let roundTripMs = 0;
    const secure = options.origin.startsWith("https:");
    const socket = secure
      ? tls.connect({
          ...address,
          secureContext: options.secureContext,
          session: options.session,
          servername: net.isIP(options.hostname) ? "" : options.hostname,
          ALPNProtocols: ["http/1.1"],
        })
      : net.connect(address);
    const timer = setTimeout(() => finish({ error: new TimedOut() }), Math.max(options.deadlineMs, 1));
    const finish = (result: Dialled) => {
      clearTimeout(timer);
      socket.off("error", onError);
      socket.off("close", onClose);
      if ("error" in result) socket.on("error", () => {}).destroy();
      settle(result);
    };
    const onError = (error: Error) => finish({ error });
    const onClose = () => finish({ error: new Error("closed during the handshake") });
    socket.once("connect", () => {
      roundTripMs = performance.now() - startedAt;
    });
    socket.once("error", onError);
    socket.once("close", onClose);
    socket.once(secure ? "secureConnect" : "connect", () => finish({ socket, roundTripMs }));
  });
}

class TimedOut extends Error {
  constructor() {
    super("timed out");
  }
}

function failure(error: unknown, step: string): OpenResult {
  const { code } = error as { code?: string };
  if (code !== undefined && LOCAL.has(code)) return { kind: "local", error: code };
  // The message of a system error holds the address it was for; its code does not.
  const reason = error instanceof TimedOut ? `timed out after ${CONNECT_DEADLINE_MS / 1000} s` : (code ?? "failed");
  return { kind: "unreachable", error: `${step}: ${reason}` };
}

function within<T>(work: Promise<T>, deadlineMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TimedOut()), deadlineMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * Both families by the DNS servers of the machine. Not getaddrinfo, which holds one of four threads for as long as a
 * name server is silent; only the operator's own targets are looked up with it, since they may stand in /etc/hosts.
 */
async function resolveName(hostname: string, allowed: boolean): Promise<string[]> {
  if (allowed) return (await dns.lookup(hostname, { all: true })).map((answer) => answer.address);
  const resolver = new dns.Resolver({ timeout: 2_500, tries: 3 });
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = [v4, v6].flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (addresses.length > 0) {
    // One family that could not be asked must not hide a bad address in it; that it has no record is an answer.
    for (const answer of [v4, v6]) {
      if (answer.status === "rejected" && !/^(ENODATA|ENOTFOUND)$/.test(answer.reason?.code)) throw answer.reason;
    }
    return addresses;
  }
  throw v4.status === "rejected" ? v4.reason : new Error("no address");
}
