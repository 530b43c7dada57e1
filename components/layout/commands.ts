/** A command of the palette: a URL to go to, or an element of the page to click. */
export type Command = { group: string; label: string } & ({ href: string } | { press: string });

/** The commands that match the typed text, and searches for it. Every word must occur in the label (case-insensitive). */
export function findCommands(commands: readonly Command[], typed: string, searchHref: string): readonly Command[] {
  const text = typed.trim();
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = commands.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  return text === "" ? matching : [...matching, ...searchesFor(text, searchHref)];
}

function searchesFor(text: string, searchHref: string): Command[] {
  const group = "Search";
  const isTest = searchHref.includes("env=test");
  const query = new URLSearchParams({ q: text, ...(isTest && { env: "test" }) });
  if (/^sch_\w+$/.test(text)) {
    return [{ group, label: `Open ${text}`, href: `/schedules/${text}${isTest ? "?env=test" : ""}` }];
  }
  return [
    { group, label: `Schedules with “${text}” in the URL`, href: `/schedules?${query}` },
    { group, label: `Attempts with “${text}” in the URL`, href: `/logs?${query}` },
  ];
}
