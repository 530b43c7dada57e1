import { type Capture, CaptureProblem } from "./capture.ts";

/**
 * Reads a captured request in any form that people have: a raw HTTP request, lines `Name: value`, the output of `curl -v`,
 * headers as JSON (an object, pairs, or Node.js's `rawHeaders`), JSON of a whole request (`headers` with `body`, also that
 * of AWS Lambda), or headers as Node.js, Python, Ruby and Go print them. Throws CaptureProblem.
 */
export function readCapture(bytes: Buffer): Capture {
  const text = bytes.toString("latin1");
  if (text.trim() === "") throw new CaptureProblem("it is empty");
  const { headers, body } = readAny(bytes, text);
  if (headers.length === 0) throw new CaptureProblem("it has no headers");
  return { headers: headers.map(([name, value]) => [headerName(name), value.trim()]), body };
}

function readAny(bytes: Buffer, text: string): Capture {
  const start = text.trimStart().replace(/^\xef\xbb\xbf/, "");
  if (/^[[{]/.test(start)) {
    const value = parseJson(bytes.toString("utf8").replace(/^\uFEFF/, ""));
    if (value !== undefined) return readJsonCapture(value);
  }
  if (/^(?:[[{]|map\[|Headers\b)/.test(start)) return { headers: readPrintedHeaders(text), body: null };
  if (/^> [A-Z]+ \S+ HTTP\//m.test(text)) return readVerboseCurl(text);
  return readMessage(bytes, text);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The name as HTTP has it. CGI, WSGI, PHP and Rack write `HTTP_WEBHOOK_ID`. */
function headerName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/^http_/, "")
    .replaceAll("_", "-");
}

/** The request's lines of `curl -v`, which shows no body. */
function readVerboseCurl(text: string): Capture {
  const sent = text.split(/\r?\n/).filter((line) => line.startsWith(">"));
  const lines = sent.map((line) => line.slice(1).trim()).filter((line) => line !== "");
  return { headers: lines.map(headerOf).filter((header) => header !== undefined), body: null };
}

/** A request as RFC 9112 writes it, with or without its first line; lines may end with LF alone. */
function readMessage(bytes: Buffer, text: string): Capture {
  const end = /\r?\n\r?\n/.exec(text);
  const head = end === null ? text : text.slice(0, end.index);
  const rest = end === null ? bytes.subarray(0, 0) : bytes.subarray(end.index + end[0].length);
  const headers: [string, string][] = [];
  for (const [index, line] of head.split(/\r?\n/).entries()) {
    if (line.trim() === "" || (index === 0 && REQUEST_LINE.test(line))) continue;
    if (/^HTTP\/\d/.test(line)) throw new CaptureProblem("it is an answer, not a request");
    const last = headers.at(-1);
    if (/^[ \t]/.test(line) && last !== undefined) {
      last[1] += ` ${line.trim()}`;
      continue;
    }
    const header = headerOf(line);
    if (header === undefined) throw new CaptureProblem(`line ${index + 1} is no “Name: value”`);
    headers.push(header);
  }
  return { headers, body: rest.length > 0 ? rest : null };
}

const REQUEST_LINE = /^[A-Z]+ \S+(?: HTTP\/\d(?:\.\d)?)?$/;

function headerOf(line: string): [string, string] | undefined {
  const [, name, value] = /^(:?[\w!#$%&'*+.^`|~-]+)[ \t]*:[ \t]*(.*)$/.exec(line) ?? [];
  return name === undefined || value === undefined ? undefined : [name, value];
}

/** Headers, or a whole request, that was written as JSON. Throws CaptureProblem. */
function readJsonCapture(value: unknown): Capture {
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

/**
 * Headers as languages print a map of them: `{ 'webhook-id': 'sch_…' }` (Node.js, Python), `{"Webhook-Id"=>"sch_…"}`
 * (Ruby), `map[Webhook-Id:[sch_…]]` (Go). `text` is in Latin-1.
 */
function readPrintedHeaders(text: string): [name: string, value: string][] {
  const ofGo = text.trimStart().startsWith("map[");
  return [...text.matchAll(ofGo ? GO : QUOTED)].map((match) => {
    const { key = "", name = "", value = "" } = match.groups ?? {};
    return [key || name, ofGo ? value : value.replace(/\\(.)/g, "$1")];
  });
}

const GO = /(?<name>[\w-]+):\[(?<value>[^\]]*)\]/g;
const QUOTED =
  /(?:(?<quote>['"])(?<key>[\w-]+)\k<quote>|(?<name>[A-Za-z][\w-]*))\s*(?::|=>)\s*\[?\s*(?<mark>['"])(?<value>(?:(?!\k<mark>)[^\\]|\\.)*)\k<mark>/g;
