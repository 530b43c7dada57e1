import type { ExportOptions } from "../export/run-export.ts";
import { addFilterOptions } from "../input/filter-options.ts";
import { addAllOption } from "../input/ids-or-filter.ts";
import type { Verb } from "../verb.ts";

/** Writes schedules as JSON lines, and cancels them where that is asked for. */
export const exportSchedules: Verb<ExportOptions> = {
  name: "export",
  group: "Schedules",
  summary: "Write schedules as JSON lines, without their payloads, which are never returned",
  examples: [
    "stopwatch export --status scheduled > schedules.jsonl",
    "stopwatch export --cancel --all > schedules.jsonl",
  ],
  define(command) {
    command
      .option("--cancel", "Cancel what was exported, once it is in the file; scheduled ones unless --status says")
      .option("--yes", "Do not ask before cancelling");
    addFilterOptions(command);
    addAllOption(command, "All of them, in place of a filter; --cancel needs one or the other");
  },
  async run(context, options) {
    // Loaded here, since no other verb needs it.
    const { runExport } = await import("../export/run-export.ts");
    return runExport(context, options);
  },
};
