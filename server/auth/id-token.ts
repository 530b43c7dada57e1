import { createRemoteJWKSet, type JWTPayload, jwtVerify } from "jose";
import { PROVIDER_TIMEOUT_MS, readDiscoveryDocument } from "./provider-fetch.ts";

/**
 * The claims of an ID token, once its signature is verified by a key that the issuer publishes, and issuer, audience and
 * expiry with it. next-auth reads the claims without that: OpenID Connect Core 1.0 (3.1.3.7) lets a client rely on the TLS
 * of the token endpoint, which a proxy in between may end. Throws when the token is not valid, or the keys cannot be read.
 */
export async function verifyIdToken(
  idToken: unknown,
  { issuer, clientId }: { issuer: string; clientId: string },
): Promise<JWTPayload> {
  if (typeof idToken !== "string") throw new Error("the provider sent no ID token");
  const document = await readDiscoveryDocument(issuer);
  const { payload } = await jwtVerify(idToken, keysAt(document.jwks_uri), {
    issuer: document.issuer,
    audience: clientId,
    algorithms: ALGORITHMS,
    requiredClaims: ["sub", "iat", "exp"],
    clockTolerance: CLOCK_TOLERANCE_S,
  });
  return payload;
}

/** Signatures by a key pair. A secret that both sides know would make every holder of the client secret an issuer. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
const CLOCK_TOLERANCE_S = 30;

type Keys = ReturnType<typeof createRemoteJWKSet>;

const keySets = new Map<string, Keys>();

/** The keys of an issuer; jose keeps them for ten minutes, and reads them again for a key that it does not know. */
function keysAt(address: string): Keys {
  const keys = keySets.get(address) ?? createRemoteJWKSet(new URL(address), { timeoutDuration: PROVIDER_TIMEOUT_MS });
  keySets.set(address, keys);
  return keys;
}
