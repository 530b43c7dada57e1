import { StopwatchError } from "../error.ts";
import type { Environment } from "../types.ts";

/** The environment of an API key. Throws INVALID_KEY with what is wrong, but never with the key. */
export function environmentOf(key: unknown): Environment {
  const problem = problemOf(key);
  if (problem) throw new StopwatchError("INVALID_KEY", `The API key ${problem}.`);
  return (key as string).slice(3, 7) as Environment;
}

function problemOf(key: unknown): string | undefined {
  if (!key || typeof key !== "string") return "is missing: pass it as text, such as process.env.STOPWATCH_API_KEY";
  if (/^(undefined|null)$/.test(key)) return `is the text "${key}": a variable is not set`;
  if (key !== key.trim()) return "has blanks or a line break around it";
  if (!/^sw_(live|test)_/.test(key)) return "does not begin with sw_live_ or sw_test_";
  if (key.length !== 46) return `has ${key.length} characters instead of 46`;
  if (!/^\w+$/.test(key) || checksum(key.slice(0, 40)) !== number(key.slice(40)))
    return "has a typing error: its checksum is wrong";
  return undefined;
}

/** CRC-32, as in zlib. */
function checksum(text: string): number {
  let crc = -1;
  for (const char of text) {
    crc ^= char.charCodeAt(0);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 && 0xedb88320);
  }
  return ~crc >>> 0;
}

/** A number in base 62: 0-9, A-Z, a-z. */
function number(digits: string): number {
  let value = 0;
  for (const digit of digits) {
    const code = digit.charCodeAt(0);
    value = value * 62 + code - (code < 58 ? 48 : code < 91 ? 55 : 61);
  }
  return value;
}
