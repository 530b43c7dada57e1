import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** What a client meets where its server should be: it gets each new connection. */
export type Peer = (socket: Socket) => void;

/** What a proxy does with the connections through it. A peer gets the new ones, and those before are reset. */
export type ProxyMode =
  | Peer
  | "pass"
  /** Both ends stay open and no bytes arrive, as on a network that lost the connection. */
  | "black hole"
  /** The server receives everything, and its answers are lost. */
  | "drop replies"
  | "reset"
  /** As a load balancer without a server behind it. */
  | "accept and close";

export type DatabaseProxy = Awaited<ReturnType<typeof startProxy>>;

/**
 * A TCP proxy on the loopback interface to `targetPort`, or one on the Unix socket `path`, which is gone when it closes. A
 * connection that has lost bytes stays silent when the proxy passes bytes again. Only its owner can give it up.
 */
export async function startProxy(targetPort: number, path?: string) {
  const links = new Set<{ client: Socket; server: Socket; lost: "nothing" | "replies" | "everything" }>();
  /** Connections that a peer got. */
  const peered = new Set<Socket>();
  let mode: ProxyMode = "pass";
  const acceptedAtMs: number[] = [];

  const listener = createServer({ noDelay: true }, (client) => {
    acceptedAtMs.push(performance.now());
    client.on("error", () => {});
    if (typeof mode === "function") {
      peered.add(client.on("close", () => peered.delete(client)));
      return mode(client);
    }
    if (mode === "reset") return client.resetAndDestroy();
    if (mode === "accept and close") return client.resume().end();
    const server = connect({ port: targetPort, host: "127.0.0.1", noDelay: true });
    const link = { client, server, lost: lossOf(mode) };
    links.add(link);
    const end = () => {
      links.delete(link);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on("error", end).on("close", end);
    client.on("data", (chunk) => link.lost !== "everything" && server.write(chunk));
    server.on("data", (chunk) => link.lost === "nothing" && client.write(chunk));
  });
  await new Promise<void>((resolve) => {
    if (path === undefined) listener.listen(0, "127.0.0.1", resolve);
    else listener.listen(path, resolve);
  });

  return {
    port: path !== undefined ? 0 : (listener.address() as AddressInfo).port,
    /**
     * Sets the behaviour from now on, for existing connections (those that `which` picks by their order) and for new
     * ones.
     */
    set(next: ProxyMode, which: (nth: number) => boolean = () => true) {
      mode = next;
      for (const client of peered) client.resetAndDestroy();
      for (const [nth, link] of [...links].entries()) {
        if (next === "pass" || !which(nth)) continue;
        link.lost = lossOf(next);
        if (next === "reset" || next === "accept and close" || typeof next === "function")
          link.client.resetAndDestroy();
      }
    },
    /** Passes bytes again, and resets the connections that have lost some: none stays silent. */
    heal() {
      mode = "pass";
      for (const { client, lost } of [...links]) if (lost !== "nothing") client.resetAndDestroy();
    },
    connections: () => links.size,
    /** How many connections there have been. */
    accepted: () => acceptedAtMs.length,
    /** When they were accepted, ms by the clock of `performance.now()`. */
    acceptedAtMs: (): readonly number[] => acceptedAtMs,
    async close() {
      for (const client of [...peered, ...[...links].map((link) => link.client)]) client.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

const lossOf = (mode: ProxyMode): "nothing" | "replies" | "everything" =>
  mode === "black hole" ? "everything" : mode === "drop replies" ? "replies" : "nothing";
