import { readDatabaseClock } from "#db/queries/fleet/database-clock.ts";
import { type Check, type Finding, ok, warning } from "../check.ts";

const SAMPLES = 5;
/** Dispatchers go by the database's clock, so only what this machine dates itself, such as sessions and certificates, suffers. */
const SKEW_MS_MAX = 1_000;

export const clock: Check = {
  name: "clock",
  needs: ["database"],
  run: ({ ask }) =>
    ask(async (sql) => {
      const samples: Sample[] = [];
      for (let n = 0; n < SAMPLES; n++) {
        const sentAtMs = performance.timeOrigin + performance.now();
        const databaseMs = await readDatabaseClock(sql);
        samples.push({ sentAtMs, databaseMs, receivedAtMs: performance.timeOrigin + performance.now() });
      }
      return judgeClock(samples, Date.now() - (performance.timeOrigin + performance.now()));
    }),
};

/** Epoch ms of this machine, but for `databaseMs`. */
export type Sample = { sentAtMs: number; databaseMs: number; receivedAtMs: number };

/**
 * The clock of the database was read at some moment between sending and receiving: the offset is known to half the round
 * trip, so the fastest sample counts (Cristian's algorithm). `correctionMs` is added to this machine's times.
 */
export function judgeClock(samples: readonly Sample[], correctionMs = 0): Finding {
  const rtt = (sample: Sample) => sample.receivedAtMs - sample.sentAtMs;
  const [best] = samples.toSorted((a, b) => rtt(a) - rtt(b));
  if (!best) throw new Error("the clock was not read");
  const errorMs = rtt(best) / 2;
  const skewMs = (best.sentAtMs + best.receivedAtMs) / 2 + correctionMs - best.databaseMs;
  const which = skewMs < 0 ? "behind" : "ahead of";
  const amount =
    Math.abs(skewMs) < 10_000 ? `${Math.round(Math.abs(skewMs))} ms` : `${Math.round(Math.abs(skewMs) / 1_000)} s`;
  const found = `this machine is ${amount} ${which} the database (± ${Math.ceil(errorMs)} ms)`;
  if (Math.abs(skewMs) - errorMs <= SKEW_MS_MAX) return ok(found);
  return warning(found, "Set both clocks by NTP: schedules go by the database's, sessions and certificates by both.");
}
