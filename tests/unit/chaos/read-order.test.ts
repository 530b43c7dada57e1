import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { preciseNow } from "#scripts/lab/clock.ts";
import { ReadOrder } from "../../chaos/read-order.ts";
import { waitFor } from "../../helpers/wait-for.ts";

type Read = { text: string; atMs: number; readableAfterMs: number };

let order: ReadOrder;
let reads: Read[];
let onRead: (read: Read) => void;
const clients: Socket[] = [];
const server = createServer((socket) => {
  socket.on("data", (chunk) => {
    const read = { text: String(chunk), atMs: preciseNow(), readableAfterMs: order.readableAfterMs() };
    reads.push(read);
    onRead(read);
  });
});

beforeEach(async () => {
  [order, reads, onRead] = [new ReadOrder(), [], () => {}];
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  order.stop();
  server.close();
});

async function client(): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").setNoDelay();
  clients.push(socket);
  await once(socket, "connect");
  return socket;
}

/** Writes at once: a socket with an empty write queue passes the bytes to the kernel within the call. */
function write(socket: Socket, text: string): number {
  socket.write(text);
  return preciseNow();
}

function holdUp(ms: number) {
  for (const untilMs = performance.now() + ms; performance.now() < untilMs; );
}

it("readableAfterMs is before the data became readable, even when data that came 100 ms later are read first", async () => {
  const [idle, active] = [await client(), await client()];
  const sent = new Map<string, number>();
  onRead = ({ text }) => {
    if (text !== "first") return;
    sent.set("on the idle one", write(idle, "on the idle one"));
    holdUp(100);
    sent.set("on the active one", write(active, "on the active one"));
  };
  write(active, "first");
  await waitFor("the three reads", () => reads.length === 3);
  // On Linux, epoll names the connection that had data in the round before first. ReadOrder exists because of that.
  if (process.platform === "linux")
    expect(reads.map(({ text }) => text)).toEqual(["first", "on the active one", "on the idle one"]);
  for (const { text, atMs, readableAfterMs } of reads.slice(1)) {
    expect(readableAfterMs).toBeLessThan(sent.get(text) as number);
    expect(atMs).toBeGreaterThanOrEqual(sent.get(text) as number);
  }
});

it("readableAfterMs is at most two event loop rounds old when the process was idle", async () => {
  const socket = await client();
  const idleSinceMs = preciseNow();
  await waitFor("two rounds", () => order.readableAfterMs() >= idleSinceMs);
  write(socket, "after a while");
  await waitFor("the read", () => reads.length === 1);
  expect(reads[0]?.readableAfterMs).toBeGreaterThanOrEqual(idleSinceMs);
});
