import type { IncomingMessage } from "node:http";

/**
 * Lets a header that counts once (`name` in small letters) count once when it came several times with one value: Node.js has
 * joined the values with commas. Returns false when they differ.
 */
export function mergeRepeated(request: Pick<IncomingMessage, "rawHeaders" | "headers">, name: string): boolean {
  const { rawHeaders, headers } = request;
  if (headers[name] === undefined) return true;
  const values = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
  const [value] = values;
  if (values.length > 1) headers[name] = value;
  return values.every((other) => other === value);
}
