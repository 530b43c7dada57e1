import type { LeftAlone, Operation } from "../../../sdk/src/types.ts";
import type { Fact } from "../output/output.ts";

/** An operation as lines for people. */
export function operationFacts({ id, action, status, acted, total, left_alone, error }: Operation): Fact[] {
  const left = (Object.entries(left_alone) as [keyof LeftAlone, number][]).filter(([, count]) => count > 0);
  return [
    ["operation", id],
    ["status", status],
    [action === "cancel" ? "cancelled" : "replayed", `${acted} of ${total}`],
    ...left.map(([reason, count]): Fact => ["left alone", `${count}: ${REASONS[reason]}`]),
    ["error", error && `${error.message} (${error.code})`],
  ];
}

const REASONS: Readonly<Record<keyof LeftAlone, string>> = {
  firing: "an attempt was under way",
  succeeded: "delivered already",
  dead: "dead already",
  cancelled: "cancelled already",
  rescheduled: "moved meanwhile",
  erased: "payload and headers were erased at the end of the retention",
  over_quota: "over the month's quota",
  target_not_allowed: "the target is not allowed any more",
  payload_too_large: "the payload is larger than the plan allows now",
  unreadable: "the stored request cannot be decrypted",
  not_found: "not there any more",
};
