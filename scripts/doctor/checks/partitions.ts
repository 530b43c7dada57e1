import { countPartitionsAhead } from "#db/queries/retention/attempt-partitions.ts";
import { type Check, type Finding, failure, ok, warning } from "../check.ts";

/** Dispatchers make them eight days ahead, each minute. */
const DAYS_MIN = 3;

export const partitions: Check = {
  name: "partitions",
  needs: ["role"],
  run: async ({ read }) => judgePartitions(await read(countPartitionsAhead)),
};

/** `days`: for how many days after today there are partitions. */
export function judgePartitions(days: number): Finding {
  const found = `the daily tables of attempts exist for ${days} ${days === 1 ? "day" : "days"} ahead`;
  if (days >= DAYS_MIN) return ok(found);
  const todo = 'Start a dispatcher, which makes them each minute; if one runs, its log has the reason at "retention".';
  return days > 0
    ? warning(found, todo)
    : failure(`${found}: attempts go to the default one, which slows retention`, todo);
}
