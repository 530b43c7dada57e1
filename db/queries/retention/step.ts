import type postgres from "postgres";

/** The result of one batch of a job. `next` is where the next batch begins, null when nothing was left to do. */
export type Step<Cursor> = { rows: number; next: Cursor | null };

/** Rows that are due, counted up to `DUE_COUNTED_MAX`, and how long ago the oldest was to be taken, seconds. */
export type Backlog = { rows: number; oldestS: number };

/** A backlog is counted up to this many rows, so that counting costs the same whatever the backlog. */
export const DUE_COUNTED_MAX = 10_000;

export const NO_BACKLOG: Backlog = { rows: 0, oldestS: 0 };

export type Fragment = postgres.PendingQuery<postgres.Row[]>;
