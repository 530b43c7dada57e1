import { createServer as createPlainServer, type Socket } from "node:net";
import { createServer } from "node:tls";
import { createCertificates } from "../../scripts/lab/certificates.ts";
import type { FromReceiver, ToReceiver } from "./receiver.ts";
import { monotonicMs, readWallClock, wallTimeBetween } from "./wall-clock.ts";

// The receiver in its own process. It implements HTTP/1.1 over TLS by hand, which costs a third of node:https, so that
// the measurement is about the engine. A request is `POST /d/<n>` (answered), `POST /s/<n>` (answered after 500 ms) or
// `POST /h/<n>` (never answered). Anything else is answered and not counted.
const ANSWER = Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");

const COUNTED = new Set(["/d/", "/s/", "/h/"]);
const SLOW_MS = 500;
/** Number of ports that the many names share. One pair of addresses and ports can be used again only after a while. */
const MANY_PORTS = 4;

let arrivals = new Float64Array(0);
let seen = 0;
let duplicates = 0;
let expected = 0;
let lastAtMs: number | null = null;
let began = readWallClock();
const hanging = new Set<Socket>();

const send = (message: FromReceiver) => process.send?.(message);

const note = (n: number, atMs: number) => {
  if (n >= arrivals.length) return;
  if (!Number.isNaN(arrivals[n])) {
    duplicates++;
    return;
  }
  arrivals[n] = atMs;
  if (n >= expected) return;
  lastAtMs = atMs;
  if (++seen === expected) send({ kind: "complete" });
};

const serve = (socket: Socket) => {
  let kept: Buffer | undefined;
  let beganAtMs = 0;
  socket.setNoDelay(true);
  socket.on("error", () => {});
  socket.on("close", () => hanging.delete(socket));
  socket.on("data", (chunk: Buffer) => {
    if (!kept) beganAtMs = monotonicMs();
    kept = kept ? Buffer.concat([kept, chunk]) : chunk;
    for (;;) {
      const request = readRequest(kept);
      if (!request) return;
      kept = kept.length > request.length ? kept.subarray(request.length) : undefined;
      const kind = request.path.slice(0, 3);
      if (COUNTED.has(kind)) note(Number(request.path.slice(3)), beganAtMs);
      if (kind === "/h/") hanging.add(socket);
      else if (kind === "/s/") setTimeout(() => socket.write(ANSWER), SLOW_MS);
      else socket.write(ANSWER);
      if (!kept) return;
      beganAtMs = monotonicMs();
    }
  });
};

function readRequest(bytes: Buffer): { path: string; length: number } | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = bytes.toString("latin1", 0, end);
  const length = end + 4 + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  if (bytes.length < length) return undefined;
  const from = head.indexOf(" ") + 1;
  return { path: head.slice(from, head.indexOf(" ", from)), length };
}

process.on("message", (message: ToReceiver) => {
  if (message.kind === "expect") {
    arrivals = new Float64Array(message.jobs).fill(Number.NaN);
    expected = message.answered;
    seen = 0;
    duplicates = 0;
    lastAtMs = null;
    began = readWallClock();
    return send({ kind: "expecting" });
  }
  if (message.kind === "count") return send({ kind: "count", arrived: seen });
  const wallAt = wallTimeBetween(began, readWallClock());
  for (const socket of hanging) socket.destroy();
  send({
    kind: "arrivals",
    arrivals: arrivals.map(wallAt),
    duplicates,
    lastAtMs: lastAtMs === null ? null : wallAt(lastAtMs),
  });
});
process.on("disconnect", () => process.exit(0));

const { ca, cert, key } = await createCertificates();
const listen = () =>
  new Promise<number>((resolve) => {
    const server = createServer({ cert, key, ALPNProtocols: ["http/1.1"] }, serve);
    server.on("tlsClientError", () => {});
    server.listen({ port: 0, host: "127.0.0.1", backlog: 1_024 }, () =>
      resolve((server.address() as { port: number }).port),
    );
  });
const listenPlainly = () =>
  new Promise<number>((resolve) => {
    const server = createPlainServer(serve);
    server.listen({ port: 0, host: "127.0.0.1", backlog: 1_024 }, () =>
      resolve((server.address() as { port: number }).port),
    );
  });
send({
  kind: "listening",
  port: await listen(),
  hangingPort: await listen(),
  slowPort: await listen(),
  manyPorts: await Promise.all(Array.from({ length: MANY_PORTS }, listenPlainly)),
  ca,
});
