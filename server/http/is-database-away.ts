import { DatabaseUnavailable } from "#db/client.ts";

/** Whether a page failed because the database did not do the work. */
export const isDatabaseAway = (error: unknown): boolean => error instanceof DatabaseUnavailable;
