import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { expect, it } from "vitest";
import { createProgram } from "../../../cli/src/program.ts";

const HEADING = "## All verbs\n\n";

/** Options of every verb, which the table names once. */
const SHARED = ["--output", "--json", "--profile", "--env-file", "--help"];

it("docs/command-line.md lists every verb with its arguments and its options, as --help does", () => {
  const text = readFileSync("docs/command-line.md", "utf8");
  const shown = text.slice(text.indexOf(HEADING) + HEADING.length);
  expect(referenceOf(createProgram(async () => {}))).toBe(shown);
});

/** The reference: a table of all verbs. */
function referenceOf(program: Command): string {
  const rows = program.commands.map((command) => {
    const given = command.registeredArguments.map((argument) => {
      const word = `${argument.name()}${argument.variadic ? "…" : ""}`;
      return argument.required ? word : `[${word}]`;
    });
    const options = command
      .createHelp()
      .visibleOptions(command)
      .filter(({ long, required }) => !SHARED.includes(long ?? "") || (long === "--json" && required))
      .map(({ flags }) => `\`${flags}\``);
    const name = ["stopwatch", command.name(), ...given].join(" ");
    return `| \`${name}\` | ${command.summary()} | ${options.join(", ")} |\n`;
  });
  return `| Verb | Does | Options |\n|---|---|---|\n${rows.join("")}\n${OF_EVERY_VERB}\n`;
}

const OF_EVERY_VERB =
  "Every verb also takes `--output table` or `json`, `--profile <name>`, `--env-file <path>` and `--help`.";
