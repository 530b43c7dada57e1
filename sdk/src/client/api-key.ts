import { StopwatchError } from "../error.ts";
import type { Environment } from "../types.ts";

/** The environment of an API key. Throws INVALID_KEY with what is wrong, but never with the key. */
export function environmentOf(given: unknown): Environment {
  const key = String(given);
  const problem = problemOf(key);
  if (problem) throw new StopwatchError("INVALID_KEY", `The API key ${problem}`);
  return key.slice(3, 7) as Environment;
}

function problemOf(key: string): string | false {
  // A key may name the cell of the service that made it, as in `sw_live_c2_…`.
  const rest = key.replace(/^sw_(live|test)_(c\d+_)?/, "");
  return /^(undefined|null|)$/.test(key)
    ? `is missing: ${key}`
    : key.trim() !== key
      ? "has blanks or a line break around it"
      : key === rest
        ? "does not begin with sw_live_ or sw_test_: no quotes, no Bearer"
        : rest.length !== 38
          ? `has ${key.length} characters, not ${key.length - rest.length + 38}`
          : isMistyped(key) && "has a typing error";
}

/** Whether the last six characters are not the CRC-32 (as in zlib) of those before, in base 62: 0-9, A-Z, a-z. */
function isMistyped(key: string): boolean {
  let crc = -1;
  let given = 0;
  let left = key.length;
  for (const char of key) {
    if (left-- > 6) {
      crc ^= char.charCodeAt(0);
      for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 * (crc & 1));
    } else given = given * 62 + Number.parseInt(char, 36) + (char > "Z" ? 26 : 0);
  }
  return ~crc >>> 0 !== given;
}
