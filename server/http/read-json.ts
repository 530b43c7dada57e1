import { AppError } from "#domain/errors.ts";
import { invalid } from "../input/validate.ts";
import type { BodyRoom } from "./body-memory.ts";
import { describeJsonProblem } from "./json-problem.ts";
import { readBytes } from "./read-body-bytes.ts";

/**
 * The JSON object in a request's body. The body is cut off while reading once it has more than `bytesMax` bytes. Throws
 * UNSUPPORTED_MEDIA_TYPE unless it is application/json in UTF-8, PAYLOAD_TOO_LARGE, VALIDATION when it is empty, not
 * UTF-8, not JSON or not an object, and what `readBytes` throws. A byte order mark is ignored (RFC 8259, section 8.1),
 * and of a name given twice the last one counts. When it `mayBeEmpty`, an empty body of whatever type stands for an empty
 * object.
 */
export async function readJson(
  request: Request,
  { bytesMax, mayBeEmpty = false, room }: { bytesMax: number; mayBeEmpty?: boolean | undefined; room: BodyRoom },
): Promise<object> {
  if (!mayBeEmpty || isAnnounced(request)) assertType(request.headers);
  const bytes = await readBytes(request, bytesMax, room);
  if (bytes === "too large") throw new AppError("PAYLOAD_TOO_LARGE", `The body must be at most ${bytesMax} bytes.`);
  if (bytes.length === 0 && mayBeEmpty) return {};
  if (bytes.length === 0) throw invalid([{ path: "", message: "A JSON body is needed." }]);
  assertType(request.headers);
  if (!request.headers.has("content-type")) {
    throw unsupported("The body has no Content-Type; it must be application/json, in UTF-8.");
  }
  return parseObject(bytes);
}

/**
 * Reads the body of a call that takes none: it may be empty or `{}`. Throws UNSUPPORTED_MEDIA_TYPE for one of another
 * type than JSON, VALIDATION for anything else, and what `readBytes` throws.
 */
export async function refuseBody(request: Request, room: BodyRoom): Promise<void> {
  const given = await readJson(request, { bytesMax: NO_BODY_BYTES_MAX, mayBeEmpty: true, room }).catch((error) => {
    if (error instanceof AppError && error.code === "PAYLOAD_TOO_LARGE") return { "": null };
    throw error;
  });
  if (Object.keys(given).length > 0)
    throw invalid([{ path: "", message: "The body must be empty: nothing is taken." }]);
}

const NO_BODY_BYTES_MAX = 1024;

/** Whether there is a body, by its length. Without one, only reading shows whether any comes. */
function isAnnounced({ headers }: Request): boolean {
  return Number(headers.get("content-length") ?? 0) > 0;
}

function assertType(headers: Headers): void {
  const type = headers.get("content-type");
  const coding = headers.get("content-encoding");
  if (coding !== null && !/^\s*identity\s*$/i.test(coding)) throw unsupported(CODED);
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
    // The parser's own message would repeat a piece of the payload.
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

const CODED =
  "A body with a Content-Encoding, such as gzip, is not read: it must be sent as it is, without that header.";
const EXPECTED = "The body must be sent as Content-Type: application/json, in UTF-8";

function describeType(type: string): string {
  const isForm = /^\s*(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(type);
  return isForm ? `${EXPECTED}; fields of a form are not read.` : `${EXPECTED}.`;
}

function unsupported(message: string): AppError {
  return new AppError("UNSUPPORTED_MEDIA_TYPE", message);
}
