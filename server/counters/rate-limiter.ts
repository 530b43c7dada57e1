import { type Database, DatabaseUnavailable } from "#db/client.ts";
import { addRequestCounts, deleteRequestCountsBefore } from "#db/queries/fleet/request-counts.ts";
import { callerNetwork } from "#domain/caller-address.ts";
import type { Logger } from "../log.ts";
import { SharedCounter } from "./shared-counter.ts";

/** The state of one limit: requests per minute, requests remaining, and seconds until the window resets. */
export type RateLimitStatus = { limit: number; remaining: number; resetS: number; isOver: boolean };

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** Rejected credentials per minute and network. */
export const REJECTIONS_MAX = 600;

/**
 * Requests per minute and account of pages that renew themselves. An open page makes 6 to 12 a minute, and 60 while it shows
 * an operation that runs. They do not use up the account's requests.
 */
const REFRESHES_MAX = 600;

/** Pages per minute and account that a browser loads ahead of a click. They do not use up the account's requests. */
const LOADED_AHEAD_MAX = 60;

const QUERY_TIMEOUT_MS = 4_000;

/** The per-minute limits over all web processes: requests of an account, and rejected credentials of a network. */
export function createRateLimiter(database: Database, log: Logger) {
  const shared = {
    flushCounts: (counts: Parameters<typeof addRequestCounts>[1]) =>
      database.run(QUERY_TIMEOUT_MS, ({ sql }) => addRequestCounts(sql, counts)),
    deleteBefore: (minute: number) =>
      database.run(QUERY_TIMEOUT_MS, ({ sql }) => deleteRequestCountsBefore(sql, minute)),
    onError(error: unknown) {
      if (!(error instanceof DatabaseUnavailable)) log.error({ err: error }, "rate limit: flushing the counts failed");
    },
  };
  const requestCounter = new SharedCounter(shared);
  const rejectionCounter = new SharedCounter(shared);

  return {
    /** Counts one request of an account with a limit of `limit` per minute. */
    async countRequest(accountId: string, limit: number): Promise<RateLimitStatus> {
      const { total, resetMs } = await requestCounter.add(`account ${accountId}`, limit);
      return toStatus(limit, total, resetMs, total > limit);
    },

    /** Counts a request of a page that renews itself, for an account. */
    async countRefresh(accountId: string): Promise<RateLimitStatus> {
      const { total, resetMs } = await requestCounter.add(`refresh ${accountId}`, REFRESHES_MAX);
      return toStatus(REFRESHES_MAX, total, resetMs, total > REFRESHES_MAX);
    },

    /** Counts a page that is loaded ahead; `isOver` also while the account has no more of its `requests` per minute. */
    async countLoadedAhead(accountId: string, requests: number): Promise<RateLimitStatus> {
      const { total, resetMs } = await requestCounter.add(`ahead ${accountId}`, LOADED_AHEAD_MAX);
      const isUsedUp = requestCounter.read(`account ${accountId}`).total >= requests;
      return toStatus(LOADED_AHEAD_MAX, total, resetMs, total > LOADED_AHEAD_MAX || isUsedUp);
    },

    /** Counts a call by which an account's listeners receive, with a limit of `limit` per minute. */
    async countListening(accountId: string, limit: number): Promise<RateLimitStatus> {
      const { total, resetMs } = await requestCounter.add(`listen ${accountId}`, limit);
      return toStatus(limit, total, resetMs, total > limit);
    },

    /** Counts a rejected credential sent from `address`. */
    async countRejection(address: string): Promise<RateLimitStatus> {
      const { total, resetMs } = await rejectionCounter.add(rejectionKey(address), REJECTIONS_MAX);
      return toStatus(REJECTIONS_MAX, total, resetMs, total > REJECTIONS_MAX);
    },

    /** The rejections of `address` without counting one; `isOver` when the next one would exceed the limit. */
    readRejections(address: string): RateLimitStatus {
      const { total, resetMs } = rejectionCounter.read(rejectionKey(address));
      return toStatus(REJECTIONS_MAX, total, resetMs, total >= REJECTIONS_MAX);
    },

    /** Whether this process has rejected no credential in this minute, which makes further checks unnecessary. */
    hasNoRejections: () => rejectionCounter.isEmpty(),

    async close(): Promise<void> {
      requestCounter.close();
      rejectionCounter.close();
      await database.close();
    },
  };
}

const rejectionKey = (address: string) => `refused ${callerNetwork(address)}`;

const toStatus = (limit: number, total: number, resetMs: number, isOver: boolean): RateLimitStatus => ({
  limit,
  remaining: Math.max(0, limit - total),
  resetS: Math.ceil(resetMs / 1_000),
  isOver,
});
