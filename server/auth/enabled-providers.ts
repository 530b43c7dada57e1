import type { Config } from "#config.ts";

export const PROVIDERS = ["google", "github"] as const;

export type ProviderName = (typeof PROVIDERS)[number];

/** The providers that people may sign in with: those that have an id and a secret. */
export function offeredProviders(config: Pick<Config, ProviderName>): ProviderName[] {
  return PROVIDERS.filter((name) => config[name] !== undefined);
}

/** The address that is registered with a provider. */
export function callbackUrl({ baseUrl }: Pick<Config, "baseUrl">, name: ProviderName): string {
  return `${baseUrl}/v1/auth/oauth/${name}/callback`;
}
