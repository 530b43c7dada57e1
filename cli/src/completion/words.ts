import type { Command } from "commander";

/** An option as completion knows it. `values` are the ones to choose from; none mean a file or any text. */
export type OptionWords = {
  names: string[];
  description: string;
  takesValue: boolean;
  values: readonly string[];
};

/** A verb as completion knows it. `values` are those of its first argument. */
export type VerbWords = { name: string; summary: string; values: readonly string[]; options: OptionWords[] };

/** What can be typed, from the commands themselves. */
export function wordsOf(program: Command): VerbWords[] {
  return program.commands.map((command) => ({
    name: command.name(),
    summary: command.summary(),
    values: command.registeredArguments[0]?.argChoices ?? [],
    options: command
      .createHelp()
      .visibleOptions(command)
      .map((option) => ({
        names: [option.short, option.long].filter((name) => name !== undefined && name !== null) as string[],
        description: option.description,
        takesValue: option.required || option.optional,
        values: option.argChoices ?? [],
      })),
  }));
}
