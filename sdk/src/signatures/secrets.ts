import { invalid } from "../client/invalid.ts";
import { readEnvironment } from "../development.ts";
import type { Bytes } from "./body.ts";

type Secrets = readonly (string | undefined)[];

/** The secrets to try: those that were given, and in development that of the fake. */
export async function findSecrets(given: Secrets): Promise<Secrets> {
  return readEnvironment("STOPWATCH_DEV") ? (await import("../on-demand.ts")).secretsIn(given, invalid) : given;
}

/** The keys of 1 to 8 secrets, for Standard Webhooks. Throws INVALID_ARGUMENT, never with a secret in it. */
export function decodeSecrets(secrets: Secrets | undefined): Bytes[] {
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
  throw invalid(`secrets[${index}]`, "must be whsec_ and base64: is the variable set?", "malformed_secret");
}

/** The bytes of base64. Throws when it is none. */
export function decodeBase64(text: string): Bytes {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}
