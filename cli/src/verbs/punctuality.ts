import { localTimeInZone } from "../output/local-time.ts";
import type { Verb } from "../verb.ts";

/** Prints how punctual the whole service was. */
export const punctuality: Verb = {
  name: "punctuality",
  group: "Deliveries",
  summary: "Print how punctual the whole service was in the last 24 hours",
  examples: ["stopwatch punctuality"],
  async run({ client, out, signal }) {
    const figures = await client().punctuality({ signal });
    const { sent, on_time_rate, on_time_within_ms, offset_ms, updated_at } = figures;
    out.record(figures, [
      ["sent", `${sent} in 24 hours`],
      ["on time", sent === 0 ? "-" : `${(on_time_rate * 100).toFixed(2)} %, within ${on_time_within_ms} ms`],
      ["late", sent === 0 ? "-" : `median ${offset_ms.p50} ms, 95th percentile ${offset_ms.p95} ms`],
      ["computed at", localTimeInZone(updated_at)],
    ]);
    return undefined;
  },
};
