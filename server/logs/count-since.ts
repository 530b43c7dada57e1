import type { LogsInput } from "#contract/inputs/logs-input.ts";
import type { Ctx } from "../context.ts";
import { countOwnListedAttempts } from "./list.ts";

/** The filters of the log. */
export type LogFilter = Omit<LogsInput, "limit" | "offset" | "after" | "sort">;

/** How many attempts that match were made since an instant; null when there are more than 10,000. */
export async function countSince(ctx: Ctx, filter: LogFilter, since: Date): Promise<number | null> {
  const from = filter.from && filter.from > since ? filter.from : since;
  const { total, totalCapped } = await countOwnListedAttempts(ctx, { ...filter, from, sort: "-attempted_at" });
  return totalCapped ? null : total;
}
