/** `text` is a substring of the target URL, in any letter case. `scheduleId` (UUID) is set when `text` is a whole id. */
export type Query = { text: string; scheduleId: string | null };

/** A short `q` scans this many of the newest rows. */
export const SHORT_Q_ROWS = 10_000;

/** Whether `q` is too short for the index of targets: under three characters, or without a trigram. */
export function isShort({ text }: Query): boolean {
  return [...text].length < 3 || !MAKES_TRIGRAM.test(text);
}

// Source: pg_trgm, which pads words at their ends and leaves out everything but letters and digits.
const MAKES_TRIGRAM = /[\p{L}\p{N}]{3}|[\p{L}\p{N}]{2}[^\p{L}\p{N}]|[^\p{L}\p{N}][\p{L}\p{N}]/u;

/** The pattern of ILIKE for a substring, in which `%`, `_` and `\` mean themselves. */
export function substringPattern({ text }: Query): string {
  return `%${text.replace(/[\\%_]/g, "\\$&")}%`;
}
