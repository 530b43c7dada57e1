import type { Created, PutSchedule } from "../../../sdk/src/types.ts";
import { EXIT } from "../errors/exit-codes.ts";
import { localTimeInZone } from "./local-time.ts";
import type { Output } from "./output.ts";

/** Prints a new schedule, and on stderr what was not as wished. Returns the exit code. */
export function printCreated(created: Created | PutSchedule, out: Output, say: (message: string) => void): number {
  const { id, status, fire_at, over_limit, clock_change } = created;
  const { replayed, mismatch, replaces } = { replayed: false, mismatch: false, replaces: null, ...created };
  out.record(created, [
    ["id", id],
    ["status", status],
    ["due", localTimeInZone(fire_at)],
    ["made", replayed ? "before, by this --key-for-once" : null],
    ["replaces", replaces],
  ]);
  if (clock_change === "gap")
    say("stopwatch: the clocks of the zone skip this time: it means the time by the offset before.");
  if (clock_change === "repeat") say("stopwatch: the clocks of the zone show this time twice: see --on-clock-change.");
  if (over_limit) say("stopwatch: the month's quota is used up, and this one was accepted as grace.");
  if (!mismatch) return EXIT.done;
  say("stopwatch: this --key-for-once stands for another request: that one is kept, and nothing was made.");
  return EXIT.partly;
}
