import { customFetch } from "next-auth";
import type { Provider } from "next-auth/providers";
import GitHub from "next-auth/providers/github";
import Google from "next-auth/providers/google";
import type { Config } from "#config.ts";
import type { ProviderName } from "#domain/providers.ts";
import { callbackUrl } from "./enabled-providers.ts";
import { verifyIdToken } from "./id-token.ts";
import { gitHubEmail, googleEmail, type ProviderEmail } from "./provider-email.ts";
import { PROVIDER_TIMEOUT_MS, providerFetch } from "./provider-fetch.ts";

const GOOGLE_ISSUER = "https://accounts.google.com";
const CHECKS: ("pkce" | "state")[] = ["pkce", "state"];

/** The fields of a provider's profile that are used. */
export type ProviderProfile = {
  id: string;
  email: ProviderEmail;
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
  // next-auth folds addresses as Unicode text. It gets one only where there is nothing left to fold.
  const report = (profile: ProviderProfile) => {
    onProfile(profile);
    const { id, email, name: calls, image } = profile;
    return { id, email: email?.address ?? null, name: calls, image };
  };
  if (name === "google") {
    if (!config.google) return undefined;
    const { id: clientId, secret, issuer = GOOGLE_ISSUER } = config.google;
    return Google({
      clientId,
      clientSecret: secret,
      issuer,
      ...shared,
      authorization: { params: { redirect_uri: redirectUri, scope: "openid email profile" } },
      profile: async (_, { id_token }) => report(fromClaims(await verifyIdToken(id_token, { issuer, clientId }))),
    }) as Provider;
  }
  if (!config.github) return undefined;
  const { id, secret, baseUrl } = config.github;
  const api = baseUrl ? `${baseUrl}/api/v3` : "https://api.github.com";
  return GitHub({
    clientId: id,
    clientSecret: secret,
    ...(baseUrl && { enterprise: { baseUrl } }),
    ...shared,
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
    email: googleEmail(claims),
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
      signal: AbortSignal.timeout(PROVIDER_TIMEOUT_MS),
    });
    if (!answer.ok) throw new Error(`GitHub responded ${answer.status} to ${path}`);
    return answer.json();
  };
  const [user, emails] = await Promise.all([fetchJson("/user"), fetchJson("/user/emails")]);
  if (!Number.isSafeInteger(user?.id) || !Array.isArray(emails))
    throw new Error("GitHub's response has an unexpected format");
  return {
    id: String(user.id),
    email: gitHubEmail(emails),
    name: text(user.name) ?? text(user.login),
    image: text(user.avatar_url),
  };
}

const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
