import { type Command, Option } from "commander";
import type { ImportOptions } from "../import/run-import.ts";
import type { Verb } from "../verb.ts";

const EXAMPLE = "stopwatch import reminders.csv --map url=targetUrl";

/** Creates the schedules of a file, each once, also when it is run again after a cut. */
export const importFile: Verb<ImportOptions> = {
  name: "import",
  group: "Schedules",
  summary: "Create the schedules of a CSV or JSON lines file, each once",
  examples: [EXAMPLE, "stopwatch import export.jsonl", "cat rows.jsonl | stopwatch import -"],
  define(command: Command) {
    command
      .argument("<FILE>", "CSV with the API's names in its first line, or JSON lines; - reads stdin")
      .addOption(
        new Option("--format <format>", "What the file is, if its name does not say").choices(["csv", "jsonl"]),
      )
      .option("--map <name=field>", "What a column is: a field, headers.<name>, or nothing to leave it out", collect)
      .option("--result <path>", "Where the result of each row is written (default: FILE.result.jsonl)")
      .option("--without-payloads", "Create exported schedules that had a payload without one");
  },
  async run(context, options, [path = "-"]) {
    // Loaded here, since no other verb needs it.
    const { runImport } = await import("../import/run-import.ts");
    return runImport(context, path, options);
  },
};

const collect = (given: string, before: string[] = []) => [...before, given];
