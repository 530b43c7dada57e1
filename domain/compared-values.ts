import { decodedOnce } from "./decoded-value.ts";
import { PUBLIC_HEADERS } from "./public-texts.ts";
import { RUN_LENGTH } from "./shared-runs.ts";
import { WHOLE_LENGTH_MIN } from "./whole-values.ts";

/** The parts of a request that must not appear in a stored error text. */
export interface RequestParts {
  payload: Buffer | null;
  secrets: readonly string[];
  headers: readonly (readonly [string, string])[];
}

/** What a text is compared with: values of which it may share no run, and short ones that it may not hold whole. */
export type ComparedValues = { long: string[]; short: string[] };

/**
 * The values of a request that a text may not repeat: the payload, the secrets and the values of custom headers, of 8 characters
 * and more, as they are and as a target that parses them reads them (JSON escapes, percent-encoding); of a header that starts
 * with a scheme also the credentials behind it, and of cookies each value. Left out: the headers of `PUBLIC_HEADERS`.
 */
export function comparedValues({ payload, secrets, headers }: RequestParts): ComparedValues {
  const given = headers
    .map(([name, value]) => [name.toLowerCase(), value.trim()] as const)
    .filter(([name]) => !PUBLIC_HEADERS.has(name));
  const all = [
    ...(payload === null ? [] : [payload.toString("utf8")]),
    ...secrets,
    ...given.map(([, value]) => value),
    ...given.flatMap(([name, value]) => (name === "cookie" ? cookiesIn(value) : credentialsIn(name, value))),
  ];
  const isLong = (value: string) => value.length >= RUN_LENGTH;
  return {
    long: all.filter(isLong).flatMap((value) => [value, ...decodedOnce(value)]),
    short: all
      .filter((value) => !isLong(value.trim()))
      .flatMap((value) => [value, ...decodedOnce(value)])
      .map((value) => value.trim())
      .filter((value) => value.length >= WHOLE_LENGTH_MIN),
  };
}

/** The values of a `Cookie` header, without the quotes that may stand around one. */
function cookiesIn(header: string): string[] {
  return header.split(";").map((pair) =>
    pair
      .slice(pair.indexOf("=") + 1)
      .trim()
      .replace(/^"(.*)"$/s, "$1"),
  );
}

/** What follows the scheme (`Bearer …`), and of Basic what it encodes. `Authorization` may have any scheme. */
function credentialsIn(name: string, value: string): string[] {
  const [, scheme = "", credentials = value] = /^(\S+)\s+(.*)$/s.exec(value) ?? [];
  if (!name.endsWith("authorization") && !SCHEMES.test(scheme)) return [];
  if (scheme.toLowerCase() !== "basic") return [credentials];
  const decoded = Buffer.from(credentials, "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  return [credentials, decoded, colon < 0 ? "" : decoded.slice(colon + 1)];
}

const SCHEMES = /^(?:basic|bearer|token|api-?key)$/i;
