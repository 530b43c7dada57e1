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
  return /^(undefined|null|)$/.test(key)
    ? `is missing: ${key}`
    : key !== key.trim()
      ? "has blanks or a line break around it"
      : !/^sw_(live|test)_/.test(key)
        ? "does not begin with sw_live_ or sw_test_"
        : key.length !== lengthOf(key)
          ? `has ${key.length} characters, not ${lengthOf(key)}`
          : isMistyped(key) && "has a typing error";
}

/** A key may name the cell of the service that made it, as in `sw_live_c2_…`. */
const lengthOf = (key: string) => 46 + (/^sw_\w{4}_(c[1-9]\d{0,3}_)/.exec(key)?.[1]?.length ?? 0);

/** Whether the last six characters are not the CRC-32 (as in zlib) of those before, in base 62: 0-9, A-Z, a-z. */
function isMistyped(key: string): boolean {
  let crc = -1;
  let given = 0;
  let at = 0;
  for (const char of key) {
    if (at++ < key.length - 6) {
      crc ^= char.charCodeAt(0);
      for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 && 0xedb88320);
    } else given = given * 62 + Number.parseInt(char, 36) + (char > "Z" ? 26 : 0);
  }
  return ~crc >>> 0 !== given;
}
