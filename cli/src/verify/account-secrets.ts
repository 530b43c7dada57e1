import { Stopwatch } from "../../../sdk/src/index.ts";
import type { Settings } from "../settings/find-settings.ts";
import type { KnownSecret } from "./known-secrets.ts";

/** The secrets that a key shows: the current and the next one of its environment. Throws the client's StopwatchError. */
export async function fetchSecrets({ key, url, env }: Settings, signal: AbortSignal): Promise<KnownSecret[]> {
  const secrets = await new Stopwatch(key, { baseUrl: url }).signingSecrets.get({ signal });
  return (["current", "next"] as const).map((role) => ({
    ...{ name: `the ${role} secret of ${env}`, value: secrets[role], env, role, isReceivers: false },
  }));
}
