import type { Command } from "commander";
import { UsageError } from "../errors/usage-error.ts";

/** The options that say how many rows are printed. */
export type LimitOptions = { limit?: string; all?: true };

export function addLimitOptions(command: Command): void {
  command.option("--limit <rows>", "How many rows at most (default: 20)").option("--all", "All rows");
}

/** How many rows to print. Throws a UsageError that names the option. */
export function parseLimit({ limit, all }: LimitOptions): number {
  if (all) {
    if (limit !== undefined) throw new UsageError("--all must not stand beside --limit: give one", "--limit 100");
    return Number.POSITIVE_INFINITY;
  }
  if (limit === undefined) return 20;
  if (/^[1-9]\d{0,8}$/.test(limit)) return Number(limit);
  throw new UsageError("--limit must be a whole number from 1 on", "--limit 100");
}
