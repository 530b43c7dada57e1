import { assertScheduleId } from "../input/read-ids.ts";
import { attemptColumns } from "../output/attempt-columns.ts";
import { localTimeInZone } from "../output/local-time.ts";
import type { Verb } from "../verb.ts";

const EXAMPLE = "stopwatch attempts sch_01kxyz5n3h8q2v7c4m9t6w0b1d";

/** Prints the attempts of one schedule. */
export const attempts: Verb = {
  name: "attempts",
  group: "Deliveries",
  summary: "Print the attempts of one schedule, the first first",
  examples: [EXAMPLE],
  define(command) {
    command.argument("<ID>", "the id of a schedule");
  },
  async run({ client, out, say, signal }, _, [id = ""]) {
    assertScheduleId(id, "ID", EXAMPLE);
    const { items, next_attempt_at, retention_days } = await client().schedules.attempts(id, { signal });
    out.table(attemptColumns()).add(items);
    if (items.length === 0) say(`There are none in the ${retention_days} days that the plan keeps them.`);
    if (next_attempt_at) say(`The next one is due at ${localTimeInZone(next_attempt_at)}.`);
    return undefined;
  },
};
