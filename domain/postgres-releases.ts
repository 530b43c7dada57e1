/**
 * The minor releases with the latest security fixes, by major version, all of 13 August 2026 (18.5 was not released).
 * PostgreSQL publishes them together in February, May, August and November
 * (https://www.postgresql.org/support/security/); update the minors and the date then.
 */
const SECURED: Readonly<Record<number, number>> = { 15: 19, 16: 15, 17: 11, 18: 6 };
const SECURED_ON = "13 August 2026";

/**
 * The version that a server reports: `number` is server_version_num (180004 for 18.4), and `text` server_version, which
 * vendors extend ("16.4 (Debian 16.4-1.pgdg120+1)", "15.4-YB-2.25.1.0-b0").
 */
export type ServerVersion = { number: number; text: string };

/** The oldest major version that Stopwatch works on, and is tested with. */
const OLDEST_MAJOR = 15;

/** Returns what to tell an operator whose server is too old for Stopwatch; undefined for others and an unknown version. */
export function tooOldNotice({ number, text }: ServerVersion): string | undefined {
  if (number === 0 || number >= OLDEST_MAJOR * 10_000) return undefined;
  return `The database is PostgreSQL ${text.split(" ")[0]}, and Stopwatch needs ${OLDEST_MAJOR} or later. Nothing was changed.`;
}

const UPDATE = "update it, unless its vendor applied them under another number";

/**
 * Returns a line for operators when a database server lacks security fixes that were known when this version of Stopwatch
 * was made; otherwise, and for major versions that it does not know, undefined. `remedy` is what to do.
 */
export function securityNotice({ number, text }: ServerVersion, remedy = UPDATE): string | undefined {
  const [major, minor] = [Math.floor(number / 10_000), number % 10_000];
  const secured = SECURED[major];
  if (secured === undefined || minor >= secured) return undefined;
  const version = text.split(" ")[0];
  return `the database is PostgreSQL ${version}, which lacks the security fixes of ${major}.${secured} (${SECURED_ON}): ${remedy}`;
}
