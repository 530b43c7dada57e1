import { assertJsonType, requireType } from "#contract/inputs/json-type.ts";
import { invalid } from "#contract/inputs/validate.ts";
import { AppError } from "#domain/errors.ts";
import type { BodyMemory } from "./body-memory.ts";
import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from "./json-bytes.ts";
import { JsonText, parseJson, tooManyValues, VALUES_MAX } from "./json-text.ts";
import { readBodyBytes, type TakeBytes } from "./read-body-bytes.ts";
import type { ReceivedBytes } from "./received-bytes.ts";

type Options = {
  bytesMax: number;
  mayBeEmpty?: boolean | undefined;
  memory: BodyMemory;
};

/**
 * Reads the JSON object in a request's body. Throws UNSUPPORTED_MEDIA_TYPE unless it is application/json in UTF-8;
 * PAYLOAD_TOO_LARGE above `bytesMax` bytes; VALIDATION when it is empty, not UTF-8, not JSON, not an object, nested more
 * than `DEPTH_MAX` levels deep or has more than `VALUES_MAX` names and elements; and what `readBodyBytes` throws. All of
 * that is found while the bytes arrive, before anything is parsed. A byte order mark is ignored (RFC 8259, section 8.1). Of
 * duplicate names the last one wins. With `mayBeEmpty`, an empty body of any type is read as an empty object.
 */
export async function readJson(request: Request, { bytesMax, mayBeEmpty = false, memory }: Options): Promise<object> {
  let values = 0;
  let rootByte = 0;
  const text = new JsonText({
    valueBegins(depth, _at, firstByte) {
      if (depth === 0) rootByte = firstByte;
      else values += 1;
      return values > VALUES_MAX ? tooManyValues("") : undefined;
    },
  });
  const take = (piece: Uint8Array) => text.push(piece);
  const bytes = await readJsonBytes(request, { bytesMax, mayBeEmpty, memory, take });
  if (bytes.length === 0) return {};
  await text.finish(bytes);
  if (rootByte !== OPEN_OBJECT) refuseRoot(rootByte);
  return parseJson(bytes.slice(0, bytes.length)) as object;
}

/** Reads the bytes of a JSON body; none only with `mayBeEmpty`. Throws as `readJson`, but for what the bytes contain. */
export async function readJsonBytes(
  request: Request,
  { bytesMax, mayBeEmpty = false, memory, take }: Options & { take: TakeBytes },
): Promise<ReceivedBytes> {
  if (!mayBeEmpty || hasContentLength(request)) assertJsonType(request.headers);
  const bytes = await readBodyBytes(request, { bytesMax, memory, take });
  if (bytes === "too large") throw new AppError("PAYLOAD_TOO_LARGE", `The body must be at most ${bytesMax} bytes.`);
  if (bytes.length === 0 && mayBeEmpty) return bytes;
  if (bytes.length === 0) throw invalid([{ path: "", message: "A JSON body is required." }]);
  assertJsonType(request.headers);
  requireType(request.headers);
  return bytes;
}

/** Throws VALIDATION for a body that is JSON but no object. */
export function refuseRoot(firstByte: number): never {
  throw invalid([{ path: "", message: describeRoot(firstByte) }]);
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

function describeRoot(firstByte: number): string {
  if (firstByte === OPEN_ARRAY) return "The body must be a JSON object, not an array.";
  if (firstByte === QUOTE) return "The body must be a JSON object, not a string. Was it encoded twice?";
  return "The body must be a JSON object.";
}
