/** The environments of an account. Each has its own API keys, schedules, quota and rate. */
export const ENVIRONMENTS = ["live", "test"] as const;

export type Environment = (typeof ENVIRONMENTS)[number];

/** The environment of calls and pages that name none and have no API key. */
export const DEFAULT_ENVIRONMENT: Environment = "live";

/** True when `text` names an environment. */
export function isEnvironment(text: unknown): text is Environment {
  return (ENVIRONMENTS as readonly unknown[]).includes(text);
}

/** The environment that a parameter or field names; the default one when it names none. */
export function environmentOf(value: unknown): Environment {
  return isEnvironment(value) ? value : DEFAULT_ENVIRONMENT;
}

/** The URL parameters that name an environment: none for the default one. */
export function environmentQuery(env: Environment): { env?: Environment } {
  return env === DEFAULT_ENVIRONMENT ? {} : { env };
}
