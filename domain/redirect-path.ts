const LENGTH_MAX = 2_000;
const BASE = "https://own.invalid";

/**
 * A path of our own that a browser may be sent to (`/schedules?status=dead`), as it is to be written into `Location`; null
 * for everything else. Judged before and after a URL parser has repaired it: no other host (`//host`, `/\host`,
 * `/.//host`), no character that browsers drop or turn, and nothing of the API.
 */
export function parseRedirectPath(text: string): string | null {
  if (text.length > LENGTH_MAX || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)) return null;
  if (!URL.canParse(text, BASE)) return null;
  const { origin, pathname, search, hash } = new URL(text, BASE);
  if (origin !== BASE || pathname.startsWith("//") || /^\/v1(\/|$)/i.test(pathname)) return null;
  return `${pathname}${search}${hash}`;
}
