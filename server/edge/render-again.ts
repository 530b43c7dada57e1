import { AsyncLocalStorage } from "node:async_hooks";
import { IncomingMessage, type ServerResponse } from "node:http";
import { isForScript } from "./page-answer.ts";

type Render = (request: IncomingMessage, hasFailed: boolean) => void;

/**
 * Has Next.js render a page, and once more when a component of it threw; then the page is told (`hasFailed`), and shows that
 * instead. Next.js would answer with an empty document, which its script fills. Nothing of that answer is sent: neither its
 * headers nor its body. The page must have thrown before the first byte, as all do that have no Suspense boundary.
 */
export function renderAgainOnFailure(request: IncomingMessage, response: ServerResponse, render: Render): void {
  if (isForScript(request.headers)) {
    render(request, false);
    return;
  }
  const second = asGet(request);
  const before = response.getHeaders();
  const { write, end, writeHead, flushHeaders, on, setHeader } = response;
  let isFailure: boolean | undefined;
  const fails = (status = response.statusCode) => {
    isFailure ??= status === 500 && String(response.getHeader("content-type")).startsWith("text/html");
    return isFailure;
  };
  // Outside of what Next.js keeps for the first rendering.
  const inOwnContext = AsyncLocalStorage.snapshot();
  const renderAgain = () => {
    Object.assign(response, { write, end, writeHead, flushHeaders, on, setHeader, statusCode: 200 });
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    for (const [name, value] of Object.entries(before)) if (value !== undefined) response.setHeader(name, value);
    inOwnContext(render, second, true);
    return response;
  };
  response.writeHead = ((...head: Parameters<typeof writeHead>) =>
    fails(head[0]) ? response : writeHead.apply(response, head)) as typeof writeHead;
  response.flushHeaders = () => {
    if (!fails()) flushHeaders.call(response);
  };
  response.write = ((...chunk: Parameters<typeof write>) => fails() || write.apply(response, chunk)) as typeof write;
  response.end = ((...last: Parameters<typeof end>) =>
    fails() ? renderAgain() : end.apply(response, last)) as typeof end;
  render(request, false);
}

/** The same request, as it is now, without a body. */
function asGet({ socket, url, headers, rawHeaders, httpVersion }: IncomingMessage): IncomingMessage {
  const copy = new IncomingMessage(socket);
  Object.assign(copy, { method: "GET", url, headers: { ...headers }, rawHeaders, httpVersion, complete: true });
  copy.push(null);
  return copy;
}
