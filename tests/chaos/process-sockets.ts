import { readdir, readFile, readlink } from "node:fs/promises";
import { preciseNow } from "#scripts/lab/clock.ts";
import type { ProcessSockets } from "./evidence.ts";
import type { ReceiverOrigin } from "./origins.ts";

const EVERY_MS = 500;
const SOCKET = /^socket:\[(\d+)\]$/;
const GONE = 0;

/**
 * Samples twice a second how many connections each process has to each origin of the receiver, as Linux lists them
 * under /proc. Finds nothing on other systems. `stop` ends the sampling.
 */
export function watchProcessSockets(options: {
  ports: Readonly<Record<ReceiverOrigin, number>>;
  pids: () => number[];
}) {
  const found: ProcessSockets[] = [];
  const origins = new Map(Object.entries(options.ports).map(([origin, port]) => [port, origin as ReceiverOrigin]));
  let isSampling = false;
  const sample = async () => {
    if (isSampling) return;
    isSampling = true;
    const table = await readFile("/proc/net/tcp", "latin1").catch(() => "");
    const sockets = readTcpTable(table, origins);
    const atMs = preciseNow();
    for (const pid of sockets.size > 0 ? options.pids() : [])
      found.push({ atMs, pid, open: await openOf(pid, sockets) });
    isSampling = false;
  };
  const timer = setInterval(() => void sample(), EVERY_MS);
  return { found, stop: () => clearInterval(timer) };
}

/**
 * Returns the inode of each socket whose remote port is one of these, with its origin. Format: proc(5), /proc/net/tcp.
 */
export function readTcpTable(table: string, origins: ReadonlyMap<number, ReceiverOrigin>): Map<number, ReceiverOrigin> {
  const sockets = new Map<number, ReceiverOrigin>();
  for (const line of table.split("\n").slice(1)) {
    const fields = line.trim().split(/\s+/);
    const origin = origins.get(Number.parseInt(fields[2]?.split(":")[1] ?? "", 16));
    const inode = Number(fields[9]);
    if (origin && inode !== GONE) sockets.set(inode, origin);
  }
  return sockets;
}

async function openOf(pid: number, sockets: ReadonlyMap<number, ReceiverOrigin>): Promise<ProcessSockets["open"]> {
  const open: ProcessSockets["open"] = {};
  const folder = `/proc/${pid}/fd`;
  const links = await Promise.all(
    (await readdir(folder).catch(() => [])).map((fd) => readlink(`${folder}/${fd}`).catch(() => "")),
  );
  for (const link of links) {
    const origin = sockets.get(Number(SOCKET.exec(link)?.[1]));
    if (origin) open[origin] = (open[origin] ?? 0) + 1;
  }
  return open;
}
