import { type Check, ok, skipped, warning } from "./check.ts";
import type { HttpAnswer } from "./http-answer.ts";

/** What is left of the calls of this minute. */
export const rate: Check = {
  name: "rate",
  needs: ["account"],
  run({ answer }) {
    const { headers } = answer as HttpAnswer;
    const [, remaining] = /;\s*r=(\d+)/.exec(headers.get("ratelimit") ?? "") ?? [];
    const [, limit] = /;\s*q=(\d+)/.exec(headers.get("ratelimit-policy") ?? "") ?? [];
    if (remaining === undefined || limit === undefined) return skipped("the answer names no rate");
    const found = `${remaining} of ${limit} calls of this minute are left`;
    return Number(remaining) < Number(limit) * LITTLE ? warning(found, "Use bulk requests or spread them.") : ok(found);
  },
};

const LITTLE = 0.1;
