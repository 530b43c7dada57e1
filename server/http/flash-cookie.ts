import type { Config } from "#config.ts";
import { trimAscii } from "#domain/ascii.ts";

/** What a form did: `result` names it, the other fields belong to it. It contains no secret, and nothing that anybody typed. */
export type Flash = Readonly<{ result: string } & { [field in (typeof FIELDS)[number]]?: string }>;

const FIELDS = ["id", "clamped", "taken", "inFlight"] as const;

/**
 * A `Set-Cookie` with the result of a form, for the page at `path`, to which the form redirects. The result stays out of
 * the address, and `showFlashOnce` has the page show it once. It expires after five minutes. `isFromElsewhere`: the redirect began
 * at another site, such as a provider, and a browser sends no cookie with it that is SameSite=Strict.
 */
export function flashCookie(
  config: Pick<Config, "baseUrl">,
  path: string,
  flash: Flash,
  { isFromElsewhere = false } = {},
): string {
  const sameSite = isFromElsewhere ? "Lax" : "Strict";
  return cookie(config, String(new URLSearchParams({ ...flash, [PATH]: path })), FLASH_S, sameSite);
}

/** The result of the form that redirected to the page at `path`; undefined when none did. */
export function readFlash(cookieHeader: string | null, path: string): Flash | undefined {
  const { result, ...rest } = Object.fromEntries(find(cookieHeader));
  if (result === undefined || rest[PATH] !== path) return undefined;
  return { result, ...Object.fromEntries(FIELDS.map((field) => [field, rest[field]])) };
}

/**
 * The next value of the cookie when the page at `path` is loaded; undefined when there is none for it. The first time it is
 * marked as shown, so that refreshes by script still show it; the second time it is removed, and the page must not see it.
 */
export function onDocument(
  config: Pick<Config, "baseUrl">,
  cookieHeader: string | null,
  path: string,
): { isShown: boolean; setCookie: string } | undefined {
  const flash = find(cookieHeader);
  if (flash.get(PATH) !== path) return undefined;
  if (flash.has(SHOWN)) return { isShown: true, setCookie: cookie(config, "", 0) };
  flash.set(SHOWN, "1");
  return { isShown: false, setCookie: cookie(config, String(flash), FLASH_S) };
}

/** A `Cookie` header without the flash cookie. */
export function withoutFlash(cookieHeader: string): string {
  return cookieHeader
    .split(";")
    .filter((pair) => !trimAscii(pair).startsWith(`${FLASH_COOKIE}=`))
    .join(";");
}

const FLASH_COOKIE = "flash";
const FLASH_S = 300;
const PATH = "at";
const SHOWN = "shown";

function find(cookieHeader: string | null): URLSearchParams {
  const pair = (cookieHeader ?? "").split(";").find((one) => trimAscii(one).startsWith(`${FLASH_COOKIE}=`)) ?? "";
  return new URLSearchParams(pair.slice(pair.indexOf("=") + 1));
}

function cookie(
  { baseUrl }: Pick<Config, "baseUrl">,
  value: string,
  maxAgeS: number,
  sameSite: "Strict" | "Lax" = "Strict",
): string {
  const secure = baseUrl.startsWith("https:") ? "; Secure" : "";
  return `${FLASH_COOKIE}=${value}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=${sameSite}${secure}`;
}
