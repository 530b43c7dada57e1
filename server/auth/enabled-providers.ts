import type { Config } from "#config.ts";
import { PROVIDERS, type ProviderName } from "#domain/providers.ts";

/** The OAuth providers that are configured with id and secret. */
export function enabledProviders(config: Pick<Config, ProviderName>): ProviderName[] {
  return PROVIDERS.filter((name) => config[name] !== undefined);
}

/** The callback URL to register with a provider. */
export function callbackUrl({ baseUrl }: Pick<Config, "baseUrl">, name: ProviderName): string {
  return `${baseUrl}/v1/auth/oauth/${name}/callback`;
}
