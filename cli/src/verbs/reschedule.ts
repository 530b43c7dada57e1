import { UsageError } from "../errors/usage-error.ts";
import { readScheduleIds } from "../input/read-ids.ts";
import { addTimeOptions, type TimeOptions } from "../input/time-options.ts";
import { forEachId } from "../operations/for-each-id.ts";
import { scheduleColumns } from "../output/schedule-columns.ts";
import type { Verb } from "../verb.ts";

const EXAMPLE = "stopwatch reschedule sch_01kxyz5n3h8q2v7c4m9t6w0b1d --in 2h";

/** Moves schedules to another time. */
export const reschedule: Verb<TimeOptions & { earlyFire?: boolean }> = {
  name: "reschedule",
  group: "Schedules",
  summary: "Move schedules to another time",
  examples: [EXAMPLE, "stopwatch reschedule sch_01kxyz5n3h8q2v7c4m9t6w0b1d --at 2031-03-30T09:00 --tz Europe/Berlin"],
  define(command) {
    command.argument("<ID...>", "ids of schedules; - reads them from stdin, one a line");
    addTimeOptions(command);
    command
      .option("--early-fire", "Send slightly ahead, so that it arrives on time")
      .option("--no-early-fire", "Send not before its instant");
  },
  async run(context, options, args) {
    const { parseTime } = await import("../input/parse-time.ts");
    const time = parseTime(options);
    const { earlyFire } = options;
    if (!time && earlyFire === undefined) throw new UsageError("--in or --at is missing: say when", EXAMPLE);
    const ids = await readScheduleIds(args, EXAMPLE);
    const { schedules } = context.client();
    const table = context.out.table(scheduleColumns());
    const act = (id: string) => schedules.reschedule(id, { ...time, earlyFire }, { signal: context.signal });
    return forEachId(context, ids, act, (moved) => table.add([moved]));
  },
};
