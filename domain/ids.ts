import { pooledRandomBytes } from "./random-pool.ts";

export type IdPrefix = "sch" | "key" | "acc" | "ses" | "aud" | "op" | "evt" | "idn" | "lsn" | "exc";

/**
 * A new id for a time in epoch ms: a UUIDv7 in the usual text form. Within this process ids are monotonic, also within one
 * millisecond and when the clock steps back by up to a second.
 */
export const newId = createIdSource();

/**
 * The public form of a UUID: the prefix, `_` and the 128 bits as 26 digits of lower-case Crockford base32, most significant
 * first, so that it sorts like the UUID. Source: https://www.crockford.com/base32.html
 */
export function encodeId(prefix: IdPrefix, uuid: string): string {
  // 26 digits have 130 bits: two zero bits come first.
  let bits = 0;
  let count = 2;
  let id = `${prefix}_`;
  for (let at = 0; at < uuid.length; at += 1) {
    const nibble = NIBBLES[uuid.charCodeAt(at)] as number;
    if (nibble === NO_NIBBLE) continue;
    bits = (bits << 4) | nibble;
    count += 4;
    if (count < 5) continue;
    count -= 5;
    id += CROCKFORD[bits >> count];
    bits &= (1 << count) - 1;
  }
  return id;
}

/**
 * Decodes a public id to its UUID. Null unless the text is exactly what `encodeId` returns: this prefix, 26 digits, lower
 * case, no look-alikes (i, l, o, u), at most 128 bits.
 */
export function decodeId(prefix: IdPrefix, text: string): string | null {
  const digits = text.slice(prefix.length + 1);
  if (!text.startsWith(`${prefix}_`) || !/^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(digits)) return null;
  let bits = 0n;
  for (const digit of digits) bits = bits * 32n + BigInt(CROCKFORD.indexOf(digit));
  return hyphenated(bits.toString(16).padStart(32, "0"));
}

/**
 * UUIDv7 with a dedicated counter (RFC 9562, section 6.2, method 1): 48 bits of epoch ms, 12 of counter in rand_a, 62
 * random. Each millisecond the counter starts at a random value below 2,048; on overflow the id's time advances by 1 ms.
 * When the clock steps back by up to a second, ids keep the later time; a larger step is followed.
 */
export function createIdSource(random: (size: number) => Uint8Array = pooledRandomBytes): (epochMs: number) => string {
  let lastMs = Number.NEGATIVE_INFINITY;
  let counter = 0;
  return (epochMs) => {
    const bytes = random(10);
    const seed = (((bytes[0] as number) << 8) | (bytes[1] as number)) % COUNTER_SEEDS;
    const nowMs = Math.floor(epochMs);
    if (nowMs > lastMs || nowMs < lastMs - CLOCK_STEP_MS) {
      lastMs = nowMs;
      counter = seed;
    } else if (++counter === COUNTER_SIZE) {
      lastMs += 1;
      counter = seed;
    }
    let hex = lastMs.toString(16).padStart(12, "0") + (0x7000 | counter).toString(16);
    hex += HEX[0x80 | ((bytes[2] as number) & 0x3f)];
    for (let at = 3; at < 10; at += 1) hex += HEX[bytes[at] as number];
    return hyphenated(hex);
  };
}

const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const NO_NIBBLE = 16;
/** The value of each hexadecimal digit, by its character code. */
const NIBBLES = new Uint8Array(128).fill(NO_NIBBLE);
for (let nibble = 0; nibble < 16; nibble += 1) NIBBLES[nibble.toString(16).charCodeAt(0)] = nibble;
const COUNTER_SIZE = 4_096;
const COUNTER_SEEDS = 2_048;
const CLOCK_STEP_MS = 1_000;

function hyphenated(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
