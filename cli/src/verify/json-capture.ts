import { type Capture, CaptureProblem } from "./capture.ts";

/** Headers, or a whole request, that was written as JSON. Throws CaptureProblem. */
export function readJsonCapture(value: unknown): Capture {
  if (Array.isArray(value)) return { headers: readPairs(value), body: null };
  const object = value as { [name: string]: unknown };
  const headers = object.headers ?? object.rawHeaders;
  if (headers === null || typeof headers !== "object") return { headers: readObject(object), body: null };
  const pairs = Array.isArray(headers) ? readPairs(headers) : readObject(headers as { [name: string]: unknown });
  return { headers: pairs, body: readBody(object.rawBody ?? object.body, object.isBase64Encoded === true) };
}

type Pairs = [name: string, value: string][];

/** `[[name, value], …]`, `[{ name, value }, …]`, or names and values in turn, as Node.js's `rawHeaders`. */
function readPairs(list: readonly unknown[]): Pairs {
  const pairs = list.flatMap((entry): Pairs => {
    if (Array.isArray(entry)) return readObject({ [String(entry[0])]: entry[1] });
    const { name, value } = Object(entry) as { name?: unknown; value?: unknown };
    return typeof name === "string" ? readObject({ [name]: value }) : [];
  });
  if (pairs.length > 0) return pairs;
  if (list.length % 2 !== 0 || !list.every((entry) => typeof entry === "string")) {
    throw new CaptureProblem("its list is neither pairs of name and value, nor names and values in turn");
  }
  return list.flatMap((name, index) =>
    index % 2 === 0 ? [[String(name), String(list[index + 1])] as Pairs[number]] : [],
  );
}

function readObject(object: { [name: string]: unknown }): Pairs {
  return Object.entries(object).flatMap(([name, value]) =>
    [value].flat().flatMap((one): Pairs => (/^(string|number)$/.test(typeof one) ? [[name, String(one)]] : [])),
  );
}

/** A body as text, as base64, as a Buffer of Node.js, or parsed: then written as JSON without spaces. */
function readBody(body: unknown, isBase64: boolean): Buffer | null {
  if (body === undefined || body === null) return null;
  if (typeof body === "string") return Buffer.from(body, isBase64 ? "base64" : "utf8");
  const { type, data } = Object(body) as { type?: unknown; data?: unknown };
  if (type === "Buffer" && Array.isArray(data)) return Buffer.from(data);
  return Buffer.from(JSON.stringify(body));
}
