import { UsageError } from "../errors/usage-error.ts";
import { addFilterOptions, type FilterOptions } from "../input/filter-options.ts";
import { type AllOption, addAllOption, addIdArgument, readIdsOrFilter } from "../input/ids-or-filter.ts";
import { parseKeyForOnce } from "../input/key-for-once.ts";
import { addTimeOptions, type TimeOptions } from "../input/time-options.ts";
import { createEach } from "../operations/create-each.ts";
import type { Verb } from "../verb.ts";

const EXAMPLE = "stopwatch replay sch_01kxyz5n3h8q2v7c4m9t6w0b1d";

type Options = FilterOptions & AllOption & TimeOptions & { yes?: true; keyForOnce?: string };

/** Sends requests again, as new schedules. */
export const replay: Verb<Options> = {
  name: "replay",
  group: "Schedules",
  summary: "Send requests again, as new schedules: some by id, or all that match (dead ones unless --status says more)",
  examples: [EXAMPLE, "stopwatch replay --status dead --since 1h"],
  define(command) {
    addIdArgument(command);
    addTimeOptions(command);
    command.option("--key-for-once <text>", "A key of yours (Idempotency-Key), for one ID");
    addFilterOptions(command);
    addAllOption(command, "All that are dead, in place of a filter");
    command.option("--yes", "Do not ask before sending all that match");
  },
  async run(context, options, args) {
    const { parseTime } = await import("../input/parse-time.ts");
    const time = parseTime(options);
    const idempotencyKey = parseKeyForOnce(options.keyForOnce);
    const { ids, filter } = await readIdsOrFilter(args, options, EXAMPLE);
    if (!filter)
      return createEach(context, ids, idempotencyKey, (schedules, id, key) =>
        schedules.replay(id, { ...time, idempotencyKey: key }, { signal: context.signal }),
      );
    if (time) throw new UsageError("--in and --at need IDs: all that match are sent now", EXAMPLE);
    if (idempotencyKey) throw new UsageError("--key-for-once needs one ID", EXAMPLE);
    const { runOperation } = await import("../operations/run-operation.ts");
    return runOperation(context, "replay", { status: ["dead"], ...filter }, options.yes);
  },
};
