import { subscribe } from "node:diagnostics_channel";
import { type IncomingMessage, maxHeaderSize, Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { AppError } from "#domain/errors.ts";
import { services } from "../services.ts";
import { closeGently, closeUnlessRead } from "./close-gently.ts";
import { answerDirectly } from "./direct-routes.ts";
import { isOfApi, makeReadable } from "./readable-requests.ts";
import { errorReply, newRequestId, toResponse } from "./reply.ts";

/**
 * Stands between the sockets and Next.js, which makes the server itself: what Node.js or Next.js would refuse outside the
 * envelope is answered here, or changed so that our routes answer it.
 */
export function standBeforeNext(): void {
  // Published for each connection, before anything of it is read.
  subscribe("net.server.socket", (message) => {
    const { server } = (message as { socket: { server?: unknown } }).socket;
    if (server instanceof Server && !guarded.has(server)) guard(server);
  });
}

const guarded = new WeakSet<Server>();

function guard(server: Server): void {
  guarded.add(server);
  const handlers = server.listeners("request") as ((request: IncomingMessage, response: ServerResponse) => void)[];
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    if (request.headers.host === undefined && request.httpVersion === "1.1") return answer(response, WITHOUT_HOST);
    closeUnlessRead(request, response);
    makeReadable(request);
    if (answerDirectly(request, response)) return;
    for (const handle of handlers) handle.call(server, request, response);
  });
  // Without these, Node.js answers with a status alone, or only closes the connection.
  Object.assign(server, {
    requireHostHeader: false,
    // HTTP/2 is offered by clients that are content with HTTP/1.1. Under /v1 nothing is upgraded.
    shouldUpgradeCallback: ({ url = "", headers }: IncomingMessage) => !isOfApi(url) && headers.upgrade === "websocket",
  });
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  server.on("connect", (_request, socket) => answerOnSocket(socket as Socket, UNKNOWN_METHOD));
  server.on("clientError", (error, socket) => refuseUnreadable(error, socket as Socket));
}

type Unreadable = NodeJS.ErrnoException & { rawPacket?: Buffer };

function refuseUnreadable(error: Unreadable, socket: Socket & { _httpMessage?: ServerResponse | null }): void {
  // What comes after it is unreadable too.
  if (refused.has(socket)) return;
  refused.add(socket);
  // As Node.js does it: nothing is written into an answer that has begun.
  const mayAnswer = socket.writable && !socket._httpMessage?.headersSent && /^(HPE|ERR_HTTP)_/.test(error.code ?? "");
  if (!mayAnswer) socket.destroy(error);
  else answerOnSocket(socket, explain(error), STATUSES[error.code ?? ""]);
}

const refused = new WeakSet<Socket>();

/** What HTTP has a status of its own for; all three are VALIDATION. */
const STATUSES: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

function explain({ code, rawPacket }: Unreadable): AppError {
  if (code === "HPE_HEADER_OVERFLOW")
    return invalid(`First line and headers may have ${maxHeaderSize} bytes together.`);
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return invalid("The request did not arrive in time.");
  const isMethod = code === "HPE_INVALID_METHOD" && /^[\w-]+ \//.test(rawPacket?.toString("latin1", 0, 64) ?? "");
  return isMethod ? UNKNOWN_METHOD : invalid("This is not valid HTTP/1.1.");
}

const WITHOUT_HOST = invalid("A request must have one header Host.");

const UNKNOWN_METHOD = new AppError("METHOD_NOT_ALLOWED", "The methods of this API are GET, POST, PATCH and DELETE.", {
  headers: { Allow: "GET, HEAD, POST, PATCH, DELETE, OPTIONS" },
});

function invalid(message: string): AppError {
  return new AppError("VALIDATION", message, { details: [{ path: "", message }] });
}

function answer(response: ServerResponse, error: AppError): void {
  const { status, headers, body } = written(error);
  response.writeHead(status, headers).end(body);
}

function answerOnSocket(socket: Socket, error: AppError, ownStatus?: number): void {
  const { status, headers, body } = written(error, ownStatus);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(headers).map((pair) => pair.join(": ")),
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  closeGently(socket);
}

function written(error: AppError, ownStatus?: number) {
  const reply = errorReply(error);
  const status = ownStatus ?? reply.status;
  const requestId = newRequestId();
  services().log.info({ requestId, status }, "refused unread");
  const body = JSON.stringify(reply.body);
  const headers = {
    ...Object.fromEntries(toResponse(reply, requestId).headers),
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
    date: new Date().toUTCString(),
  };
  return { status, headers, body };
}
