import type { Command } from "commander";
import type { OperationSet } from "../../../sdk/src/types.ts";
import { UsageError } from "../errors/usage-error.ts";
import type { FilterOptions } from "./filter-options.ts";
import { readScheduleIds } from "./read-ids.ts";

export function addIdArgument(command: Command): void {
  command.argument("[ID...]", "ids of schedules; - reads them from stdin, one a line");
}

/** The schedules that were named, or the filter. Throws a UsageError when both or neither were given. */
export async function readIdsOrFilter(
  args: readonly string[],
  options: FilterOptions,
  example: string,
): Promise<{ ids: string[]; filter: OperationSet | undefined }> {
  const { parseFilter } = await import("./schedule-filter.ts");
  const filter = parseFilter(options, Date.now());
  if (filter && args.length > 0) throw new UsageError("ID must not stand beside a filter: give one", example);
  if (filter) return { ids: [], filter };
  if (args.length === 0) throw new UsageError("ID is missing: name schedules, or a filter such as --status", example);
  return { ids: await readScheduleIds(args, example), filter };
}
