const LENGTH_MAX = 2_000;
const BASE = "https://own.invalid";

/**
 * Validates a path of this service that a browser may be redirected to, such as `/schedules?status=dead`; returns it
 * normalised for `Location`, or null. Prevents open redirects: checked before and after URL parsing for other hosts
 * (`//host`, `/\host`, `/.//host`) and for characters that browsers drop or convert. Paths of the API are rejected.
 */
export function parseRedirectPath(text: string): string | null {
  if (text.length > LENGTH_MAX || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)) return null;
  if (!URL.canParse(text, BASE)) return null;
  const { origin, pathname, search, hash } = new URL(text, BASE);
  if (origin !== BASE || pathname.startsWith("//") || /^\/v1(\/|$)/i.test(pathname)) return null;
  return `${pathname}${search}${hash}`;
}
