import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import { ENVIRONMENTS, type Environment } from "./environment.ts";

/**
 * A new API key: `sw_live_` or `sw_test_`, 32 random characters (190 bits), six of checksum. The checksum is the CRC-32
 * (as in zlib) of the ASCII bytes before it, an unsigned number in base 62, most significant digit first, padded with
 * `0`; the digits are 0-9, A-Z, a-z in this order.
 */
export function generateApiKey(env: Environment): string {
  const unchecked = apiKeyPrefix(env) + Array.from({ length: RANDOM_LENGTH }, () => DIGITS[randomInt(62)]).join("");
  return unchecked + checksum(unchecked);
}

/**
 * The environment of a well-formed key; null when format or checksum is wrong. Does not check revocation. A key may name the
 * cell that made it (`sw_live_c2_…`: cell 2), a hint where to ask first; no installation makes such keys yet.
 */
export function parseApiKey(text: string): { env: Environment; cell?: number } | null {
  const [, env, cell] = WELL_FORMED.exec(text) ?? [];
  if (env === undefined || checksum(text.slice(0, -CHECKSUM_LENGTH)) !== text.slice(-CHECKSUM_LENGTH)) return null;
  return { env: env as Environment, ...(cell !== undefined && { cell: Number(cell) }) };
}

/** SHA-256 of the whole key, 32 bytes: all that is stored of it besides its last four characters. */
export function hashApiKey(text: string): Buffer {
  return hash("sha256", text, "buffer");
}

/** The parts of a key that may be shown after its creation. */
export function apiKeyPreview(text: string): { prefix: string; last4: string } {
  return { prefix: text.slice(0, apiKeyPrefix("live").length), last4: text.slice(-4) };
}

/** The prefix of every key of an environment. */
export function apiKeyPrefix<E extends Environment>(env: E): `sw_${E}_` {
  return `sw_${env}_`;
}

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const WELL_FORMED = new RegExp(
  `^sw_(${ENVIRONMENTS.join("|")})_(?:c([1-9][0-9]{0,3})_)?[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`,
);

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  while (digits.length < CHECKSUM_LENGTH) {
    digits = DIGITS.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
