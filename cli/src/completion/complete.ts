import type { Command } from "commander";
import { bashCompletion } from "./bash.ts";
import { fishCompletion } from "./fish.ts";
import { wordsOf } from "./words.ts";
import { zshCompletion } from "./zsh.ts";

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/** The script that completes the verbs and options of `program` in a shell. */
export function complete(shell: keyof typeof SHELLS, program: Command): string {
  return SHELLS[shell](wordsOf(program));
}
