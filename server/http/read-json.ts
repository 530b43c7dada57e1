import { AppError } from "#domain/errors.ts";
import { invalid } from "../input/validate.ts";
import type { BodyMemory } from "./body-memory.ts";
import { describeJsonProblem } from "./json-problem.ts";
import { readBodyBytes } from "./read-body-bytes.ts";

/**
 * Reads the JSON object in a request's body. Throws UNSUPPORTED_MEDIA_TYPE unless it is application/json in UTF-8;
 * PAYLOAD_TOO_LARGE above `bytesMax` bytes; VALIDATION when it is empty, not UTF-8, not JSON or not an object; and what
 * `readBodyBytes` throws. A byte order mark is ignored (RFC 8259, section 8.1). Of duplicate names the last one wins.
 * With `mayBeEmpty`, an empty body of any type is read as an empty object.
 */
export async function readJson(
  request: Request,
  { bytesMax, mayBeEmpty = false, memory }: { bytesMax: number; mayBeEmpty?: boolean | undefined; memory: BodyMemory },
): Promise<object> {
  if (!mayBeEmpty || hasContentLength(request)) assertType(request.headers);
  const bytes = await readBodyBytes(request, bytesMax, memory);
  if (bytes === "too large") throw new AppError("PAYLOAD_TOO_LARGE", `The body must be at most ${bytesMax} bytes.`);
  if (bytes.length === 0 && mayBeEmpty) return {};
  if (bytes.length === 0) throw invalid([{ path: "", message: "A JSON body is required." }]);
  assertType(request.headers);
  if (!request.headers.has("content-type")) {
    throw unsupported("Content-Type is missing; it must be application/json, in UTF-8.");
  }
  return parseObject(bytes);
}

/**
 * Rejects the body of an endpoint that has none: only an empty body or `{}` passes. Throws UNSUPPORTED_MEDIA_TYPE for
 * other types than JSON, VALIDATION for any other body, and what `readBodyBytes` throws.
 */
export async function refuseBody(request: Request, memory: BodyMemory): Promise<void> {
  const body = await readJson(request, { bytesMax: NO_BODY_BYTES_MAX, mayBeEmpty: true, memory }).catch((error) => {
    if (error instanceof AppError && error.code === "PAYLOAD_TOO_LARGE") return { "": null };
    throw error;
  });
  if (Object.keys(body).length > 0) throw invalid([{ path: "", message: "The body must be empty." }]);
}

const NO_BODY_BYTES_MAX = 1024;

/** Whether `Content-Length` announces a body. Without that header, only reading shows whether there is one. */
function hasContentLength({ headers }: Request): boolean {
  return Number(headers.get("content-length") ?? 0) > 0;
}

function assertType(headers: Headers): void {
  const type = headers.get("content-type");
  const coding = headers.get("content-encoding");
  if (coding !== null && !/^\s*identity\s*$/i.test(coding)) throw unsupported(ENCODED);
  if (type !== null && !isUtf8Json(type)) throw unsupported(describeType(type));
}

function parseObject(bytes: Buffer): object {
  const value = parseJson(bytes);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid([{ path: "", message: describeValue(value) }]);
  }
  return value;
}

function parseJson(bytes: Buffer): unknown {
  let text: string | undefined;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return JSON.parse(text);
  } catch {
    if (text === undefined) throw invalid([{ path: "", message: "The body is not valid UTF-8." }]);
    // Not the parser's own message: it quotes the payload.
    const problem = describeJsonProblem(text);
    throw invalid([{ path: "", message: `The body is not valid JSON${problem ? ` ${problem}` : ""}.` }]);
  }
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return "The body must be a JSON object, not an array.";
  if (typeof value === "string") return "The body must be a JSON object, not a string. Was it encoded twice?";
  return "The body must be a JSON object.";
}

// media-type = type "/" subtype *( OWS ";" OWS [ name "=" ( token / quoted-string ) ] ), RFC 9110, section 8.3.1.
const PARAMETER = /[ \t]*;[ \t]*(?:([!#$%&'*+\-.^_`|~\w]+)=([!#$%&'*+\-.^_`|~\w]+|"(?:[^"\\]|\\.)*"))?/y;

function isUtf8Json(contentType: string): boolean {
  const type = /^[ \t]*application\/json(?=[ \t;]|$)/i.exec(contentType)?.[0];
  if (type === undefined) return false;
  const text = contentType.trimEnd();
  for (let at = type.length; at < text.length; at = PARAMETER.lastIndex) {
    PARAMETER.lastIndex = at;
    const [, name, value] = PARAMETER.exec(text) ?? [];
    if (PARAMETER.lastIndex <= at) return false;
    const bare = value?.replace(/^"(.*)"$/, "$1").replace(/\\(.)/g, "$1");
    if (name?.toLowerCase() === "charset" && !/^utf-?8$/i.test(bare ?? "")) return false;
  }
  return true;
}

const ENCODED = "Content-Encoding, such as gzip, is not supported. Send the body without it.";
const EXPECTED = "The body must be sent as Content-Type: application/json, in UTF-8";

function describeType(type: string): string {
  const isForm = /^\s*(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(type);
  return isForm ? `${EXPECTED}; form data is not supported.` : `${EXPECTED}.`;
}

function unsupported(message: string): AppError {
  return new AppError("UNSUPPORTED_MEDIA_TYPE", message);
}
