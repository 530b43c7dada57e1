import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { PartitionMode } from "./plan.ts";

export type DatabaseProxy = Awaited<ReturnType<typeof startProxy>>;

type Link = { client: Socket; server: Socket };

/**
 * A TCP proxy on the loopback interface that can cut off one side of a connection. It holds bytes without losing them,
 * as a network does that recovers, so that bytes sent into a partition may still arrive after it.
 */
export async function startProxy(targetPort: number) {
  const links = new Set<Link>();
  const held = new Set<Socket>();
  let port = targetPort;
  let mode: PartitionMode | "pass" = "pass";

  const listener = createServer({ noDelay: true, pauseOnConnect: true }, (client) => {
    if (mode === "reset") return client.resetAndDestroy();
    const server = connect({ port, host: "127.0.0.1", noDelay: true });
    const link = { client, server };
    links.add(link);
    const forget = () => {
      links.delete(link);
      held.delete(client);
      held.delete(server);
      client.destroy();
      server.destroy();
    };
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on("error", forget);
      from.on("close", forget);
      from.on("end", () => to.end());
      from.on("data", (chunk: Buffer) => {
        if (to.write(chunk)) return;
        from.pause();
        to.once("drain", () => {
          if (!held.has(from)) from.resume();
        });
      });
    }
    hold(link, mode);
  });

  const hold = ({ client, server }: Link, how: typeof mode) => {
    for (const [socket, stops] of [
      [client, how === "hold"],
      [server, how === "hold" || how === "hold-replies"],
    ] as const) {
      if (stops) held.add(socket.pause());
      else {
        held.delete(socket);
        socket.resume();
      }
    }
  };
  const reset = (link: Link) => {
    link.client.resetAndDestroy();
    link.server.destroy();
  };

  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  return {
    port: (listener.address() as AddressInfo).port,

    /** Sends new connections to another port from now on. */
    aim(newPort: number) {
      port = newPort;
    },

    /**
     * Cuts off the connections that `which` picks, and new ones too when `alsoNew` is set. `reset` breaks them and
     * refuses new ones.
     */
    cut(how: PartitionMode, which: () => boolean = () => true, alsoNew = true) {
      if (alsoNew) mode = how;
      for (const link of [...links].filter(which)) {
        if (how === "reset") reset(link);
        else hold(link, how);
      }
    },

    /**
     * Lets everything through again. `flow` delivers the held bytes, `reset` breaks the connections whose bytes were
     * held.
     */
    heal(how: "flow" | "reset") {
      mode = "pass";
      for (const link of [...links]) {
        const wasHeld = held.has(link.client) || held.has(link.server);
        if (how === "reset" && wasHeld) reset(link);
        else hold(link, "pass");
      }
    },

    /** Number of connections through the proxy. */
    size: () => links.size,

    async close() {
      for (const link of [...links]) reset(link);
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
