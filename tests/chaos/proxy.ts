import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { PartitionMode } from "./plan.ts";

export type DatabaseProxy = Awaited<ReturnType<typeof startProxy>>;

type Link = { client: Socket; server: Socket };

/**
 * A TCP proxy on the loopback interface through which one side of a connection can be cut off: bytes are held, not lost,
 * as a network does it that comes back, so that what was sent into the partition may still arrive after it.
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

    /** New connections go to another port from now on. */
    aim(newPort: number) {
      port = newPort;
    },

    /**
     * Cuts off the connections that `which` picks; new ones too when `alsoNew`. `reset` breaks them, and refuses new ones.
     */
    cut(how: PartitionMode, which: () => boolean = () => true, alsoNew = true) {
      if (alsoNew) mode = how;
      for (const link of [...links].filter(which)) {
        if (how === "reset") reset(link);
        else hold(link, how);
      }
    },

    /** Everything passes again: `flow` delivers what was held, `reset` breaks the connections that were held. */
    heal(how: "flow" | "reset") {
      mode = "pass";
      for (const link of [...links]) {
        const wasHeld = held.has(link.client) || held.has(link.server);
        if (how === "reset" && wasHeld) reset(link);
        else hold(link, "pass");
      }
    },

    /** Connections through it. */
    size: () => links.size,

    async close() {
      for (const link of [...links]) reset(link);
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
