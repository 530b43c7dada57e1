import { hash } from "node:crypto";
import { type Connection, DatabaseUnavailable } from "#db/client.ts";
import { addRequestCounts, deleteRequestCountsBefore } from "#db/queries/fleet/request-counts.ts";
import { callerNetwork } from "#domain/caller-address.ts";
import type { Logger } from "../log.ts";
import { createSharedCounts } from "./shared-counter.ts";

/** Where a caller stands: calls a minute it may make, those that are left, and seconds until it begins anew. */
export type Standing = { limit: number; remaining: number; resetS: number; isOver: boolean };

export type RateLimits = ReturnType<typeof createRateLimits>;

/** Refused credentials a minute, per caller's network. */
export const REFUSALS_MAX = 600;

const DEADLINE_MS = 4_000;
const ACCEPTED_MAX = 10_000;

/** What is limited by the minute, over all web processes: the calls of an account, and refused credentials of a network. */
export function createRateLimits(connection: Connection, log: Logger) {
  const shared = {
    share: (counts: Parameters<typeof addRequestCounts>[1]) =>
      connection.run(DEADLINE_MS, ({ sql }) => addRequestCounts(sql, counts)),
    forget: (minute: number) => connection.run(DEADLINE_MS, ({ sql }) => deleteRequestCountsBefore(sql, minute)),
    onError(error: unknown) {
      if (!(error instanceof DatabaseUnavailable)) log.error({ err: error }, "calls could not be counted together");
    },
  };
  const calls = createSharedCounts(shared);
  const refusals = createSharedCounts(shared);
  const accepted = new Set<string>();

  return {
    /** Counts one call of an account that may make `limit` a minute. */
    async call(accountId: string, limit: number): Promise<Standing> {
      const { total, resetMs } = await calls.add(`account ${accountId}`, limit);
      return standing(limit, total, resetMs, total > limit);
    },

    /** Counts a refused credential of the caller at `address`. */
    async refuse(address: string): Promise<Standing> {
      const { total, resetMs } = await refusals.add(refusalsOf(address), REFUSALS_MAX);
      return standing(REFUSALS_MAX, total, resetMs, total > REFUSALS_MAX);
    },

    /** How the caller at `address` stands; `isOver` when one more refusal would be too many. */
    refusals(address: string): Standing {
      const { total, resetMs } = refusals.read(refusalsOf(address));
      return standing(REFUSALS_MAX, total, resetMs, total >= REFUSALS_MAX);
    },

    /** Whether nobody was refused within this minute, so that there is nothing to look for. */
    isQuiet: () => refusals.isEmpty(),

    /** Remembers that a credential was accepted here: it stays welcome, whoever else is refused at its address. */
    accept(credential: string): void {
      const key = hash("sha256", credential, "base64");
      // The one that was not seen for longest goes first.
      accepted.delete(key);
      if (accepted.size >= ACCEPTED_MAX) accepted.delete(accepted.values().next().value as string);
      accepted.add(key);
    },

    /** Forgets a credential that is refused now, whatever it was before. */
    forget(credential: string): void {
      accepted.delete(hash("sha256", credential, "base64"));
    },

    wasAccepted: (credential: string): boolean => accepted.has(hash("sha256", credential, "base64")),

    async close(): Promise<void> {
      calls.close();
      refusals.close();
      await connection.close();
    },
  };
}

const refusalsOf = (address: string) => `refused ${callerNetwork(address)}`;

const standing = (limit: number, total: number, resetMs: number, isOver: boolean): Standing => ({
  limit,
  remaining: Math.max(0, limit - total),
  resetS: Math.ceil(resetMs / 1_000),
  isOver,
});
