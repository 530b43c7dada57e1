import { subscribe } from "node:diagnostics_channel";
import { type IncomingMessage, maxHeaderSize, Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { AppError } from "#domain/errors.ts";
import { readSessionTokens, sessionCookie } from "../auth/session-cookie.ts";
import { errorReply, newRequestId, toResponse } from "../http/reply.ts";
import { services } from "../services.ts";
import { answerOnFastPath } from "./fast-path.ts";
import { closeGently, closeUnlessRead } from "./lingering-close.ts";
import { isOfApi, isOfHealth, makeReadable } from "./normalise-request.ts";
import { addSecurityHeaders, varyAsApi } from "./response-headers.ts";

/**
 * Stands between the sockets and Next.js, which makes the server itself: what Node.js or Next.js would refuse outside the
 * envelope is answered here, or changed so that our routes answer it.
 */
export function installHttpGuard(): void {
  // Published for each connection, before anything of it is read.
  subscribe("net.server.socket", (message) => {
    const { server } = (message as { socket: { server?: unknown } }).socket;
    if (server instanceof Server && !guarded.has(server)) guard(server);
  });
}

const guarded = new WeakSet<Server>();

/** More than the largest body may take at the slowest pace, ms: whoever reads a body says when it is too late. */
const REQUEST_MS = 600_000;

function guard(server: Server): void {
  guarded.add(server);
  const handlers = server.listeners("request") as ((request: IncomingMessage, response: ServerResponse) => void)[];
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    const refusal = refusalOf(request);
    if (refusal !== undefined) return answer(response, refusal);
    closeUnlessRead(request, response);
    makeReadable(request);
    harden(request, response);
    if (answerOnFastPath(request, response)) return;
    for (const handle of handlers) handle.call(server, request, response);
  });
  // Without these, Node.js answers with a status alone, or only closes the connection.
  Object.assign(server, {
    requestTimeout: REQUEST_MS,
    requireHostHeader: false,
    // HTTP/2 is offered by clients that are content with HTTP/1.1. Under /v1 nothing is upgraded.
    shouldUpgradeCallback: ({ url = "", headers }: IncomingMessage) => !isOfApi(url) && headers.upgrade === "websocket",
  });
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  server.on("connect", (_request, socket) => answerOnSocket(socket as Socket, UNKNOWN_METHOD));
  server.on("clientError", (error, socket) => refuseUnreadable(error, socket as Socket));
}

function refusalOf(request: IncomingMessage): AppError | undefined {
  const hosts = countOf(request, "host");
  if (hosts > 1 || (hosts === 0 && request.httpVersion === "1.1")) return WITHOUT_HOST;
  return countOf(request, "authorization") > 1 ? TWO_CREDENTIALS : undefined;
}

// Node.js keeps the first of several and drops the others; a proxy before us may have judged by another.
function countOf({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === name) count++;
  return count;
}

function harden(request: IncomingMessage, response: ServerResponse): void {
  const isPage = !isOfApi(request.url ?? "") && !isOfHealth(request.url ?? "");
  addSecurityHeaders(request, response, isPage, {
    isHttps: services().config.baseUrl.startsWith("https:"),
    // biome-ignore lint/style/noProcessEnv: the bundler replaces it
    isDevelopment: process.env.NODE_ENV === "development",
  });
  if (!isPage) varyAsApi(response);
  else keepSessionCookie(request, response);
}

/**
 * A browser that shows pages keeps its session cookie for the whole of its term anew, as the session itself is renewed by
 * being used: a page cannot set cookies while it is rendered. Whether the session is alive, the database knows.
 */
function keepSessionCookie(request: IncomingMessage, response: ServerResponse): void {
  if (request.method !== "GET" || !request.headers.accept?.includes("text/html")) return;
  const [token, ...others] = readSessionTokens(request.headers.cookie ?? null);
  if (token !== undefined && others.length === 0) {
    response.setHeader("Set-Cookie", sessionCookie(services().config, token));
  }
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

const TWO_CREDENTIALS = invalid("A request may have one header Authorization.");

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
