import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { decodeId } from "#domain/ids.ts";
import { createCertificates } from "#scripts/lab/certificates.ts";
import { preciseNow } from "#scripts/lab/clock.ts";
import { type ReceivedRequest, type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
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
const certificates = await createCertificates();
const held = new Map<string, Set<() => void>>();
const readOrder = new ReadOrder();
/** What is known of a request besides: before when it was not readable, and its body once that has come as a whole. */
const noted = new WeakMap<ReceivedRequest, { readableAfterMs: number; bodyHash: string }>();
let unreported: Arrival[] = [];
const receivers = new Map<ReceiverOrigin, Receiver>();
for (const origin of RECEIVER_ORIGINS) receivers.set(origin, await startOrigin(origin));
process.on("message", (command: ReceiverCommand) => {
  if (command.type === "finish") return finish();
  if (command.type === "hold") return held.set(command.group, new Set());
  const waiting = held.get(command.group) ?? [];
  held.delete(command.group);
  for (const answer of waiting) answer();
});
send({ type: "listening", ports: ofEach(({ port }) => port), ca: certificates.ca });
countSockets();
setInterval(reportArrivals, REPORT_EVERY_MS);

function startOrigin(origin: ReceiverOrigin): Promise<Receiver> {
  return startReceiver({
    // `many` uses plain HTTP, since a certificate cannot cover its thousands of names.
    tls: origin !== "many",
    certificates,
    keepsRequests: false,
    onHead: (request) => noted.set(request, { readableAfterMs: readOrder.readableAfterMs(), bodyHash: "" }),
    respond,
    onEnded,
  });
}

function respond(request: ReceivedRequest, response: ServerResponse, socket: Socket) {
  const own = noted.get(request);
  if (own) own.bodyHash = createHash("sha256").update(request.body).digest("hex");
  const [, behaviour, place, group = ""] = request.path.split("/");
  const ifOpen = (then: () => void) => () => !response.destroyed && !socket.destroyed && then();
  answerAs(behaviour as Behaviour, {
    response,
    socket,
    attempt: attemptOf(request),
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
}

function onEnded(request: ReceivedRequest, response: ServerResponse) {
  const id = String(request.headers["webhook-id"]);
  const { arrivedAtMs } = request;
  unreported.push({
    scheduleId: decodeId("sch", id) ?? id,
    attempt: attemptOf(request),
    arrivedAtMs,
    readableAfterMs: arrivedAtMs,
    bodyHash: "",
    ...noted.get(request),
    endedAtMs: request.endedAtMs ?? preciseNow(),
    statusCode: response.headersSent ? response.statusCode : null,
  });
}

const attemptOf = ({ headers }: ReceivedRequest) => Number(headers["x-service-attempt"]);

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
    send({ type: "sockets", count: { atMs: preciseNow(), open: ofEach((one) => one.connections()), heldUpMs } });
  }, COUNT_EVERY_MS);
}

// Breaks every connection, so that each request that is still open ends and is reported.
async function finish() {
  await Promise.all([...receivers.values()].map((receiver) => receiver.close()));
  while ([...receivers.values()].some((receiver) => receiver.open() > 0)) await pause(20);
  reportArrivals();
  send({ type: "finished" });
}

function ofEach(numberOf: (receiver: Receiver) => number): Record<ReceiverOrigin, number> {
  const numbers = [...receivers].map(([origin, receiver]) => [origin, numberOf(receiver)]);
  return Object.fromEntries(numbers);
}

function send(message: ReceiverMessage) {
  process.send?.(message);
}
