import type { Profile } from "../../../sdk/src/types.ts";
import { type Check, failure, ok } from "./check.ts";
import { type HttpAnswer, jsonOf } from "./http-answer.ts";

/** What is done with this key: for real, or for tests. */
export const environment: Check = {
  name: "environment",
  needs: ["account"],
  run({ answer, settings }) {
    const env = (jsonOf(answer as HttpAnswer) as Profile).apiKey?.env;
    if (env !== settings?.env)
      return failure("key and account are of different environments", "Report this: it is a fault.");
    return ok(
      env === "live"
        ? "live: what is scheduled counts in the quota, and in the public punctuality"
        : "test: what is scheduled is delivered, is free, and counts in no public figure",
    );
  },
};
