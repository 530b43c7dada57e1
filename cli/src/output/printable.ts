/**
 * Text of the service or of a target without characters that a terminal would obey: control characters (C0 and C1) and
 * those that change the direction of text. A line break becomes a space.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\r\n\t]+/g, " ").replaceAll(UNSAFE, "\u{fffd}");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNSAFE = /[\0-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
