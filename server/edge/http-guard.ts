import { subscribe } from "node:diagnostics_channel";
import { type IncomingMessage, maxHeaderSize, Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { invalid as invalidHeaders } from "#contract/inputs/validate.ts";
import { AppError } from "#domain/errors.ts";
import { guardCookies } from "../http/answer-cookies.ts";
import { answerOnFastPath } from "../http/fast-path.ts";
import { isApiTarget, isPageDataTarget, isPageTarget, normaliseRequest } from "../http/normalise-request.ts";
import { type Exchange, withPageAnswer } from "../http/page-answer.ts";
import { errorReply, toAnswer, toResponse } from "../http/reply.ts";
import { newRequestId } from "../http/request-id.ts";
import {
  addPageHeaders,
  allowSharedCaching,
  dropNextVary,
  dropSentPolicies,
  markAsGuarded,
  type PageSettings,
  readPageSettings,
} from "../http/response-headers.ts";
import { getServices } from "../services.ts";
import { admitAction, takesAction } from "./action-bodies.ts";
import { boundPieces } from "./bound-pieces.ts";
import { closeWithConnection } from "./close-with-connection.ts";
import { CountedLine } from "./counted-line.ts";
import { endConnectionsOnClose } from "./end-connections.ts";
import { Gate } from "./gate.ts";
import { type Handle, KeptDocuments } from "./kept-documents.ts";
import { closeAfterEarlyResponse, lingeringClose } from "./lingering-close.ts";
import { dropLoadedAhead, isRefusedAhead, REFUSED_AHEAD } from "./loaded-ahead.ts";
import { logMissingPage } from "./log-missing-page.ts";
import { mergeRepeated } from "./merge-repeated.ts";
import { renderAgainOnFailure } from "./render-again.ts";
import { replaceAnswer } from "./replace-answer.ts";
import { showFlashOnce } from "./show-flash-once.ts";

/**
 * Installs the HTTP guard on every HTTP server that this process creates, since Next.js creates its server itself. The
 * guard handles requests before Next.js. Requests that Node.js or Next.js would reject without the error envelope are
 * rejected here, or normalised so that a route can reject them. It also sets security headers and serves the fast path.
 */
export function installHttpGuard(): void {
  const see = (server: unknown) => {
    if (server instanceof Server && !guarded.has(server)) guard(server);
  };
  // Published for each connection before any data is read from it.
  subscribe("net.server.socket", (message) => see((message as { socket: { server?: unknown } }).socket.server));
  // And for each request, before the server has it: Next.js listens before it calls us, and a connection may be older.
  subscribe("http.server.request.start", (message) => see((message as { server?: unknown }).server));
}

const guarded = new WeakSet<Server>();

/** Node.js warns of a leak above this number of listeners for one event of an answer. */
const LISTENERS_MAX = 20;

/** Longer than `readBodyBytes` allows for the largest body at the slowest pace, so that its own limit applies, ms. */
const REQUEST_TIMEOUT_MS = 600_000;

/** Time for the request headers, ms; also closes connections that send nothing. Node.js checks every 30 s. */
const HEADERS_TIMEOUT_MS = 20_000;

/** A connection on which nothing moves in either direction is closed. Longer than any answer of ours takes, ms. */
const SILENCE_MS = 120_000;

let theGate: Gate | undefined;

function gate(): Gate {
  const { config, log } = getServices();
  theGate ??= new Gate(config, log);
  return theGate;
}

function guard(server: Server): void {
  guarded.add(server);
  const handlers = server.listeners("request") as ((request: IncomingMessage, response: ServerResponse) => void)[];
  server.removeAllListeners("request");
  const handle: Handle = (request, response) => {
    for (const one of handlers) one.call(server, request, response);
  };
  const kept = new KeptDocuments(handle, pageSettings());
  const addAnswer = endConnectionsOnClose(server, () => getServices().config.trustedProxies.length > 0);
  server.on("request", (request, response) => {
    // Next.js and the gate listen for the end of an answer, and a page that fails is rendered twice: 11 listeners are no leak.
    response.setMaxListeners(LISTENERS_MAX);
    guardCookies(response);
    closeWithConnection(request.socket, response);
    addAnswer(response);
    closeAfterEarlyResponse(request, response);
    boundPieces(request);
    normaliseRequest(request);
    addHeaders(request, response);
    const serve = () => answer(request, response, handle, kept);
    // In development a page is compiled while it is asked for, which keeps the event loop busy for seconds.
    if (isDevelopment) serve();
    else gate().enter(request, response, serve);
  });
  // Without these handlers, Node.js replies with a bare status or closes the connection.
  Object.assign(server, {
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    timeout: SILENCE_MS,
    requireHostHeader: false,
    // Some clients offer an upgrade to HTTP/2 but accept HTTP/1.1. Only the pages of the development server use WebSockets.
    shouldUpgradeCallback: ({ url = "", headers }: IncomingMessage) =>
      isDevelopment && !isApiTarget(url) && headers.upgrade === "websocket",
  });
  // Next.js accepts every upgrade and keeps its connection. Without a listener, an older Node.js upgrades nothing either.
  if (!isDevelopment) server.removeAllListeners("upgrade");
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  server.on("connect", (_request, socket) => sendErrorOnSocket(socket as Socket, UNKNOWN_METHOD));
  server.on("clientError", (error, socket) => handleClientError(error, socket as Socket));
}

function answer(request: IncomingMessage, response: ServerResponse, handle: Handle, kept: KeptDocuments): void {
  if (isRefusedAhead(request)) {
    response.writeHead(REFUSED_AHEAD, { "Cache-Control": "no-store" }).end();
    return;
  }
  const rejection = rejectionOf(request) ?? rejectionOfAction(request, response);
  if (rejection !== undefined) {
    sendError(response, rejection);
    return;
  }
  if (answerOnFastPath(request, response)) return;
  const exchange: Exchange = { request, response };
  const isAction = takesAction(request);
  const isUnread = () => isAction && exchange.hasActed !== true;
  // Next.js fails with 500 for a form that has no arguments of the action, or such that it cannot read.
  if (isAction) {
    const isFailure = (status: number) => status === 500 && isUnread();
    replaceAnswer(response, isFailure, () => sendError(response, UNREADABLE_FORM));
  }
  const render = (of: IncomingMessage, hasFailed: boolean) =>
    withPageAnswer(Object.assign(exchange, { hasFailed }), () => handle(of, response));
  const renderPage = () => renderAgainOnFailure(request, response, render, isUnread);
  if (isDevelopment || !isPage(request)) render(request, false);
  else if (!kept.answer(request, response, renderPage)) renderPage();
}

function rejectionOf(request: IncomingMessage): AppError | undefined {
  const hosts = countHeader(request, "host");
  if (hosts > 1 || (hosts === 0 && request.httpVersion === "1.1")) return HOST_REQUIRED;
  if (!isDevelopment && isPageDataTarget(request.url ?? "")) return NO_PAGE_DATA;
  if (countHeader(request, "authorization") > 1) return REPEATED_AUTHORIZATION;
  return mergeRepeated(request, "idempotency-key") ? undefined : TWO_IDEMPOTENCY_KEYS;
}

function rejectionOfAction(request: IncomingMessage, response: ServerResponse): AppError | undefined {
  if (isApiTarget(request.url ?? "")) return undefined;
  try {
    admitAction(request, response, getServices().config, (error) => {
      if (!response.headersSent) sendError(response, error);
    });
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

// Counts raw headers: Node.js keeps only the first duplicate, while a proxy in front may have used another one.
function countHeader({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === name) count++;
  return count;
}

// biome-ignore lint/style/noProcessEnv: the bundler replaces it
const isDevelopment = process.env.NODE_ENV === "development";

const isPage = ({ url = "" }: IncomingMessage) => isPageTarget(url);

function pageSettings(): PageSettings {
  return readPageSettings(getServices().config);
}

function addHeaders(request: IncomingMessage, response: ServerResponse): void {
  dropSentPolicies(request);
  markAsGuarded(request);
  if (!isPage(request)) {
    dropNextVary(response);
    return;
  }
  addPageHeaders(request, response, pageSettings());
  logMissingPage(request, response);
  allowSharedCaching(request, response);
  dropLoadedAhead(request, response);
  showFlashOnce(request, response, getServices().config);
}

type ClientError = NodeJS.ErrnoException & { rawPacket?: Buffer };

function handleClientError(error: ClientError, socket: Socket & { _httpMessage?: ServerResponse | null }): void {
  // One malformed request causes several errors; respond to the first.
  if (handledSockets.has(socket)) return;
  handledSockets.add(socket);
  brokenConnections().add();
  // As Node.js does it: write nothing into a response that has begun.
  const mayAnswer = socket.writable && !socket._httpMessage?.headersSent && /^(HPE|ERR_HTTP)_/.test(error.code ?? "");
  if (!mayAnswer) socket.destroy(error);
  else sendErrorOnSocket(socket, toAppError(error), STATUSES.get(error.code ?? ""));
}

let theBroken: CountedLine | undefined;

/** One log line a minute, since a caller can break as many connections as they like. */
function brokenConnections(): CountedLine {
  const { log } = getServices();
  theBroken ??= new CountedLine((count) => log.info({ count }, "connections broken, or without valid HTTP"));
  return theBroken;
}

const handledSockets = new WeakSet<Socket>();

/** HTTP statuses for errors that the API reports as VALIDATION. */
const STATUSES = new Map<string, number>(Object.entries({ HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }));

function toAppError({ code, rawPacket }: ClientError): AppError {
  if (code === "HPE_HEADER_OVERFLOW")
    return invalid(`The request line and headers must be at most ${maxHeaderSize} bytes together.`);
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return invalid("The request did not arrive in time.");
  const isMethod = code === "HPE_INVALID_METHOD" && /^[\w-]+ \//.test(rawPacket?.toString("latin1", 0, 64) ?? "");
  return isMethod ? UNKNOWN_METHOD : invalid("The request is not valid HTTP/1.1.");
}

const HOST_REQUIRED = invalid("A request must have exactly one Host header.");

const REPEATED_AUTHORIZATION = invalid("A request must have at most one Authorization header.");

const TWO_IDEMPOTENCY_KEYS = invalidHeaders([
  { path: "Idempotency-Key", message: "must have one value, also where it is sent twice" },
]);

const NO_PAGE_DATA = new AppError("NOT_FOUND", "There is nothing at this address.");

const UNREADABLE_FORM = invalid("The form could not be read.");

const UNKNOWN_METHOD = new AppError("METHOD_NOT_ALLOWED", "This API supports GET, POST, PATCH and DELETE.", {
  headers: { Allow: "GET, HEAD, POST, PATCH, DELETE, OPTIONS" },
});

function invalid(message: string): AppError {
  return new AppError("VALIDATION", message, { details: [{ path: "", message }] });
}

function sendError(response: ServerResponse, error: AppError): void {
  const { status, headers, body } = serializeError(error);
  getServices().log.info({ requestId: headers["x-request-id"], status }, "rejected by the HTTP guard");
  response.writeHead(status, headers).end(body);
}

function sendErrorOnSocket(socket: Socket, error: AppError, statusOverride?: number): void {
  const { status, headers, body } = serializeError(error, statusOverride);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(headers).map((pair) => pair.join(": ")),
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  lingeringClose(socket);
}

function serializeError(error: AppError, statusOverride?: number) {
  const reply = errorReply(error, getServices().config.baseUrl);
  const status = statusOverride ?? reply.status;
  const body = JSON.stringify(reply.body);
  const own = toResponse(toAnswer(reply, newRequestId())).headers;
  const headers: Record<string, string> = {
    ...Object.fromEntries(own),
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
    date: new Date().toUTCString(),
  };
  return { status, headers, body };
}
