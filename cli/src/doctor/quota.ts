import { type Check, failure, ok, warning } from "./check.ts";

/** What is left of the month's quota. */
export const quota: Check = {
  name: "quota",
  needs: ["account"],
  async run(context) {
    const usage = await context.client().usage({ signal: context.signal, maxRetries: 0 });
    const { scheduled, limit, grace_limit, period } = usage;
    const found = `${scheduled} of ${limit} schedules in ${period.slice(0, 4)}-${period.slice(4)} (UTC)`;
    if (scheduled >= grace_limit) {
      return failure(`${found}: nothing more is accepted`, "Wait for the next month, or change the plan.");
    }
    if (scheduled >= limit) return warning(`${found}: in the grace, up to ${grace_limit}`, "Change the plan.");
    return scheduled >= limit * NEARLY ? warning(found, "Change the plan before it is used up.") : ok(found);
  },
};

const NEARLY = 0.8;
