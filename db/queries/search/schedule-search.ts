import { sql } from "drizzle-orm";
import type { Filters } from "#domain/filter-values.ts";
import { hasFilters } from "#domain/filters.ts";
import type { ScheduleStatus } from "#domain/states.ts";
import type { Tenant } from "../accounts/tenant.ts";
import type { PageCursor } from "../page.ts";
import type { Query } from "./query.ts";

export type ScheduleSearch = Filters & {
  q?: Query | undefined;
  statuses?: ScheduleStatus[] | undefined;
  /** `fire_at` from here on. */
  from?: Date | undefined;
  /** `fire_at` before this. */
  to?: Date | undefined;
  /** `late`: those that were sent, latest first, and after them the others, newest first. */
  sort: "-created_at" | "fire_at" | "-fire_at" | "late";
  limit: number;
  offset: number;
  /** Only rows after this one in the order of the list; `offset` is 0 then. */
  after?: ScheduleCursor | undefined;
};

/** `attempt` is 1 for a row that was not sent, in the order of lateness; its `atMs` is then its creation, else its lateness. */
export type ScheduleCursor = PageCursor & { attempt?: number };

/** `upcoming`: open schedules, next due first, and after them ended ones, last due first. */
export type PageSearch = Omit<ScheduleSearch, "sort" | "after"> & { sort: ScheduleSearch["sort"] | "upcoming" };

export type WantedSchedules = PageSearch & Pick<ScheduleSearch, "after">;

/** Which schedule (UUID), and what `ScheduleCursor` has of it. */
export type ScheduleKey = [id: string, atMs: number, attempt: number];

/** Whether a search has filters, or an order, for which `narrowSources` finds the rows. */
export function isNarrow(wanted: WantedSchedules): boolean {
  return wanted.sort === "late" || hasFilters(wanted);
}

/** Whether a search has filters, besides `q`, that the passes of `scan-schedules` know. */
export function isFiltered({ statuses, from, to }: Pick<ScheduleSearch, "statuses" | "from" | "to">): boolean {
  return (statuses ?? from ?? to) !== undefined;
}

/** Firing schedules are found by their shard only. */
export const inShardOf = ({ accountId }: Tenant) =>
  sql`AND shard = (SELECT shard FROM accounts WHERE id = ${accountId})`;
