import type { Verb } from "../verb.ts";

/** Prints what was scheduled this month, and what the plan allows. */
export const usage: Verb = {
  name: "usage",
  group: "Deliveries",
  summary: "Print how many schedules were created this month, and what the plan allows",
  examples: ["stopwatch usage"],
  async run({ client, out, signal }) {
    const used = await client().usage({ signal });
    const { period, plan, scheduled, limit, grace_limit, over_limit, limits } = used;
    out.record(used, [
      ["month", `${period.slice(0, 4)}-${period.slice(4)} (UTC)`],
      ["plan", plan],
      ["scheduled", `${scheduled} of ${limit}${over_limit ? `, in the grace up to ${grace_limit}` : ""}`],
      ["payload", `${limits.payload_bytes} bytes at most`],
      ["bulk", `${limits.bulk_items} schedules a call at most`],
      ["requests", `${limits.requests_per_minute} a minute at most`],
    ]);
    return undefined;
  },
};
