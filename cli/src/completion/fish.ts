import type { OptionWords, VerbWords } from "./words.ts";

/** The completion of fish, for ~/.config/fish/completions/stopwatch.fish. */
export function fishCompletion(verbs: readonly VerbWords[]): string {
  const lines = verbs.flatMap(({ name, summary, values, options }) => {
    const seen = `complete -c stopwatch -n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c stopwatch -f -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
      ...(values.length > 0 ? [`${seen} -f -a '${values.join(" ")}'`] : []),
      ...options.map((option) => `${seen} ${switchesOf(option)}`),
    ];
  });
  return `# stopwatch completion fish > ~/.config/fish/completions/stopwatch.fish\n${lines.join("\n")}\n`;
}

function switchesOf({ names, description, takesValue, values }: OptionWords): string {
  const switches = names.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const value = !takesValue ? "-f" : values.length > 0 ? `-x -a '${values.join(" ")}'` : "-r -F";
  return [...switches, value, `-d ${quoted(description)}`].join(" ");
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, "\\$&")}'`;
}
