import { Argument } from "commander";
import type { Verb } from "../verb.ts";

/** Prints a script that completes verbs and options in a shell. */
export const completion: Verb = {
  name: "completion",
  group: "Tools",
  summary: "Print a script that completes verbs and options in your shell",
  examples: [
    "source <(stopwatch completion bash)",
    "stopwatch completion fish > ~/.config/fish/completions/stopwatch.fish",
  ],
  define(command) {
    command.addArgument(new Argument("<SHELL>", "your shell").choices(["bash", "zsh", "fish"]));
  },
  async run({ out, program }, _, [shell]) {
    const { complete } = await import("../completion/complete.ts");
    out.raw(complete(shell as "bash" | "zsh" | "fish", program));
    return undefined;
  },
};
