import { Failure } from "../errors/failure.ts";
import { outcomeOf } from "../explain/outcome.ts";
import { duration } from "../explain/words.ts";
import { deliverNow, TEST_PAYLOAD } from "../trigger/deliver-now.ts";
import { type Check, type Finding, failure, ok } from "./check.ts";

/** A real signed test delivery to the target, and where its time went. What the target says is not told. */
export const delivery: Check = {
  name: "delivery",
  needs: ["account", "dispatchers"],
  async run({ client, target, signal, say }): Promise<Finding> {
    const targetUrl = target as string;
    const where = new URL(targetUrl).origin;
    try {
      const { attempt, schedule } = await deliverNow(client(), { targetUrl, ...TEST_PAYLOAD }, { signal, say });
      const { late, connect, first_byte } = attempt.timing;
      const parts = [
        late === null ? null : `began ${duration(late)} ${late < 0 ? "before" : "after"} it was due`,
        connect === null ? null : `name, TCP and TLS ${duration(connect)}`,
        first_byte === null ? null : `first byte back after ${duration(first_byte)}`,
      ].filter((part) => part !== null);
      const timing = parts.length > 0 ? ` (${parts.join(", ")})` : "";
      switch (outcomeOf(attempt)) {
        case "delivered":
          return ok(`${where} answered ${attempt.status_code}${timing}`);
        case "rejected":
          return failure(
            `${where} answered ${attempt.status_code}${timing}`,
            `\`stopwatch explain ${schedule.id}\` shows what it said.`,
          );
        case "interrupted":
          return failure("the attempt was interrupted", "Run it again.");
        default:
          return failure(
            `${where}: ${attempt.error_text}${timing}`,
            `\`stopwatch explain ${schedule.id}\` says what to look at.`,
          );
      }
    } catch (error) {
      if (error instanceof Failure) return failure("no attempt was made within 60 s", error.fix);
      throw error;
    }
  },
};
