import { listAccounts } from "#db/queries/accounts/list.ts";
import { readAccountSummary } from "#db/queries/accounts/summary.ts";
import { readMonth } from "#db/queries/accounts/usage.ts";
import { readScheduleFigures } from "#db/queries/schedules/figures.ts";
import type { Environment } from "#domain/environment.ts";
import { usageView } from "#domain/quota.ts";
import { accountIdOrThrow, noSuchAccount } from "./account-id.ts";
import type { Admin } from "./admin.ts";
import { presentAccount } from "./present-account.ts";

const DAY_MS = 86_400_000;

/**
 * One account (`acc_…`) with the figures of both environments: usage and quota of the month, schedules that are active or
 * due within an hour, and schedules that failed or died within 24 hours. Throws NOT_FOUND, also for a deleted account.
 */
export async function readAccount(admin: Admin, accountId: string) {
  const id = accountIdOrThrow(accountId);
  return admin.query(async ({ db, sql }, onProgress) => {
    const [[row], summary] = await Promise.all([listAccounts(db, { id, limit: 1 }), readAccountSummary(sql, id)]);
    if (!row || !summary) throw noSuchAccount();
    const since = new Date(Date.now() - DAY_MS);
    const figuresOf = async (env: Environment) => {
      const [{ scheduled, nextMonthMs }, schedules] = await Promise.all([
        readMonth(sql, { accountId: id, env }),
        readScheduleFigures(sql, { accountId: id, env }, since),
      ]);
      const { plan } = row;
      const limits = admin.config.plans[plan];
      return { schedules, usage: usageView({ epochMs: nextMonthMs - 1, plan, limits, env, scheduled }) };
    };
    onProgress();
    return {
      ...presentAccount(row, admin.config.plans),
      ...summary,
      live: await figuresOf("live"),
      test: await figuresOf("test"),
    };
  });
}
