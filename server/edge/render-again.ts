import { AsyncLocalStorage } from "node:async_hooks";
import { IncomingMessage, type ServerResponse } from "node:http";
import { isForScript } from "../http/page-answer.ts";
import { isDocument, replaceAnswer } from "./replace-answer.ts";

type Render = (request: IncomingMessage, hasFailed: boolean) => void;

/**
 * Lets Next.js render a page, and render it again when a component threw; then `hasFailed` makes the page show the failure.
 * Next.js would answer with an empty document, which its script fills. Nothing of that answer is sent: neither its
 * headers nor its body. A form that Next.js could not read (`isUnread`) is no failure of the page. The page must have thrown
 * before the first byte, as all do that have no Suspense boundary.
 */
export function renderAgainOnFailure(
  request: IncomingMessage,
  response: ServerResponse,
  render: Render,
  isUnread: () => boolean,
): void {
  if (isForScript(request.headers)) {
    render(request, false);
    return;
  }
  const second = asGet(request);
  // Outside of what Next.js keeps for the first rendering.
  const inOwnContext = AsyncLocalStorage.snapshot();
  const hasFailed = (status: number) => status === 500 && isDocument(response) && !isUnread();
  replaceAnswer(response, hasFailed, () => inOwnContext(render, second, true));
  render(request, false);
}

/** The same request, as it is now, without a body. */
function asGet({ socket, url, headers, rawHeaders, httpVersion }: IncomingMessage): IncomingMessage {
  const copy = new IncomingMessage(socket);
  Object.assign(copy, { method: "GET", url, headers: { ...headers }, rawHeaders, httpVersion, complete: true });
  copy.push(null);
  return copy;
}
