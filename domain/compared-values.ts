import { decodedOnce } from "./decoded-value.ts";
import { PUBLIC_HEADERS } from "./public-texts.ts";
import { RUN_LENGTH } from "./shared-runs.ts";

/** The parts of a request that must not appear in a stored error text. */
export interface RequestParts {
  payload: Buffer | null;
  secrets: readonly string[];
  headers: readonly (readonly [string, string])[];
}

/** What a text is compared with: values of which it may share no run, and short ones that it may not hold whole. */
export type ComparedValues = { long: string[]; credentials: string[] };

/**
 * The values of a request that a text may not repeat: the payload, the secrets and the values of custom headers, of 16
 * characters and more, as they are and as a target that parses them reads them (JSON escapes, percent-encoding); and of
 * `Authorization`, which is never public, the credentials of 8 and more. Left out: the headers of `PUBLIC_HEADERS`.
 */
export function comparedValues({ payload, secrets, headers }: RequestParts): ComparedValues {
  const given = headers
    .map(([name, value]) => [name.toLowerCase(), value.trim()] as const)
    .filter(([name]) => !PUBLIC_HEADERS.has(name));
  const credentials = given.flatMap(([name, value]) => (name === "authorization" ? credentialsIn(value) : []));
  const values = [
    ...(payload === null ? [] : [payload.toString("utf8")]),
    ...secrets,
    ...given.map(([, value]) => value),
    ...credentials,
  ].filter((value) => value.length >= RUN_LENGTH);
  return {
    long: values.flatMap((value) => [value, ...decodedOnce(value)]),
    credentials: credentials.filter((it) => it.length >= CREDENTIAL_LENGTH_MIN && it.length < RUN_LENGTH),
  };
}

const CREDENTIAL_LENGTH_MIN = 8;

function credentialsIn(authorization: string): string[] {
  const [, scheme = "", credentials = authorization] = /^(\S+)\s+(.*)$/s.exec(authorization) ?? [];
  if (scheme.toLowerCase() !== "basic") return [credentials];
  const decoded = Buffer.from(credentials, "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  return [credentials, decoded, colon < 0 ? "" : decoded.slice(colon + 1)];
}
