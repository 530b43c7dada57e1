import { readScheduleIds } from "../input/read-ids.ts";
import { scheduleFacts } from "../output/schedule-facts.ts";
import type { Verb } from "../verb.ts";

const EXAMPLE = "stopwatch get sch_01kxyz5n3h8q2v7c4m9t6w0b1d";

/** Prints schedules. */
export const get: Verb = {
  name: "get",
  group: "Schedules",
  summary: "Print schedules by their ids",
  examples: [EXAMPLE, "stopwatch list --json | stopwatch get --json -"],
  define(command) {
    command.argument("<ID...>", "ids of schedules; - reads them from stdin, one a line");
  },
  async run({ client, out, signal }, _, args) {
    const ids = await readScheduleIds(args, EXAMPLE);
    const { schedules } = client();
    for (const id of ids) {
      const schedule = await schedules.get(id, { signal });
      out.record(schedule, scheduleFacts(schedule));
    }
    return undefined;
  },
};
