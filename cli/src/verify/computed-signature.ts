import type { GivenSignature, Scheme } from "./given-signatures.ts";
import type { Problem } from "./problem.ts";

/**
 * The signatures of a request with a MAC that the receiver's code computed in place of their own, so that it can be
 * explained. Adds to `problems` when it is written in no way in which a MAC can be.
 */
export function readComputed(text: string, given: readonly GivenSignature[], problems: Problem[]): GivenSignature[] {
  const bare = bareMac(text);
  const mac = HEX.test(bare) ? Buffer.from(bare, "hex") : Buffer.from(bare, "base64url");
  if (mac.length === MAC_LENGTH) return given.map((signature) => ({ ...signature, macs: [mac] }));
  problems.push({
    code: "wrong_encoding",
    message: "What your code computed is no SHA-256 HMAC in base64 (44 characters) or hexadecimal (64 digits).",
    fix: "Compute HMAC-SHA256; write it in base64 for webhook-signature, in hexadecimal for X-Service-Signature.",
  });
  return [];
}

const MAC_LENGTH = 32;
const HEX = /^[\da-f]{64}$/i;
const bareMac = (text: string) => text.trim().replace(/^v1[,=]/, "");

/** Whether a MAC that is right is written in the other scheme's way. */
export function encodingProblem(computed: string, scheme: Scheme): Problem[] {
  const isHex = HEX.test(bareMac(computed));
  if (isHex === (scheme === "X-Service-Signature")) return [];
  const [is, wanted] = isHex ? ["hexadecimal", "base64"] : ["base64", "hexadecimal"];
  return [
    {
      code: "wrong_encoding",
      message: `What your code computed is in ${is}, where ${scheme} has ${wanted}.`,
      fix: `Write the HMAC in ${wanted}.`,
    },
  ];
}
