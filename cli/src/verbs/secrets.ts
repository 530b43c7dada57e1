import { localTimeInZone } from "../output/local-time.ts";
import { endOf } from "../output/secret-end.ts";
import type { Verb } from "../verb.ts";

/** Prints the signing secrets. */
export const secrets: Verb<{ env?: true; show?: true }> = {
  name: "secrets",
  group: "Receivers",
  summary: "Print the signing secrets of the key's environment: their ends, or with --env lines for a .env file",
  examples: ["stopwatch secrets", "stopwatch secrets --env >> .env"],
  define(command) {
    command
      .option("--env", "Lines for a .env file: STOPWATCH_SECRET and STOPWATCH_SECRET_NEXT")
      .option("--show", "Print the secrets whole");
  },
  async run({ client, out, settings, signal }, options) {
    const { current, next, rotated_at } = await client().signingSecrets.get({ signal });
    const { env } = settings();
    if (options.env) {
      const variables = { STOPWATCH_SECRET: current, STOPWATCH_SECRET_NEXT: next };
      if (out.isJson) out.record(variables, []);
      else
        out.raw(
          Object.entries(variables)
            .map(([name, value]) => `${name}=${value}\n`)
            .join(""),
        );
      return undefined;
    }
    const shown = options.show ? { current, next } : { current: endOf(current), next: endOf(next) };
    out.record({ env, ...shown, rotated_at }, [
      ["environment", env],
      ["current", `${shown.current} (signs every request)`],
      ["next", `${shown.next} (signs after the next rotation; receivers accept both)`],
      ["rotated at", rotated_at === null ? "never" : localTimeInZone(rotated_at)],
    ]);
    return undefined;
  },
};
