import type { Command } from "commander";
import { STATUSES } from "../../../domain/states.ts";
import { addNarrowOptions, type NarrowOptions } from "./narrow-options.ts";

/** The options that choose schedules. */
export type FilterOptions = NarrowOptions & { status?: string; q?: string; from?: string; to?: string; since?: string };

export function addFilterOptions(command: Command): void {
  command
    .optionsGroup("Which schedules:")
    .option("--status <statuses>", `One of ${STATUSES.join(", ")}, or several with commas`)
    .option("--q <text>", "A part of the target's address, or a whole id")
    .option("--from <instant>", "Those that fire from this instant on, such as 2031-03-30T09:00:00+02:00")
    .option("--to <instant>", "Those that fire before this instant")
    .option("--since <duration>", "As --from, this long ago: 1h, 2d");
  addNarrowOptions(command);
}
