import { type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Readable } from "node:stream";

// The arguments are the addresses and their port. Prints the port.
const LISTEN = `
const net = require("node:net");
const [first, ...others] = process.argv[1].split(",");
const port = Number(process.argv[2]);
const listen = (host, port, then) => net.createServer().listen({ host, port, backlog: 1 }, then);
const server = listen(first, port, () => {
  const { port } = server.address();
  let left = others.length;
  if (left === 0) console.log(port);
  for (const host of others) listen(host, port, () => --left === 0 && console.log(port));
});
`;

/**
 * Addresses of this machine at which connecting hangs: their queues of connections are full, as the process that listens
 * there is stopped. `answer` lets it go on, and what hangs is connected within a second or two. `wanted` is their port, or
 * 0 for any.
 */
export async function startSilentAddresses(hosts: readonly string[], wanted = 0) {
  const options: SpawnOptions = { stdio: ["ignore", "pipe", "inherit"] };
  const child = spawn(process.execPath, ["-e", LISTEN, hosts.join(), String(wanted)], options);
  const [line] = await once(child.stdout as Readable, "data");
  const port = Number(line);
  child.kill("SIGSTOP");
  const fillers: Socket[] = [];
  for (const host of hosts)
    for (let n = 0; n < 2; n++) {
      const filler = connect({ host, port });
      filler.on("error", () => {});
      fillers.push(filler);
      await once(filler, "connect");
    }
  return {
    port,
    answer: () => void child.kill("SIGCONT"),
    async close() {
      for (const filler of fillers) filler.destroy();
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}
