import type { ServerResponse } from "node:http";

/**
 * Calls `replace` in place of an answer for which `isReplaced` returns true; neither headers nor body of that answer
 * are sent. `isReplaced` is called once, before the first byte, with the status.
 */
export function replaceAnswer(
  response: ServerResponse,
  isReplaced: (status: number) => boolean,
  replace: () => void,
): void {
  const before = response.getHeaders();
  const { write, end, writeHead, flushHeaders, on, setHeader } = response;
  let decided: boolean | undefined;
  const drops = (status = response.statusCode) => {
    decided ??= isReplaced(status);
    return decided;
  };
  const answerAnew = () => {
    Object.assign(response, { write, end, writeHead, flushHeaders, on, setHeader, statusCode: 200 });
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    for (const [name, value] of Object.entries(before)) if (value !== undefined) response.setHeader(name, value);
    replace();
    return response;
  };
  response.writeHead = ((...head: Parameters<typeof writeHead>) =>
    drops(head[0]) ? response : writeHead.apply(response, head)) as typeof writeHead;
  response.flushHeaders = () => {
    if (!drops()) flushHeaders.call(response);
  };
  response.write = ((...chunk: Parameters<typeof write>) => drops() || write.apply(response, chunk)) as typeof write;
  response.end = ((...last: Parameters<typeof end>) =>
    drops() ? answerAnew() : end.apply(response, last)) as typeof end;
}

/** Whether the answer that is being made is a document. */
export const isDocument = (response: ServerResponse) =>
  String(response.getHeader("content-type")).startsWith("text/html");
