import { countPendingSchedules } from "#db/queries/schedules/count-pending.ts";
import { listOwnApiKeys } from "../api-keys/list.ts";
import type { Ctx } from "../context.ts";

const PENDING_MAX = 10_000;

export type DeletionLosses = {
  /** Schedules that would still be sent, both environments together. */
  pending: number;
  /** There are more than `pending`. */
  isPendingCapped: boolean;
  /** API keys that are not revoked. */
  keys: number;
};

/** What the caller's account loses when it is deleted. Schedules are counted up to 10,000. */
export async function readDeletionLosses(ctx: Ctx): Promise<DeletionLosses> {
  const { accountId } = ctx.tenant;
  const [counted, keys] = await Promise.all([
    ctx.query(({ sql }) => countPendingSchedules(sql, accountId, PENDING_MAX + 1)),
    listOwnApiKeys(ctx),
  ]);
  return {
    pending: Math.min(counted, PENDING_MAX),
    isPendingCapped: counted > PENDING_MAX,
    keys: keys.filter(({ revokedAt }) => revokedAt === null).length,
  };
}
