import type { Profile } from "../../../sdk/src/types.ts";
import { type Check, failure, ok } from "./check.ts";
import { jsonOf } from "./http-answer.ts";
import { networkCause } from "./network-cause.ts";

/** The installation takes the key. */
export const account: Check = {
  name: "account",
  needs: ["version", "key"],
  async run(context) {
    try {
      context.answer = await context.get("/v1/me", true);
    } catch (error) {
      return networkCause(error, (context.url as URL).host);
    }
    const { status } = context.answer;
    const profile = jsonOf(context.answer) as Partial<Profile> | undefined;
    if (status === 200 && profile?.apiKey) {
      return ok(`the installation takes the key (${profile.apiKey.id}), on the plan ${profile.subscription?.plan}`);
    }
    if (status === 401) {
      return failure(
        "the installation refuses the key (401): it is unknown there, revoked, or its account is deactivated",
        "Is it a key of this installation? Make a new one on its page API keys, and store it with `stopwatch login`.",
      );
    }
    if (status === 429) return failure("the account is over its rate of calls (429)", "Wait a minute.");
    if (status === 503)
      return failure("the installation cannot reach its database (503)", "Its operator runs `npm run doctor`.");
    return failure(`GET /v1/me answers ${status}`, "Does a proxy change what it passes on?");
  },
};
