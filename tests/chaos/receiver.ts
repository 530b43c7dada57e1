import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { decodeId } from "#domain/ids.ts";
import { createCertificates } from "#scripts/demo/certificates.ts";
import { answerAs, type Behaviour } from "./behaviour.ts";
import { preciseNow } from "./clock.ts";
import type { Arrival } from "./evidence.ts";

/** What the receiver tells over its IPC channel; `finished` answers the message "finish", when nothing is open any more. */
export type ReceiverMessage =
  | { type: "listening"; ports: number[]; ca: string }
  | { type: "arrival"; arrival: Arrival }
  | { type: "finished" };

// A program of its own. One port is for targets that are well, the other for those that are not.
process.on("SIGINT", () => {});
process.once("disconnect", () => process.exit());
const { ca, cert, key } = await createCertificates();
const sockets = new Set<Socket>();
const open = new Set<ServerResponse>();
const ports = await Promise.all([0, 1].map(listen));
process.on("message", finish);
tell({ type: "listening", ports, ca });

async function listen(): Promise<number> {
  const server = createServer({ cert, key, keepAliveTimeout: 60_000, requestTimeout: 0 }, receive);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

function receive(request: IncomingMessage, response: ServerResponse) {
  const arrivedAtMs = preciseNow();
  const attempt = Number(request.headers["x-service-attempt"]);
  const body = createHash("sha256");
  let bodyHash = "";
  open.add(response);
  request.on("data", (chunk: Buffer) => body.update(chunk));
  request.on("end", () => {
    bodyHash = body.digest("hex");
    const [, behaviour, place] = (request.url ?? "").split("/");
    answerAs(behaviour as Behaviour, {
      ...{ request, response, attempt },
      spread: (Number(place) % 1_000) / 1_000,
      after: (delayMs, then) => setTimeout(() => !response.destroyed && !request.socket.destroyed && then(), delayMs),
    });
  });
  response.on("close", () => {
    open.delete(response);
    tell({
      type: "arrival",
      arrival: {
        scheduleId: decodeId("sch", String(request.headers["webhook-id"])) ?? String(request.headers["webhook-id"]),
        ...{ attempt, arrivedAtMs, bodyHash },
        endedAtMs: preciseNow(),
        given: response.headersSent ? response.statusCode : null,
      },
    });
  });
}

// Breaks every connection, so that each request that is still open is told of.
async function finish() {
  for (const socket of sockets) socket.destroy();
  while (open.size > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  tell({ type: "finished" });
}

function tell(message: ReceiverMessage) {
  process.send?.(message);
}
