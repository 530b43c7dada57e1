import { Option } from "commander";
import type { ScheduleFilter } from "../../../sdk/src/types.ts";
import { addFilterOptions, type FilterOptions } from "../input/filter-options.ts";
import { addLimitOptions, type LimitOptions, parseLimit } from "../input/limit.ts";
import { printPages } from "../output/print-pages.ts";
import { scheduleColumns } from "../output/schedule-columns.ts";
import type { Verb } from "../verb.ts";

/** Prints the schedules of the key's environment. */
export const list: Verb<FilterOptions & LimitOptions & { sort?: ScheduleFilter["sort"] }> = {
  name: "list",
  group: "Schedules",
  summary: "Print schedules, those that were created last first",
  examples: [
    "stopwatch list --status scheduled,failed --q example.com",
    "stopwatch list --status dead --since 1d --all --json | stopwatch replay -",
  ],
  define(command) {
    addFilterOptions(command);
    const sort = new Option("--sort <order>", "The order; a minus begins with the last, late with the latest");
    command.addOption(sort.choices(["-created_at", "fire_at", "-fire_at", "late"]));
    addLimitOptions(command);
  },
  async run({ client, out, say, signal }, options) {
    const { parseFilter } = await import("../input/schedule-filter.ts");
    const rows = parseLimit(options);
    const filter = { ...parseFilter(options, Date.now()), sort: options.sort };
    const pager = client().schedules.list({ ...filter, limit: Math.min(rows, 100) }, { signal });
    await printPages(pager, rows, out.table(scheduleColumns()), say);
    return undefined;
  },
};
