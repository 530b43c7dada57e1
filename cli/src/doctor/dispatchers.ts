import { type Check, failure, ok } from "./check.ts";
import { jsonOf } from "./http-answer.ts";
import { networkCause } from "./network-cause.ts";

/** A dispatcher is alive, and the database takes writes. */
export const dispatchers: Check = {
  name: "dispatchers",
  needs: ["version"],
  async run({ get, url }) {
    try {
      const answer = await get("/readyz");
      const { checks } = (jsonOf(answer) ?? {}) as { checks?: { database?: string; queue?: string } };
      if (checks?.database === "ok" && checks.queue === "ok") return ok("alive, and the database takes writes");
      if (checks?.database !== undefined && checks.database !== "ok") {
        return failure("the database takes no writes", "Its operator runs `npm run doctor`.");
      }
      if (checks?.queue !== undefined) {
        return failure("no dispatcher is alive: nothing is sent", "Start one: `npm start`, or `npm run dispatcher`.");
      }
      return failure(`GET /readyz answers ${answer.status}`, "Does a proxy keep it from being seen?");
    } catch (error) {
      return networkCause(error, (url as URL).host);
    }
  },
};
