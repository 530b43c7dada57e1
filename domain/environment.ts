/** The environments of an account. Each has its own API keys, schedules, quota and rate. */
export const ENVIRONMENTS = ["live", "test"] as const;

export type Environment = (typeof ENVIRONMENTS)[number];

/** True when `text` names an environment. */
export function isEnvironment(text: string | undefined): text is Environment {
  return (ENVIRONMENTS as readonly (string | undefined)[]).includes(text);
}
