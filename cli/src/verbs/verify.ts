import type { Verb } from "../verb.ts";
import type { VerifyOptions } from "../verify/run-verify.ts";

const EXAMPLE = "stopwatch verify headers.txt --body body.json";

/** Says what is wrong with the signature of a captured request. */
export const verify: Verb<VerifyOptions> = {
  name: "verify",
  group: "Receivers",
  summary: "Say what is wrong with the signature of a captured request",
  examples: [EXAMPLE, "stopwatch verify request.http", "stopwatch verify - --body body.json < headers.json"],
  define(command) {
    command
      .argument(
        "<CAPTURE>",
        "a raw request, its headers (lines, JSON, as your language prints them), or curl -v; - is stdin",
      )
      .option("--body <file>", "The raw body, where the capture has none; - is stdin")
      .option("--received-at <time>", "When it arrived, by the receiver's clock (default: now)")
      .option("--computed <mac>", "What your own code computed in place of the signature: says what it does wrong")
      .option("--also <profile>", "Try the secrets of this profile's key too, such as the other environment's")
      .option("--offline", "Try the secrets of this folder alone, and do not ask the installation")
      .addHelpText(
        "after",
        "\nThe receiver's secrets are the variables STOPWATCH_SECRET, STOPWATCH_SECRET_NEXT and any with a whsec_ value, of\n--env-file, else of .env in this folder and of the environment. With a key, the account's secrets are tried too.",
      );
  },
  async run(context, options, [path = ""]) {
    // Loaded here, since no other verb needs it.
    const { runVerify } = await import("../verify/run-verify.ts");
    return runVerify(context, path, options);
  },
};
