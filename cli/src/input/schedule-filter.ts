import { STATUSES } from "../../../domain/states.ts";
import type { OperationSet, Status } from "../../../sdk/src/types.ts";
import { UsageError } from "../errors/usage-error.ts";
import type { FilterOptions } from "./filter-options.ts";
import { parseNarrow } from "./narrow-options.ts";
import { parseInstantOption, parseSince } from "./parse-instant-option.ts";

/** The filter that was given, undefined without any of its options. Throws a UsageError that names the option. */
export function parseFilter(options: FilterOptions, nowMs: number): OperationSet | undefined {
  const { status, q, from, to, since } = options;
  if (from !== undefined && since !== undefined) throw new UsageError("--since must not stand beside --from");
  const narrow = parseNarrow(options);
  if ([status, q, from, to, since, ...Object.values(narrow)].every((given) => given === undefined)) return undefined;
  return {
    ...(status !== undefined && { status: parseStatuses(status) }),
    ...(q !== undefined && { q: assertText(q) }),
    ...(from !== undefined && { from: parseInstantOption(from, "--from") }),
    ...(since !== undefined && { from: parseSince(since, nowMs) }),
    ...(to !== undefined && { to: parseInstantOption(to, "--to") }),
    ...narrow,
  };
}

function parseStatuses(text: string): Status[] {
  return text.split(",").map((name) => {
    const status = STATUSES.find((known) => known === name);
    if (!status) throw new UsageError(`--status must be of ${STATUSES.join(", ")}`, "--status scheduled,failed");
    return status;
  });
}

function assertText(q: string): string {
  if (q === "") throw new UsageError("--q must not be empty", "--q example.com/hook");
  return q;
}
