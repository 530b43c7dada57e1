import type { Attempt } from "../../../sdk/src/types.ts";

type Outcome = "delivered" | "rejected" | "interrupted" | "blocked" | "unreachable";

/** How an attempt ended. With a status the text is the target's; without one it is the dispatcher's own. */
export function outcomeOf({
  status_code: status,
  error_text: text,
}: Pick<Attempt, "status_code" | "error_text">): Outcome {
  if (status !== null) return status >= 200 && status < 300 ? "delivered" : "rejected";
  if (text.startsWith("interrupted:")) return "interrupted";
  return text.startsWith("blocked:") ? "blocked" : "unreachable";
}
