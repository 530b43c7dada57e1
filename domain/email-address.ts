import { z } from "zod";
import { foldAscii, trimAscii } from "./ascii.ts";

/**
 * An e-mail address as accounts store it, in lower case; null for any other text. The text is judged as it is, not
 * trimmed, decoded or normalised: two texts are one address only if they differ in nothing but the case of A-Z. Accepts
 * RFC 5321 dot-atoms of ASCII, at most 254 characters, 64 of them before the `@`. The domain is a DNS name of at least two
 * labels, in punycode where it is international. `TRIAL_EMAIL` is refused.
 */
export function parseEmailAddress(text: string): string | null {
  if (text.length > LENGTH_MAX || !DOT_ATOMS.test(text)) return null;
  if (text.indexOf("@") > LOCAL_PART_LENGTH_MAX) return null;
  const address = foldAscii(text);
  return address === TRIAL_EMAIL ? null : address;
}

/**
 * The address of the account that the trials of the first page belong to. No mail reaches it (RFC 2606, section 2), and nobody
 * can sign in with it.
 */
export const TRIAL_EMAIL = "trials@stopwatch.invalid";

/** `parseEmailAddress` of a text that a person typed: ASCII white space around it is ignored. */
export function parseTypedEmailAddress(text: string): string | null {
  return parseEmailAddress(trimAscii(text));
}

/** A schema for `parseTypedEmailAddress`, with `error` for texts that are no address. */
export function typedEmailAddress(error: string) {
  return z.string(error).transform((text, context) => {
    const address = parseTypedEmailAddress(text);
    if (address !== null) return address;
    context.addIssue(error);
    return z.NEVER;
  });
}

const LENGTH_MAX = 254;
const LOCAL_PART_LENGTH_MAX = 64;
// Never with the flags i and u together: then [a-z] matches the Kelvin sign (U+212A) and the long s (U+017F).
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const TOP_LABEL = "[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const DOT_ATOMS = new RegExp(`^${ATOM}(?:\\.${ATOM})*@(?:${LABEL}\\.)+${TOP_LABEL}$`);
