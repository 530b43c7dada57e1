import { localTimeInZone } from "../output/local-time.ts";
import type { Verb } from "../verb.ts";

/** Prints whose key it is. */
export const whoami: Verb = {
  name: "whoami",
  group: "Credentials",
  summary: "Print whose key it is, in which environment, and on which plan",
  examples: ["stopwatch whoami", "stopwatch whoami --profile work --json"],
  async run({ client, settings, out, signal }) {
    const profile = await client().me({ signal });
    const { url, env, source } = settings();
    const { user, apiKey, subscription } = profile;
    out.record(profile, [
      ["account", `${user.email} (${user.id})`],
      ["environment", env],
      ["key", `${apiKey?.id ?? "unknown"}, from ${source}`],
      ["plan", subscription.plan],
      ["installation", url],
      ["member since", localTimeInZone(user.createdAt)],
    ]);
    return undefined;
  },
};
