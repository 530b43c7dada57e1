import { customFetch } from "next-auth";
import type { Provider } from "next-auth/providers";
import GitHub from "next-auth/providers/github";
import Google from "next-auth/providers/google";
import type { Config } from "#config.ts";
import { callbackUrl, type ProviderName } from "./enabled-providers.ts";

const DEADLINE_MS = 8_000;
const CHECKS: ("pkce" | "state")[] = ["pkce", "state"];

/** What a provider says of a person, as far as it matters here. */
export type ProviderProfile = {
  id: string;
  email: string | null;
  isVerified: boolean;
  name: string | null;
  image: string | null;
};

/** The provider as next-auth takes it; undefined when it is not configured. `onProfile` is told whom it vouches for. */
export function oauthProvider(
  config: Config,
  name: ProviderName,
  onProfile: (profile: ProviderProfile) => void,
): Provider | undefined {
  const redirectUri = callbackUrl(config, name);
  const shared = { checks: CHECKS, [customFetch]: fetchFor(redirectUri) };
  const heard = (profile: ProviderProfile) => {
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
      profile: (claims) => heard(ofClaims(claims as unknown as Record<string, unknown>)),
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
      request: ({ tokens }: { tokens: { access_token?: string } }) => askGitHub(api, tokens.access_token ?? ""),
    },
    profile: (answer) => heard(answer as unknown as ProviderProfile),
  }) as Provider;
}

function ofClaims(claims: Record<string, unknown>): ProviderProfile {
  return {
    id: String(claims.sub),
    email: text(claims.email),
    isVerified: claims.email_verified === true,
    name: text(claims.name),
    image: text(claims.picture),
  };
}

/** The person behind a token of GitHub, with the primary address, which /user may not show and does not call verified. */
async function askGitHub(api: string, token: string): Promise<ProviderProfile> {
  const ask = async (path: string) => {
    const answer = await fetch(`${api}${path}`, {
      headers: { Authorization: `Bearer ${token}`, Accept: "application/vnd.github+json", "User-Agent": "stopwatch" },
      redirect: "error",
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    if (!answer.ok) throw new Error(`GitHub answered ${answer.status} to ${path}`);
    return answer.json();
  };
  const [user, emails] = await Promise.all([ask("/user"), ask("/user/emails")]);
  if (!Number.isSafeInteger(user?.id) || !Array.isArray(emails)) throw new Error("GitHub answered in another form");
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
 * Calls to a provider, with a deadline that next-auth does not have. It says that a code was sent to an address of its own
 * making; the one that is registered, and that the first step named, is ours. What a provider says of itself is asked for
 * once in ten minutes: whoever starts sign-ins has us call nobody.
 */
function fetchFor(redirectUri: string): typeof fetch {
  return async (input, init) => {
    if (init?.body instanceof URLSearchParams && init.body.has("redirect_uri"))
      init.body.set("redirect_uri", redirectUri);
    const ask = () => fetch(input, { ...init, signal: AbortSignal.timeout(DEADLINE_MS) });
    const url = String(input);
    if (!url.endsWith("/.well-known/openid-configuration")) return ask();
    const known = descriptions.get(url);
    if (known && known.untilMs > Date.now()) return Response.json(known.value);
    const answer = await ask();
    if (!answer.ok) return answer;
    const value: unknown = await answer.json();
    descriptions.set(url, { value, untilMs: Date.now() + DESCRIPTION_KEPT_MS });
    return Response.json(value);
  };
}

const DESCRIPTION_KEPT_MS = 600_000;
const descriptions = new Map<string, { value: unknown; untilMs: number }>();
