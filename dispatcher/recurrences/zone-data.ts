import type { Outdated } from "#db/queries/recurrences/zone-data.ts";
import { parseCron } from "#domain/cron.ts";
import { occurrencesAfter } from "#domain/recurrence.ts";

/** Whether a rule has other instants, by this process's zone data, than its occurrences were made for. */
export function hasMoved({ cron, zone, onClockChange, endsAtMs, fromMs, madeMs }: Outdated): boolean {
  const parsed = parseCron(cron);
  if (!parsed.ok) return false;
  const instants = occurrencesAfter({ rule: parsed.rule, zone, onClockChange, endsAtMs }, fromMs - 1);
  return madeMs.some((atMs) => instants.next().value?.atMs !== atMs);
}
