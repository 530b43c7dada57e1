import type { ScheduleStatus } from "#domain/states.ts";

/** The status of a schedule as pages say it: as the API names it, but `retrying` for `failed`, which has an attempt ahead. */
export function statusWord(status: ScheduleStatus): string {
  return status === "failed" ? "retrying" : status;
}

/** A word with a capital letter. */
export function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
