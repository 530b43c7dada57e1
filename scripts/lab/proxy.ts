import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** What a client meets where its server should be: it gets each new connection. */
export type Peer = (socket: Socket) => void;

/** What a proxy does with the connections through it. A peer gets the new ones, and those before are reset. */
export type ProxyMode =
  | Peer
  | "pass"
  /** Bytes wait, and arrive once they may pass, as on a network that recovers. */
  | "hold"
  /** The server receives everything, and its answers wait. */
  | "hold-replies"
  /** Both ends stay open and no bytes arrive, as on a network that lost the connection. */
  | "black hole"
  /** The server receives everything, and its answers are lost. */
  | "drop replies"
  | "reset"
  /** As a load balancer without a server behind it. */
  | "accept and close";

export type DatabaseProxy = Awaited<ReturnType<typeof startProxy>>;

type Link = { client: Socket; server: Socket; lost: "nothing" | "replies" | "everything" };

/**
 * A TCP proxy on a port of the loopback interface (a free one by default) to `targetPort`, or one on a Unix socket, which
 * is gone when it closes. A connection that has lost bytes stays silent when the proxy passes bytes again. Only its owner
 * can give it up.
 */
export async function startProxy(targetPort: number, at: string | { port: number } = { port: 0 }) {
  const links = new Set<Link>();
  /** Connections that a peer got. */
  const peered = new Set<Socket>();
  /** Ends whose bytes wait. */
  const held = new Set<Socket>();
  const acceptedAtMs: number[] = [];
  let port = targetPort;
  let mode: ProxyMode = "pass";

  const listener = createServer({ noDelay: true }, (client) => {
    acceptedAtMs.push(performance.now());
    client.on("error", () => {});
    if (typeof mode === "function") {
      peered.add(client.on("close", () => peered.delete(client)));
      return mode(client);
    }
    if (mode === "reset") return client.resetAndDestroy();
    if (mode === "accept and close") return client.resume().end();
    const server = connect({ port, host: "127.0.0.1", noDelay: true });
    const link: Link = { client, server, lost: "nothing" };
    links.add(link);
    const end = () => {
      links.delete(link);
      for (const socket of [client, server]) {
        held.delete(socket);
        socket.destroy();
      }
    };
    for (const socket of [client, server]) socket.on("error", end).on("close", end);
    forward(client, server, () => link.lost === "everything");
    forward(server, client, () => link.lost !== "nothing");
    apply(mode, link);
  });

  function forward(from: Socket, to: Socket, isLost: () => boolean) {
    from.on("end", () => to.end());
    from.on("data", (chunk) => {
      if (isLost() || to.write(chunk)) return;
      from.pause();
      to.once("drain", () => held.has(from) || from.resume());
    });
  }

  function apply(next: ProxyMode, link: Link) {
    if (next === "reset" || next === "accept and close" || typeof next === "function")
      return link.client.resetAndDestroy();
    if (next === "black hole") link.lost = "everything";
    if (next === "drop replies") link.lost = "replies";
    hold(link.client, next === "hold");
    hold(link.server, next === "hold" || next === "hold-replies");
  }

  function hold(socket: Socket, isHeld: boolean) {
    if (isHeld) held.add(socket.pause());
    else if (held.delete(socket)) socket.resume();
  }

  await new Promise<void>((resolve) => {
    if (typeof at === "string") listener.listen(at, resolve);
    else listener.listen(at.port, "127.0.0.1", resolve);
  });

  return {
    port: typeof at === "string" ? 0 : (listener.address() as AddressInfo).port,
    /** Sends new connections to another port from now on. */
    aim(next: number) {
      port = next;
    },
    /**
     * Sets the behaviour from now on, for existing connections (those that `which` picks by their order) and, unless
     * `alsoNew` is false, for new ones.
     */
    set(next: ProxyMode, which: (nth: number) => boolean = () => true, alsoNew = true) {
      if (alsoNew) mode = next;
      for (const client of peered) client.resetAndDestroy();
      for (const [nth, link] of [...links].entries()) if (which(nth)) apply(next, link);
    },
    /** Passes bytes again, and resets the connections that have lost some, or whose bytes wait: none stays silent. */
    heal() {
      mode = "pass";
      for (const { client, server, lost } of [...links])
        if (lost !== "nothing" || held.has(client) || held.has(server)) client.resetAndDestroy();
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
