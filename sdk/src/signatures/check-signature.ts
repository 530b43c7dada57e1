import type { Bytes } from "./body.ts";
import { refuse } from "./refuse.ts";

export type VerifyOptions = {
  /**
   * Up to 8 secrets to try. Usually `current` and `next`, so that a rotation is no outage. Undefined is refused by name. Where
   * STOPWATCH_DEV is 1 the secret of the development fake is tried too, and undefined is left out.
   */
  secrets: readonly (string | undefined)[];
  /** How far the delivery's time may be from this machine's, in seconds. 300 unless given. */
  toleranceSeconds?: number | undefined;
  /** The present time, in epoch milliseconds where it is a number. This machine's unless given. */
  now?: Date | number | undefined;
};

/** `timestamp`, in epoch seconds, as a time. Throws INVALID_SIGNATURE unless it is near enough. */
export function checkTime(timestamp: string, { toleranceSeconds = 300, now = Date.now() }: VerifyOptions): Date {
  const age = Math.floor(+now / 1000) - +timestamp;
  // Written so that a tolerance or a time that is no number refuses, too.
  if (!(Math.abs(age) <= toleranceSeconds)) {
    refuse(`Signed ${age} s ago: is the clock right?`, age < 0 ? "too_new" : "too_old");
  }
  return new Date(+timestamp * 1000);
}

/**
 * The index of the first key by which one of the given HMAC-SHA256 signatures of `head` and `body` was made. Throws
 * INVALID_SIGNATURE when there is none. `subtle.verify` compares in constant time.
 */
export async function findKey(
  keys: readonly Bytes[],
  head: string,
  body: Bytes,
  given: readonly Bytes[],
): Promise<number> {
  const { subtle } = crypto;
  const content = await new Blob([head, body]).arrayBuffer();
  for (const [index, raw] of keys.entries()) {
    const key = await subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    for (const signature of given) if (await subtle.verify("HMAC", key, signature, content)) return index;
  }
  return refuse("No secret fits: pass the raw body, current and next", "no_match");
}
