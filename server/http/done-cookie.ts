import type { Config } from "#config.ts";
import { trimAscii } from "#domain/ascii.ts";

/** What a form did: `did` names the act, the others what belongs to it. No secret, and nothing that anybody typed. */
export type Done = Readonly<{ did: string; id?: string; clamped?: string }>;

/**
 * A `Set-Cookie` that says what a form did, for the page at `path`, which the form leads to. So it stands in no address, and
 * `sayDoneOnce` has the page say it once. It expires after five minutes.
 */
export function doneCookie(config: Pick<Config, "baseUrl">, path: string, done: Done): string {
  return cookie(config, String(new URLSearchParams({ ...done, [PATH]: path })), DONE_S);
}

/** What a form has done that led to the page at `path`; undefined when none did. */
export function readDone(cookieHeader: string | null, path: string): Done | undefined {
  const { did, ...rest } = Object.fromEntries(find(cookieHeader));
  return did === undefined || rest[PATH] !== path ? undefined : { did, id: rest.id, clamped: rest.clamped };
}

/**
 * What becomes of the cookie when the page at `path` is loaded: the first time it is marked as shown, so that refreshes by
 * script still say it; the second time it is removed, and the page must not see it. Undefined when there is none for it.
 */
export function onDocument(
  config: Pick<Config, "baseUrl">,
  cookieHeader: string | null,
  path: string,
): { isShown: boolean; setCookie: string } | undefined {
  const done = find(cookieHeader);
  if (done.get(PATH) !== path) return undefined;
  if (done.has(SHOWN)) return { isShown: true, setCookie: cookie(config, "", 0) };
  done.set(SHOWN, "1");
  return { isShown: false, setCookie: cookie(config, String(done), DONE_S) };
}

/** A `Cookie` header without what a form did. */
export function withoutDone(cookieHeader: string): string {
  return cookieHeader
    .split(";")
    .filter((pair) => !trimAscii(pair).startsWith(`${DONE_COOKIE}=`))
    .join(";");
}

const DONE_COOKIE = "done";
const DONE_S = 300;
const PATH = "at";
const SHOWN = "shown";

function find(cookieHeader: string | null): URLSearchParams {
  const pair = (cookieHeader ?? "").split(";").find((one) => trimAscii(one).startsWith(`${DONE_COOKIE}=`)) ?? "";
  return new URLSearchParams(pair.slice(pair.indexOf("=") + 1));
}

function cookie({ baseUrl }: Pick<Config, "baseUrl">, value: string, maxAgeS: number): string {
  const secure = baseUrl.startsWith("https:") ? "; Secure" : "";
  return `${DONE_COOKIE}=${value}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Strict${secure}`;
}
