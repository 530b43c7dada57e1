import { LISTEN_ORIGIN } from "./listen-origin.ts";

const PATH_PREFIX_LENGTH_MAX = 2_048;

/**
 * The prefix of a target's path as stored targets write theirs (WHATWG serialisation: escapes, no dot segments), or what is
 * wrong with it. It begins with a slash, and has no query.
 */
export function readPathPrefix(text: string): { prefix: string } | { problem: string } {
  if (!text.isWellFormed() || /[\p{Cc}\s\\]/u.test(text)) {
    return { problem: "must not contain control characters, spaces or backslashes" };
  }
  if (!text.startsWith("/")) return { problem: "must begin with /" };
  if (/[?#]/.test(text)) return { problem: "must be a path, without a query or a fragment" };
  const prefix = new URL(LISTEN_ORIGIN + text).pathname;
  if (prefix.length > PATH_PREFIX_LENGTH_MAX) {
    return { problem: `must have at most ${PATH_PREFIX_LENGTH_MAX} characters once encoded` };
  }
  return { prefix };
}
