import { expect, it } from "vitest";
import { releaseChangelog } from "#scripts/release/changelog.ts";

const AT = new Date("2027-01-31T23:30:00Z");
const HEAD = "# Changelog\n\nThe form.\n\n";

it("what is unreleased gets the version and the date in UTC, above earlier versions", () => {
  const text = `${HEAD}## [Unreleased]\n\n### Added\n\n- One.\n\n## [0.1.0] - 2026-12-01\n\n- Zero.\n`;
  expect(releaseChangelog(text, "0.2.0", AT)).toEqual({
    text: `${HEAD}## [Unreleased]\n\n## [0.2.0] - 2027-01-31\n\n### Added\n\n- One.\n\n## [0.1.0] - 2026-12-01\n\n- Zero.\n`,
    notes: "### Added\n\n- One.",
  });
});

it("the first version ends the file", () => {
  expect(releaseChangelog(`${HEAD}## [Unreleased]\n\n- One.\n`, "0.1.0", AT).text).toBe(
    `${HEAD}## [Unreleased]\n\n## [0.1.0] - 2027-01-31\n\n- One.\n`,
  );
});

it.each([
  ["nothing unreleased", "## [Unreleased]\n\n## [0.1.0] - 2026-12-01\n\n- Zero.\n", "nothing under Unreleased"],
  ["headings alone", "## [Unreleased]\n\n### Added\n", "nothing under Unreleased"],
  ["no such section", "## [0.1.0] - 2026-12-01\n", 'no section "## [Unreleased]"'],
  ["the version already", "## [Unreleased]\n\n- One.\n\n## [0.2.0] - 2026-12-01\n", "has a section for 0.2.0 already"],
])("a changelog with %s is refused", (_, text, message) => {
  expect(() => releaseChangelog(HEAD + text, "0.2.0", AT)).toThrow(message);
});
