import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage, ServerResponse } from "node:http";
import { renewOnAnswer } from "./answer-cookies.ts";

/** The request for a page, and its answer while it is made. */
export type Exchange = {
  request: Pick<IncomingMessage, "method" | "url" | "headers">;
  response: Pick<ServerResponse, "statusCode" | "headersSent" | "setHeader" | "appendHeader">;
  /** Whether a component of the page threw, so that it is rendered once more. */
  hasFailed?: boolean;
  /** Whether the server action of the request has begun. */
  hasActed?: boolean;
};

/**
 * Calls `handle`, which answers a request for a page, so that the page can set the status of its answer. Next.js sends
 * every page that it renders on the server with 200, and for a page that throws it sends an empty document that a
 * script fills.
 */
export function withPageAnswer(exchange: Exchange, handle: () => void): void {
  storage().run(exchange, handle);
}

/**
 * Whether the answer to the request is known, so that a page can set its status. It is not where a platform calls the
 * handlers of Next.js itself.
 */
export function knowsAnswer(): boolean {
  return storage().getStore() !== undefined;
}

/**
 * Sets the status of the page that is being rendered, and `Retry-After` in seconds. Has no effect on a request for the
 * data of a page (a refresh by script): the script of Next.js would load the whole document for any status but 200.
 */
export function answerPageWith(status: number, retryAfterS?: string): void {
  const exchange = storage().getStore();
  if (exchange === undefined || isForScript(exchange.request.headers) || exchange.response.headersSent) return;
  exchange.response.statusCode = status;
  if (retryAfterS !== undefined) exchange.response.setHeader("Retry-After", retryAfterS);
}

/** Whether a component of the page that is being rendered threw just before (`renderAgainOnFailure`). */
export function hasRenderingFailed(): boolean {
  return storage().getStore()?.hasFailed ?? false;
}

/** Notes that the server action of the request has begun, so that its form could be read. */
export function beginAction(): void {
  const exchange = storage().getStore();
  if (exchange !== undefined) exchange.hasActed = true;
}

/** Adds a `Set-Cookie` to the answer that is being made. Next.js itself would render the page of a server action anew. */
export function addCookieToAnswer(setCookie: string): void {
  const { response } = storage().getStore() ?? {};
  if (response?.headersSent === false) response.appendHeader("Set-Cookie", setCookie);
}

/** Sends the cookie of a session that was renewed with the answer that is being made (`renewOnAnswer`). */
export function renewCookieOnAnswer(setCookie: string): void {
  const { response } = storage().getStore() ?? {};
  if (response) renewOnAnswer(response, setCookie);
}

/** The path that the answer is for. */
export function answeredPath(): string {
  return storage().getStore()?.request.url?.split("?", 1)[0] ?? "/";
}

/** Whether the page that is being rendered is the answer to a form that a browser sent without scripts. */
export function isAnswerToForm(): boolean {
  const { request } = storage().getStore() ?? {};
  return request?.method === "POST" && !isForScript(request.headers);
}

/** Whether the page is being rendered for a refresh by its script. */
export function isRefreshByScript(): boolean {
  const { request } = storage().getStore() ?? {};
  return request?.method === "GET" && isForScript(request.headers);
}

/** Whether the script of a page asks for data, and not the browser for a document. */
export function isForScript(headers: IncomingMessage["headers"]): boolean {
  return headers.rsc !== undefined || headers["next-action"] !== undefined;
}

// On globalThis, since Next.js loads this module twice: in the pages' bundle and in that of instrumentation.ts.
function storage(): AsyncLocalStorage<Exchange> {
  const store = globalThis as { [STORAGE]?: AsyncLocalStorage<Exchange> };
  store[STORAGE] ??= new AsyncLocalStorage();
  return store[STORAGE];
}

const STORAGE = Symbol.for("stopwatch.page-answer");
