import type { Config } from "#config.ts";
import { trimAscii } from "#domain/ascii.ts";
import { pageValueAad } from "#domain/associated-data.ts";
import { DecryptionError, open, seal } from "#domain/cipher.ts";
import type { Ctx } from "../context.ts";

type Values = Readonly<Record<string, string>>;
type Caller = { config: Pick<Config, "keyRing" | "baseUrl">; credential: Pick<Ctx["credential"], "id"> };

/**
 * Encrypts values that a page gives the browser to send back, in a hidden field or a cookie: only the same session can
 * use them, only for `purpose`, and only for `maxAgeS` seconds. The result is base64url.
 */
export function sealValues({ config, credential }: Caller, purpose: string, values: Values, maxAgeS: number): string {
  const content = JSON.stringify({ untilMs: Date.now() + maxAgeS * 1_000, values });
  return seal(config.keyRing, Buffer.from(content), pageValueAad(purpose, credential.id)).toString("base64url");
}

/** The values of `sealValues`; null when they expired, or were sealed for another session or purpose. */
export function openValues({ config, credential }: Caller, purpose: string, sealed: string): Values | null {
  try {
    const content = open(config.keyRing, Buffer.from(sealed, "base64url"), pageValueAad(purpose, credential.id));
    const { untilMs, values } = JSON.parse(content.toString()) as { untilMs: number; values: Values };
    return Date.now() < untilMs ? values : null;
  } catch (error) {
    if (error instanceof DecryptionError) return null;
    throw error;
  }
}

/**
 * A `Set-Cookie` that hands values from the POST of a form to the page at `path`, which it redirects to. For
 * values that must not appear in a URL. The cookie is encrypted and HttpOnly, and expires after five minutes.
 */
export function handOverCookie(caller: Caller, path: string, values: Values): string {
  return cookie(caller.config, path, sealValues(caller, path, values, HAND_OVER_S), HAND_OVER_S);
}

/** The values that a form handed to the page at `path`; null when there are none. */
export function readHandOver(caller: Caller, path: string, cookieHeader: string | null): Values | null {
  for (const pair of (cookieHeader ?? "").split(";")) {
    const [name, value] = trimAscii(pair).split("=");
    if (name !== HAND_OVER_COOKIE || !value) continue;
    const values = openValues(caller, path, value);
    if (values !== null) return values;
  }
  return null;
}

/** The `Set-Cookie` that ends a hand-over. */
export function clearedHandOverCookie(config: Pick<Config, "baseUrl">, path: string): string {
  return cookie(config, path, "", 0);
}

const HAND_OVER_COOKIE = "hand_over";
const HAND_OVER_S = 300;

function cookie({ baseUrl }: Pick<Config, "baseUrl">, path: string, value: string, maxAgeS: number): string {
  const secure = baseUrl.startsWith("https:") ? "; Secure" : "";
  return `${HAND_OVER_COOKIE}=${value}; Path=${path}; Max-Age=${maxAgeS}; HttpOnly; SameSite=Strict${secure}`;
}
