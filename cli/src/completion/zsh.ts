import type { OptionWords, VerbWords } from "./words.ts";

/** The completion of zsh, to be sourced, or as a file `_stopwatch` of `fpath`. */
export function zshCompletion(verbs: readonly VerbWords[]): string {
  const described = verbs.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`);
  const cases = verbs.map(({ name, values, options }) => {
    const first = values.length > 0 ? quoted(`1:value:(${values.join(" ")})`) : quoted("*:: :_files");
    return `    ${name}) _arguments -s ${[...options.flatMap(specsOf), first].join(" ")} ;;`;
  });
  return `#compdef stopwatch
# For ~/.zshrc, after compinit: source <(stopwatch completion zsh)
_stopwatch() {
  local -a verbs
  verbs=(
${described.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe -t verbs verb verbs
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
${cases.join("\n")}
  esac
}
if [ "$funcstack[1]" = "_stopwatch" ]; then _stopwatch "$@"; else compdef _stopwatch stopwatch; fi
`;
}

function specsOf({ names, description, takesValue, values }: OptionWords): string[] {
  const text = description.replaceAll(/[[\]\\]/g, "\\$&").replaceAll(":", "\\:");
  const value = !takesValue ? "" : values.length > 0 ? `:value:(${values.join(" ")})` : ":value:_files";
  return names.map((name) => quoted(`*${name}[${text}]${value}`));
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
