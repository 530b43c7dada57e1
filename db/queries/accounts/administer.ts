import { eq, sql } from "drizzle-orm";
import type { ExistingAccountStatus } from "#domain/account-status.ts";
import type { PlanName } from "#domain/plans.ts";
import { PAID_PLAN } from "#domain/subscription.ts";
import { type Db, type DbOrTx, sqlOf } from "../../orm.ts";
import { accounts, subscriptions } from "../../schema/index.ts";
import { wakeSteps } from "../recurrences/steps.ts";
import { type Actor, recordAct } from "./audit-log.ts";
import { recordSecurityEvent } from "./security-events.ts";
import { deleteSessions } from "./sessions.ts";
import { settlePlan } from "./subscriptions.ts";

/**
 * Sets the granted plan of an account and writes the act to the audit log, in one transaction. An account that pays
 * keeps its paid plan: for a lower plan, returns `pays`. When nothing would change, returns `done` and writes no act.
 */
export async function grantPlan(
  db: Db,
  id: string,
  plan: PlanName,
  actor: Actor,
): Promise<"done" | "not found" | "pays"> {
  return db.transaction(async (tx) => {
    const before = await lockForAct(tx, id);
    if (!before) return "not found";
    if (before.paying && plan === "free") return "pays";
    if (before.grantedPlan === plan && before.plan === (before.paying ? PAID_PLAN : plan)) return "done";
    await tx.update(accounts).set({ grantedPlan: plan, updatedAt: sql`clock_timestamp()` }).where(eq(accounts.id, id));
    await settlePlan(tx, id);
    const [after] = await tx.select(planColumns).from(accounts).where(eq(accounts.id, id)).limit(1);
    if (!after) throw new Error("a locked account is gone");
    const { plan: planBefore, grantedPlan } = before;
    await recordAct(tx, actor, {
      action: "set_plan",
      subjectId: id,
      before: { plan: planBefore, grantedPlan },
      after,
    });
    return "done";
  });
}

/**
 * Deactivates or reactivates an account and writes the act to the audit log, in one transaction. Deactivating ends its
 * sessions; its API keys are refused and its schedules wait. Schedules that are overdue at reactivation count as held
 * back by the account, not by the service. When nothing would change, returns `done` and writes no act. The act keeps
 * `reason` beside the new status. The account's security log shows what was done, not why.
 */
export async function setAccountStatus(
  db: Db,
  id: string,
  status: ExistingAccountStatus,
  actor: Actor,
  reason?: string,
): Promise<"done" | "not found"> {
  return db.transaction(async (tx) => {
    const before = await lockForAct(tx, id);
    if (!before) return "not found";
    if (before.status === status) return "done";
    const now = sql`clock_timestamp()`;
    await tx
      .update(accounts)
      .set({ status, updatedAt: now, ...(status === "active" && { activatedAt: now }) })
      .where(eq(accounts.id, id));
    if (status === "deactivated") await deleteSessions(tx, id);
    else await wakeSteps(sqlOf(tx), id);
    await recordAct(tx, actor, {
      action: status === "active" ? "reactivate" : "deactivate",
      subjectId: id,
      before: { status: before.status },
      after: { status, ...(reason && { reason }) },
    });
    // Without the administrator and the network: these are in the audit log, which only administrators see.
    await recordSecurityEvent(tx, {
      accountId: id,
      network: null,
      userAgent: null,
      kind: status === "active" ? "account_reactivated" : "account_deactivated",
      actor: actor.accountId === null ? "operator" : "administrator",
    });
    return "done";
  });
}

const planColumns = { plan: accounts.plan, grantedPlan: accounts.grantedPlan };

/** Locks an account that is not deleted, so that acts on one account happen one after the other. */
async function lockForAct(tx: DbOrTx, id: string) {
  const [account] = await tx
    .select({ ...planColumns, status: accounts.status })
    .from(accounts)
    .where(eq(accounts.id, id))
    .limit(1)
    .for("no key update");
  if (!account || account.status === "deleted") return undefined;
  const [subscription] = await tx
    .select({ paying: subscriptions.paying })
    .from(subscriptions)
    .where(eq(subscriptions.accountId, id))
    .limit(1);
  return { ...account, paying: subscription?.paying ?? false };
}
