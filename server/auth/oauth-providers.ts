import { customFetch } from "next-auth";
import type { Provider } from "next-auth/providers";
import GitHub from "next-auth/providers/github";
import Google from "next-auth/providers/google";
import type { Config } from "#config.ts";
import { callbackUrl, type ProviderName } from "./enabled-providers.ts";

const REQUEST_TIMEOUT_MS = 8_000;
const CHECKS: ("pkce" | "state")[] = ["pkce", "state"];

/** The fields of a provider's profile that are used. */
export type ProviderProfile = {
  id: string;
  email: string | null;
  isVerified: boolean;
  name: string | null;
  image: string | null;
};

/** The next-auth configuration of a provider; undefined when it is not configured. `onProfile` receives the profile. */
export function oauthProvider(
  config: Config,
  name: ProviderName,
  onProfile: (profile: ProviderProfile) => void,
): Provider | undefined {
  const redirectUri = callbackUrl(config, name);
  const shared = { checks: CHECKS, [customFetch]: providerFetch(redirectUri) };
  const report = (profile: ProviderProfile) => {
    onProfile(profile);
    const { id, email, name: calls, image } = profile;
    return { id, email, name: calls, image };
  };
  if (name === "google") {
    if (!config.google) return undefined;
    const { id, secret, issuer } = config.google;
    return Google({
      ...{ clientId: id, clientSecret: secret, ...(issuer && { issuer }) },
      ...shared,
      allowDangerousEmailAccountLinking: true,
      authorization: { params: { redirect_uri: redirectUri, scope: "openid email profile" } },
      profile: (claims) => report(fromClaims(claims as unknown as Record<string, unknown>)),
    }) as Provider;
  }
  if (!config.github) return undefined;
  const { id, secret, baseUrl } = config.github;
  const api = baseUrl ? `${baseUrl}/api/v3` : "https://api.github.com";
  return GitHub({
    ...{ clientId: id, clientSecret: secret, ...(baseUrl && { enterprise: { baseUrl } }) },
    ...shared,
    allowDangerousEmailAccountLinking: true,
    authorization: {
      url: `${baseUrl ?? "https://github.com"}/login/oauth/authorize`,
      params: { redirect_uri: redirectUri, scope: "read:user user:email" },
    },
    userinfo: {
      url: `${api}/user`,
      request: ({ tokens }: { tokens: { access_token?: string } }) =>
        fetchGitHubProfile(api, tokens.access_token ?? ""),
    },
    profile: (answer) => report(answer as unknown as ProviderProfile),
  }) as Provider;
}

function fromClaims(claims: Record<string, unknown>): ProviderProfile {
  return {
    id: String(claims.sub),
    email: text(claims.email),
    isVerified: claims.email_verified === true,
    name: text(claims.name),
    image: text(claims.picture),
  };
}

/** The GitHub profile of a token, with the primary e-mail address: /user may omit it and does not say if it is verified. */
async function fetchGitHubProfile(api: string, token: string): Promise<ProviderProfile> {
  const fetchJson = async (path: string) => {
    const answer = await fetch(`${api}${path}`, {
      headers: { Authorization: `Bearer ${token}`, Accept: "application/vnd.github+json", "User-Agent": "stopwatch" },
      redirect: "error",
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    if (!answer.ok) throw new Error(`GitHub responded ${answer.status} to ${path}`);
    return answer.json();
  };
  const [user, emails] = await Promise.all([fetchJson("/user"), fetchJson("/user/emails")]);
  if (!Number.isSafeInteger(user?.id) || !Array.isArray(emails))
    throw new Error("GitHub's response has an unexpected format");
  const primary = emails.find((one) => one?.primary === true);
  return {
    id: String(user.id),
    email: text(primary?.email),
    isVerified: primary?.verified === true,
    name: text(user.name) ?? text(user.login),
    image: text(user.avatar_url),
  };
}

const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/**
 * `fetch` for requests to a provider, with a timeout, which next-auth lacks. Replaces the `redirect_uri` that next-auth
 * derives from its base path by the registered one, which the authorization request used. Caches the discovery document
 * for ten minutes, so that starting sign-ins does not cause a request each time.
 */
function providerFetch(redirectUri: string): typeof fetch {
  return async (input, init) => {
    if (init?.body instanceof URLSearchParams && init.body.has("redirect_uri"))
      init.body.set("redirect_uri", redirectUri);
    const fetchJson = () => fetch(input, { ...init, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
    const url = String(input);
    if (!url.endsWith("/.well-known/openid-configuration")) return fetchJson();
    const cached = discoveryDocuments.get(url);
    if (cached && cached.expiresAtMs > Date.now()) return Response.json(cached.value);
    const answer = await fetchJson();
    if (!answer.ok) return answer;
    const value: unknown = await answer.json();
    discoveryDocuments.set(url, { value, expiresAtMs: Date.now() + DISCOVERY_MAX_AGE_MS });
    return Response.json(value);
  };
}

const DISCOVERY_MAX_AGE_MS = 600_000;
const discoveryDocuments = new Map<string, { value: unknown; expiresAtMs: number }>();
