import { type Check, failure, ok, skipped, warning } from "./check.ts";
import type { HttpAnswer } from "./http-answer.ts";

/** This machine's clock against `Date`, which has whole seconds. A receiver with a wrong clock refuses every signature. */
export const clock: Check = {
  name: "clock",
  needs: ["version"],
  async run({ answer, get }) {
    const aheadMs = aheadOf(answer ?? (await get("/healthz")));
    if (aheadMs === null) return skipped("the answer has no Date");
    const seconds = `${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs > 0 ? "ahead of" : "behind"} the installation's`;
    if (aheadMs === 0) return ok("agrees with the installation's, to a second");
    const fix = "Set it, with NTP. Use --in or fireIn, which do not depend on it.";
    if (Math.abs(aheadMs) > TOLERANCE_MS) {
      return failure(`this machine's clock is ${seconds}: a receiver here refuses every signature`, fix);
    }
    return warning(`this machine's clock is ${seconds}`, fix);
  },
};

const TOLERANCE_MS = 300_000;

/** How far this clock is ahead, ms; 0 when `Date` and the way there and back explain it. Null without a Date. */
function aheadOf({ headers, sentAtMs, receivedAtMs }: HttpAnswer): number | null {
  const from = Date.parse(headers.get("date") ?? "");
  if (Number.isNaN(from)) return null;
  const slackMs = 1_000;
  if (sentAtMs > from + 1_000 + slackMs) return sentAtMs - from - 1_000;
  return receivedAtMs < from - slackMs ? receivedAtMs - from : 0;
}
