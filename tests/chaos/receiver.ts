import { createHash } from "node:crypto";
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { decodeId } from "#domain/ids.ts";
import { createCertificates } from "#scripts/lab/certificates.ts";
import { preciseNow } from "#scripts/lab/clock.ts";
import { pause } from "../helpers/time.ts";
import { answerAs, type Behaviour } from "./behaviour.ts";
import type { Arrival, SocketCount } from "./evidence.ts";
import { RECEIVER_ORIGINS, type ReceiverOrigin } from "./origins.ts";
import { ReadOrder } from "./read-order.ts";

/**
 * The messages of the receiver over its IPC channel. `finished` answers the command `finish` once no request is open
 * any more.
 */
export type ReceiverMessage =
  | { type: "listening"; ports: Record<ReceiverOrigin, number>; ca: string }
  | { type: "arrivals"; arrivals: Arrival[] }
  | { type: "sockets"; count: SocketCount }
  | { type: "finished" };

/** `hold` and `release` name an adversary. Its requests to hanging targets are answered only after `release`. */
export type ReceiverCommand = { type: "hold" | "release"; group: string } | { type: "finish" };

const COUNT_EVERY_MS = 250;
/** Arrivals are reported together, since a message for each takes as long as the answer itself. */
const REPORT_EVERY_MS = 50;

// This file is a program of its own, with one port for each origin.
process.on("SIGINT", () => {});
process.once("disconnect", () => process.exit());
const { ca, cert, key } = await createCertificates();
const sockets = new Map<ReceiverOrigin, Set<Socket>>();
const open = new Set<ServerResponse>();
const held = new Map<string, Set<() => void>>();
const readOrder = new ReadOrder();
let unreported: Arrival[] = [];
const ports = {} as Record<ReceiverOrigin, number>;
for (const origin of RECEIVER_ORIGINS) ports[origin] = await listen(origin);
process.on("message", (command: ReceiverCommand) => {
  if (command.type === "finish") return finish();
  if (command.type === "hold") return held.set(command.group, new Set());
  const waiting = held.get(command.group) ?? [];
  held.delete(command.group);
  for (const answer of waiting) answer();
});
send({ type: "listening", ports, ca });
countSockets();
setInterval(reportArrivals, REPORT_EVERY_MS);

async function listen(origin: ReceiverOrigin): Promise<number> {
  const options = { keepAliveTimeout: 60_000, requestTimeout: 0 };
  // `many` uses plain HTTP, since a certificate cannot cover its thousands of names.
  const server =
    origin === "many" ? createPlainServer(options, receive) : createServer({ ...options, cert, key }, receive);
  const own = new Set<Socket>();
  sockets.set(origin, own);
  server.on("connection", (socket: Socket) => {
    own.add(socket);
    socket.on("close", () => own.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen({ port: 0, host: "127.0.0.1", backlog: 1_024 }, resolve));
  return (server.address() as AddressInfo).port;
}

function receive(request: IncomingMessage, response: ServerResponse) {
  const arrivedAtMs = preciseNow();
  const readableAfterMs = readOrder.readableAfterMs();
  const attempt = Number(request.headers["x-service-attempt"]);
  const body = createHash("sha256");
  let bodyHash = "";
  open.add(response);
  request.on("data", (chunk: Buffer) => body.update(chunk));
  request.on("end", () => {
    bodyHash = body.digest("hex");
    const [, behaviour, place, group = ""] = (request.url ?? "").split("/");
    const ifOpen = (then: () => void) => () => !response.destroyed && !request.socket.destroyed && then();
    answerAs(behaviour as Behaviour, {
      ...{ request, response, attempt },
      spread: (Number(place) % 1_000) / 1_000,
      after: (delayMs, then) => setTimeout(ifOpen(then), delayMs),
      released(then) {
        const waiting = held.get(group);
        if (!waiting) return then();
        const answer = ifOpen(then);
        waiting.add(answer);
        response.once("close", () => waiting.delete(answer));
      },
    });
  });
  response.on("close", () => {
    open.delete(response);
    unreported.push({
      scheduleId: decodeId("sch", String(request.headers["webhook-id"])) ?? String(request.headers["webhook-id"]),
      ...{ attempt, arrivedAtMs, readableAfterMs, bodyHash },
      endedAtMs: preciseNow(),
      statusCode: response.headersSent ? response.statusCode : null,
    });
  });
}

function reportArrivals() {
  if (unreported.length > 0) send({ type: "arrivals", arrivals: unreported });
  unreported = [];
}

/** Reports four times a second how many connections each origin has, and how late the machine ran this timer. */
function countSockets() {
  let dueAtMs = performance.now() + COUNT_EVERY_MS;
  setInterval(() => {
    const heldUpMs = Math.max(0, performance.now() - dueAtMs);
    dueAtMs = performance.now() + COUNT_EVERY_MS;
    const counts = Object.fromEntries([...sockets].map(([origin, own]) => [origin, own.size]));
    send({ type: "sockets", count: { atMs: preciseNow(), open: counts as SocketCount["open"], heldUpMs } });
  }, COUNT_EVERY_MS);
}

// Breaks every connection, so that each request that is still open ends and is reported.
async function finish() {
  for (const own of sockets.values()) for (const socket of own) socket.destroy();
  while (open.size > 0) await pause(20);
  reportArrivals();
  send({ type: "finished" });
}

function send(message: ReceiverMessage) {
  process.send?.(message);
}
