import { readScheduleIds } from "../input/read-ids.ts";
import { localZone } from "../output/local-time.ts";
import { printable } from "../output/printable.ts";
import type { Verb } from "../verb.ts";

const EXAMPLE = "stopwatch explain sch_01kxyz5n3h8q2v7c4m9t6w0b1d";

/** Says in words what became of schedules. */
export const explain: Verb = {
  name: "explain",
  group: "Deliveries",
  summary: "Say in words where each millisecond went, what the target said, and what happens next",
  examples: [EXAMPLE, "stopwatch list --status dead --json | stopwatch explain -"],
  define(command) {
    command.argument("<ID...>", "ids of schedules; - reads them from stdin, one a line");
  },
  async run({ client, out, signal }, _, args) {
    const ids = await readScheduleIds(args, EXAMPLE);
    const { schedules } = client();
    // Loaded here, since few other verbs need it.
    const { explainSchedule } = await import("../explain/explain-schedule.ts");
    for (const [index, id] of ids.entries()) {
      const [schedule, attempts] = await Promise.all([
        schedules.get(id, { signal }),
        schedules.attempts(id, { signal }),
      ]);
      const lines = explainSchedule(schedule, attempts, Date.now(), { zone: localZone() }).map(printable);
      if (out.isJson) out.record({ id, status: schedule.status, lines }, []);
      else out.raw(`${index > 0 ? "\n" : ""}${lines.join("\n")}\n`);
    }
    return undefined;
  },
};
