/** The identity providers that a person can sign in with. */
export const PROVIDERS = ["google", "github"] as const;

export type ProviderName = (typeof PROVIDERS)[number];

/** What each provider calls itself. */
export const PROVIDER_NAMES: Record<ProviderName, string> = { google: "Google", github: "GitHub" };
