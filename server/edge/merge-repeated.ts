import type { IncomingMessage } from "node:http";

/**
 * Merges the values of a repeated header that must have one value (`name` in lower case): Node.js has joined them with
 * commas. Returns false when they differ.
 */
export function mergeRepeated(request: Pick<IncomingMessage, "rawHeaders" | "headers">, name: string): boolean {
  const { rawHeaders, headers } = request;
  if (headers[name] === undefined) return true;
  const values = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
  const [value] = values;
  if (values.length > 1) headers[name] = value;
  return values.every((other) => other === value);
}
