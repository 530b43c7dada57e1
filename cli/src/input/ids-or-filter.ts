import type { Command } from "commander";
import type { OperationSet } from "../../../sdk/src/types.ts";
import { UsageError } from "../errors/usage-error.ts";
import type { FilterOptions } from "./filter-options.ts";
import { readScheduleIds } from "./read-ids.ts";

export function addIdArgument(command: Command): void {
  command.argument("[ID...]", "ids of schedules; - reads them from stdin, one a line");
}

/** Says that all are meant: a filter of which a script lost the value never does. */
export type AllOption = { all?: true };

export function addAllOption(command: Command, description: string): void {
  command.option("--all", description);
}

/** The schedules that were named, or the filter, empty for all. Throws a UsageError unless one of these was given. */
export async function readIdsOrFilter(
  args: readonly string[],
  options: FilterOptions & AllOption,
  example: string,
): Promise<{ ids: string[]; filter: OperationSet | undefined }> {
  const { parseFilter } = await import("./schedule-filter.ts");
  const filter = filterOrAll(parseFilter(options, Date.now()), options, example);
  if (filter && args.length > 0) throw new UsageError("ID must not stand beside a filter: give one", example);
  if (filter) return { ids: [], filter };
  if (args.length === 0)
    throw new UsageError("ID is missing: name schedules, a filter such as --status, or --all", example);
  return { ids: await readScheduleIds(args, example), filter };
}

/** The filter, which is empty where all are meant. Throws a UsageError for both. */
export function filterOrAll(
  filter: OperationSet | undefined,
  { all }: AllOption,
  example: string,
): OperationSet | undefined {
  if (filter && all) throw new UsageError("--all must not stand beside a filter: give one", example);
  return all ? {} : filter;
}
