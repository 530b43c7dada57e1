import { addFilterOptions, type FilterOptions } from "../input/filter-options.ts";
import { type AllOption, addAllOption, addIdArgument, readIdsOrFilter } from "../input/ids-or-filter.ts";
import { forEachId } from "../operations/for-each-id.ts";
import { scheduleColumns } from "../output/schedule-columns.ts";
import type { Verb } from "../verb.ts";

const EXAMPLE = "stopwatch cancel sch_01kxyz5n3h8q2v7c4m9t6w0b1d";

/** Cancels schedules: some by id, or all that match. */
export const cancel: Verb<FilterOptions & AllOption & { yes?: true }> = {
  name: "cancel",
  group: "Schedules",
  summary: "Cancel schedules: some by id, or all that match",
  examples: [EXAMPLE, "stopwatch cancel --q old.example.com"],
  define(command) {
    addIdArgument(command);
    addFilterOptions(command);
    addAllOption(command, "All that are scheduled or failed, in place of a filter");
    command.option("--yes", "Do not ask before cancelling all that match");
  },
  async run(context, options, args) {
    const { ids, filter } = await readIdsOrFilter(args, options, EXAMPLE);
    if (filter) {
      const { runOperation } = await import("../operations/run-operation.ts");
      return runOperation(context, "cancel", { status: ["scheduled", "failed"], ...filter }, options.yes);
    }
    const { schedules } = context.client();
    const table = context.out.table(scheduleColumns());
    const act = (id: string) => schedules.cancel(id, { signal: context.signal });
    return forEachId(context, ids, act, (cancelled) => table.add([cancelled]));
  },
};
