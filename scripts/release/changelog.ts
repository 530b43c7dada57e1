import { SetupError } from "../setup-error.ts";

/**
 * Moves what is under "Unreleased" in a changelog (the form of keepachangelog.com 1.1.0) to `version` with its date in UTC.
 * Returns the new text, and the section's content alone. Throws SetupError when there is nothing to release or the version has
 * a section already.
 */
export function releaseChangelog(text: string, version: string, at: Date): { text: string; notes: string } {
  const heading = text.match(/^## \[Unreleased\][^\S\n]*\n/m);
  if (heading?.index === undefined) throw new SetupError('CHANGELOG.md has no section "## [Unreleased]".');
  if (text.includes(`\n## [${version}]`)) throw new SetupError(`CHANGELOG.md has a section for ${version} already.`);
  const start = heading.index + heading[0].length;
  const length = text.slice(start).search(/^## /m);
  const end = length === -1 ? text.length : start + length;
  const notes = text.slice(start, end).trim();
  if (notes.replaceAll(/^#.*$/gm, "").trim() === "") throw new SetupError("CHANGELOG.md has nothing under Unreleased.");
  const section = `## [${version}] - ${at.toISOString().slice(0, 10)}\n\n${notes}\n`;
  const rest = text.slice(end);
  return { text: `${text.slice(0, start)}\n${section}${rest === "" ? "" : `\n${rest}`}`, notes };
}
