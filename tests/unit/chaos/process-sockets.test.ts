import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { pid, platform } from "node:process";
import { expect, it } from "vitest";
import { RECEIVER_ORIGINS, type ReceiverOrigin } from "../../chaos/origins.ts";
import { watchProcessSockets } from "../../chaos/process-sockets.ts";
import { waitFor } from "../../helpers/wait-for.ts";

it.runIf(platform === "linux")(
  "the connections of a process are counted by the origin at their other end",
  async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const clients = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const socket = connect(port, "127.0.0.1");
        await once(socket, "connect");
        return socket;
      }),
    );
    const unused = Object.fromEntries(RECEIVER_ORIGINS.map((origin) => [origin, 0]));
    const ports = { ...unused, slow: port } as Record<ReceiverOrigin, number>;
    const watch = watchProcessSockets({ ports, pids: () => [pid] });
    await waitFor("a sample", () => watch.found.length > 0);
    watch.stop();
    for (const client of clients) client.destroy();
    server.close();
    expect(watch.found[0]).toMatchObject({ pid, open: { slow: 3 } });
  },
);
