import { isConfidentialUrl } from "#domain/confidential-url.ts";

export const PROVIDER_TIMEOUT_MS = 8_000;

/** The fields that are read of a provider's discovery document. Source: OpenID Connect Discovery 1.0, section 3. */
export type DiscoveryDocument = { issuer: string; jwks_uri: string };

/**
 * `fetch` for requests to a provider, with a timeout, which next-auth lacks. Replaces the `redirect_uri` that next-auth
 * derives from its base path by the registered one, which the authorization request used. Discovery documents come from
 * `readDiscoveryDocument`.
 */
export function providerFetch(redirectUri: string): typeof fetch {
  return async (input, init) => {
    if (init?.body instanceof URLSearchParams && init.body.has("redirect_uri"))
      init.body.set("redirect_uri", redirectUri);
    const url = String(input);
    if (url.endsWith(DISCOVERY_PATH)) return Response.json(await readCached(url));
    return fetch(input, { ...init, signal: AbortSignal.timeout(PROVIDER_TIMEOUT_MS) });
  };
}

/**
 * The discovery document of an OpenID Connect provider, at most ten minutes old, so that signing in does not cause a
 * request for it each time. Throws when the provider does not answer with one, and when an address in it is neither https
 * nor of this machine: codes, tokens and keys would cross the network in the clear.
 */
export async function readDiscoveryDocument(issuer: string): Promise<DiscoveryDocument> {
  return (await readCached(`${new URL(issuer).href.replace(/\/+$/, "")}${DISCOVERY_PATH}`)) as DiscoveryDocument;
}

const DISCOVERY_PATH = "/.well-known/openid-configuration";
const DISCOVERY_MAX_AGE_MS = 600_000;
const ADDRESSES = ["authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"];
const discoveryDocuments = new Map<string, { value: object; expiresAtMs: number }>();

async function readCached(url: string): Promise<object> {
  const cached = discoveryDocuments.get(url);
  if (cached && cached.expiresAtMs > Date.now()) return cached.value;
  const answer = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(PROVIDER_TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`the provider responded ${answer.status} to the request for its discovery document`);
  const value = (await answer.json()) as Record<string, unknown>;
  for (const name of ADDRESSES) {
    const address = value[name];
    if (typeof address !== "string" || !isConfidentialUrl(address))
      throw new Error(`the provider's discovery document has no https address as ${name}`);
  }
  discoveryDocuments.set(url, { value, expiresAtMs: Date.now() + DISCOVERY_MAX_AGE_MS });
  return value;
}
