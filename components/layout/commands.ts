import { environmentQuery } from "#domain/environment.ts";
import { pastedScheduleId } from "#domain/pasted-schedule-id.ts";

/** A command of the palette: a URL to go to, an element of the page to click, or a text to copy. */
export type Command = { group: string; label: string } & ({ href: string } | { press: string } | { copy: string });

/**
 * The commands that match the typed text, what the server has found for it (undefined: not known yet), and searches for it. Every
 * word must occur in the label (case-insensitive).
 */
export function findCommands(
  commands: readonly Command[],
  typed: string,
  searchHref: string,
  found?: readonly Command[],
): readonly Command[] {
  const text = typed.trim();
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = commands.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  return text === ""
    ? matching
    : [...matching, ...(found ?? []), ...searchesFor(text, searchHref, found !== undefined)];
}

function searchesFor(text: string, searchHref: string, isFoundKnown: boolean): Command[] {
  const group = "Search";
  const env = environmentQuery(searchHref.includes("env=test") ? "test" : "live");
  const query = new URLSearchParams({ q: text, ...env });
  const id = pastedScheduleId(text);
  if (id !== null) {
    const search = new URLSearchParams(env).toString();
    return isFoundKnown ? [] : [{ group, label: `Open ${id}`, href: `/schedules/${id}${search && `?${search}`}` }];
  }
  return [
    { group, label: `Schedules with “${text}” in the URL`, href: `/schedules?${query}` },
    { group, label: `Attempts with “${text}” in the URL`, href: `/logs?${query}` },
    { group, label: `Documentation about “${text}”`, href: `/docs/search?${new URLSearchParams({ q: text })}` },
  ];
}
