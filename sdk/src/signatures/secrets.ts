import { invalid } from "../client/invalid.ts";
import type { Bytes } from "./body.ts";

/** The keys of 1 to 8 secrets, for Standard Webhooks. Throws INVALID_ARGUMENT, never with a secret in it. */
export function decodeSecrets(secrets: readonly (string | undefined)[] | undefined): Bytes[] {
  const count = secrets?.length;
  if (!count || count > 8) throw invalid("secrets", "must be 1 to 8: [current, next]");
  return secrets.map(decodeSecret);
}

/** The bytes that a secret encodes. `whsec_` is optional, as in Standard Webhooks. */
function decodeSecret(secret: string | undefined, index: number): Bytes {
  try {
    const encoded = (secret as string).replace(/^whsec_/, "");
    if (encoded && btoa(atob(encoded)) === encoded) return decodeBase64(encoded);
  } catch {
    // Not text, or not base64.
  }
  throw invalid(`secrets[${index}]`, "must be whsec_ and base64: is its variable set?", "malformed_secret");
}

/** The bytes of base64. Throws when it is none. */
export function decodeBase64(text: string): Bytes {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}
