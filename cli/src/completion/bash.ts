import type { OptionWords, VerbWords } from "./words.ts";

/** The completion of bash, from version 3.2 on. */
export function bashCompletion(verbs: readonly VerbWords[]): string {
  const verbCases = verbs.map(
    ({ name, values, options }) =>
      `    ${name}) words="${[...values, ...options.flatMap(({ names }) => names)].join(" ")}" ;;`,
  );
  const valueCases = verbs.flatMap(({ name, options }) =>
    options.filter(({ takesValue }) => takesValue).map((option) => valueCase(name, option)),
  );
  return `# For ~/.bashrc: source <(stopwatch completion bash)
_stopwatch() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} verb="" words="" at
  for ((at = 1; at < COMP_CWORD; at++)); do
    case \${COMP_WORDS[at]} in -*) ;; *) verb=\${COMP_WORDS[at]}; break ;; esac
  done
  COMPREPLY=()
  case "$verb $before" in
${valueCases.join("\n")}
  esac
  case $verb in
    "") words="${verbs.map(({ name }) => name).join(" ")} --help --version" ;;
${verbCases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _stopwatch stopwatch
`;
}

/** After an option with a value come its values. Without any, bash completes files. */
function valueCase(verb: string, { names, values }: OptionWords): string {
  const reply = values.length > 0 ? `COMPREPLY=($(compgen -W "${values.join(" ")}" -- "$current")); return` : "return";
  return `    ${names.map((name) => `"${verb} ${name}"`).join(" | ")}) ${reply} ;;`;
}
