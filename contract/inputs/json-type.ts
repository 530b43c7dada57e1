import { AppError } from "#domain/errors.ts";

/** Throws UNSUPPORTED_MEDIA_TYPE for a body that is said to be something else than JSON in UTF-8. */
export function assertJsonType(headers: Headers): void {
  const type = headers.get("content-type");
  const coding = headers.get("content-encoding");
  if (coding !== null && !/^\s*identity\s*$/i.test(coding)) throw unsupported(ENCODED);
  if (type !== null && !isUtf8Json(type)) throw unsupported(describeType(type));
}

/** Throws UNSUPPORTED_MEDIA_TYPE for a body that is not said to be JSON. */
export function requireType(headers: Headers): void {
  if (!headers.has("content-type")) {
    throw unsupported("Content-Type is missing; it must be application/json, in UTF-8.");
  }
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
