import { decodings } from "./text-decodings.ts";

/** The parts of a request that must not appear in a stored error text. */
export interface RequestParts {
  payload: Buffer | null;
  secrets: readonly string[];
  headers: readonly (readonly [string, string])[];
}

/** Stored instead of a response that repeats the request. */
export const REPEATED_REQUEST = "[response repeated the request]";

/**
 * The error text of a failed attempt: the start of the response body, cleaned, or `REPEATED_REQUEST` when it repeats part
 * of the request. `raw` is all of the body that was read, so that a value cut off by the limit is still recognised.
 * `bytes` are its bytes read as UTF-8, in case the charset by which `raw` was read is not that of a repeated part.
 */
export function failureText(raw: string, parts: RequestParts, bytes = raw): string {
  const compared = raw.slice(0, firstCharacters(raw).length + COMPARED_BEYOND_LENGTH);
  const isRepeated = repeatsRequest(compared, parts) || (bytes !== raw && repeatsRequest(bytes, parts));
  return isRepeated ? REPEATED_REQUEST : cleanErrorText(raw);
}

/** Prepares a text for storage: replaces NUL and lone surrogates by U+FFFD and keeps the first 1,024 code points. */
export function cleanErrorText(raw: string): string {
  const start = raw
    .slice(0, 2 * TEXT_LENGTH_MAX)
    .toWellFormed()
    .replaceAll("\0", "\uFFFD");
  return Array.from(start).slice(0, TEXT_LENGTH_MAX).join("");
}

/**
 * Whether a text, as it is or JSON-, HTML-, percent- or base64-decoded (also one encoding inside another), shares
 * a run of 32 characters with the payload, a secret or a custom header value, or holds one of them whole that has 8 or
 * more. Characters are UTF-16 code units. `Content-Type`, `Accept` and `User-Agent` are not compared. Of `Authorization`
 * and `Cookie` the credentials in them are values too.
 */
export function repeatsRequest(text: string, parts: RequestParts): boolean {
  const values = [
    ...(parts.payload === null ? [] : [parts.payload.toString("utf8")]),
    ...parts.secrets,
    ...parts.headers.flatMap(([name, value]) => valuesIn(name.toLowerCase(), value.trim())),
  ];
  const readings = decodings(text);
  const isWholeIn = (value: string) => value.length >= WHOLE_LENGTH_MIN && readings.some((it) => it.includes(value));
  const short = values.filter((value) => value.length < RUN_LENGTH);
  const long = values.filter((value) => value.length >= RUN_LENGTH);
  return short.some(isWholeIn) || (long.length > 0 && sharesRun(readings, long));
}

const TEXT_LENGTH_MAX = 1024;
const RUN_LENGTH = 32;
const WHOLE_LENGTH_MIN = 8;
// 31 characters beyond those stored, each up to nine characters when percent-encoded (%XX%XX%XX).
const COMPARED_BEYOND_LENGTH = 9 * (RUN_LENGTH - 1);
const UNCOMPARED_HEADERS = new Set(["content-type", "accept", "user-agent"]);

/** The compared values of a header: the whole value, and credentials in it that a target may extract and repeat. */
function valuesIn(name: string, value: string): string[] {
  if (UNCOMPARED_HEADERS.has(name)) return [];
  if (name === "authorization") return [value, ...credentialsIn(value)];
  if (name === "cookie") return [value, ...value.split(";").map(cookieValue)];
  return [value];
}

function credentialsIn(authorization: string): string[] {
  const [, scheme = "", credentials = ""] = /^(\S+)\s+(.*)$/s.exec(authorization) ?? [];
  if (scheme.toLowerCase() !== "basic") return [credentials];
  const decoded = Buffer.from(credentials, "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  return [credentials, decoded, colon < 0 ? "" : decoded.slice(colon + 1)];
}

function cookieValue(pair: string): string {
  const value = pair.slice(pair.indexOf("=") + 1).trim();
  return value.replace(/^"(.*)"$/, "$1");
}

const HASH_BASE = 0x01000193;
const HASH_BASE_TO_RUN = Array.from({ length: RUN_LENGTH }).reduce<number>((power) => Math.imul(power, HASH_BASE), 1);
const SLOTS = 1 << 18;

function firstCharacters(raw: string): string {
  return Array.from(raw.slice(0, 2 * TEXT_LENGTH_MAX))
    .slice(0, TEXT_LENGTH_MAX)
    .join("");
}

// Rabin-Karp: a rolling hash finds the few candidate positions for an exact comparison, so time is linear for any input.
// The loop is written out twice because a callback per character would double its cost.
function sharesRun(texts: readonly string[], values: readonly string[]): boolean {
  const slots = new Uint8Array(SLOTS);
  for (const text of texts) {
    let hash = 0;
    for (let end = 0; end < text.length; end++) {
      hash = rollHash(hash, text, end);
      if (end >= RUN_LENGTH - 1) slots[slotOf(hash)] = 1;
    }
  }
  let runs: Set<string> | undefined;
  for (const value of values) {
    let hash = 0;
    for (let end = 0; end < value.length; end++) {
      hash = rollHash(hash, value, end);
      if (end < RUN_LENGTH - 1 || slots[slotOf(hash)] === 0) continue;
      runs ??= new Set(texts.flatMap(allRuns));
      if (runs.has(value.slice(end + 1 - RUN_LENGTH, end + 1))) return true;
    }
  }
  return false;
}

function rollHash(hash: number, text: string, end: number): number {
  const leaving = end < RUN_LENGTH ? 0 : Math.imul(text.charCodeAt(end - RUN_LENGTH), HASH_BASE_TO_RUN);
  return (Math.imul(hash, HASH_BASE) + text.charCodeAt(end) - leaving) | 0;
}

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 16)) & (SLOTS - 1);
}

function allRuns(text: string): string[] {
  return Array.from({ length: Math.max(0, text.length - RUN_LENGTH + 1) }, (_, start) =>
    text.slice(start, start + RUN_LENGTH),
  );
}
