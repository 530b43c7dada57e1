import type { Filters } from "#domain/filter-values.ts";
import { hasFilters } from "#domain/filters.ts";
import type { Query } from "./query.ts";

/** `late` and `code` are those of the attempt. */
export type AttemptSearch = Filters & {
  q?: Query | undefined;
  outcome?: "succeeded" | "failed" | undefined;
  /** UUID. */
  scheduleId?: string | undefined;
  /** Only attempts whose lateness is counted; `late` is then that of the schedule. */
  measured?: boolean | undefined;
  /** `attempted_at` from here on. */
  from?: Date | undefined;
  /** `attempted_at` before this. */
  to?: Date | undefined;
  /** `late`: the latest first, and those that are not known to be late or not after them. */
  sort?: "-attempted_at" | "late" | undefined;
  limit: number;
  offset: number;
  /** Only rows after this one in the order of the list; `offset` is 0 then. */
  after?: AttemptCursor | undefined;
};

/**
 * A position in the order of the list: the instant of an attempt (in the order of lateness, what `writeCursorLateness`
 * returns) and, within it, its schedule (UUID) and number.
 */
export type AttemptCursor = { atMs: number; id: string; attempt: number };

/** An attempt: its schedule (UUID), its number, its instant in epoch ms, and its lateness, ms, where it is known. */
export type AttemptKey = [scheduleId: string, attempt: number, attemptedAtMs: number, lateMs: number | null];

/** Whether a search has filters, or an order, for which `narrowSources` finds the rows. */
export function isNarrow({ code, measured, sort, ...others }: AttemptSearch): boolean {
  const isOneOfDelivered = code !== undefined && code !== "2xx" && code.startsWith("2");
  return isOneOfDelivered || sort === "late" || measured !== undefined || hasFilters(others);
}
