import { type Capture, CaptureProblem } from "./capture.ts";
import { readJsonCapture } from "./json-capture.ts";
import { readPrintedHeaders } from "./printed-headers.ts";

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
