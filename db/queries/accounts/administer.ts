import { eq, sql } from "drizzle-orm";
import type { PlanName } from "#domain/plans.ts";
import { PAID_PLAN } from "#domain/subscription.ts";
import type { Db, DbOrTx } from "../../orm.ts";
import { accounts, subscriptions } from "../../schema/index.ts";
import { type Actor, recordAct } from "./audit-log.ts";
import { deleteSessions } from "./sessions.ts";
import { settlePlan } from "./subscriptions.ts";

/**
 * Sets what plan an account has without paying, and writes it to the audit log, in one transaction. A plan that is paid
 * for stays: then no lower one can be set, which is `pays`. What is so already is `done`, and not written again.
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
 * Deactivates an account, or activates it again, and writes it to the audit log, in one transaction. Deactivating ends its
 * sessions; its keys and schedules wait. What was due before it is activated again is held back by the account and not
 * by the service. What is so already is `done`, and not written again.
 */
export async function setAccountStatus(
  db: Db,
  id: string,
  status: "active" | "deactivated",
  actor: Actor,
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
    await recordAct(tx, actor, {
      action: status === "active" ? "reactivate" : "deactivate",
      subjectId: id,
      before: { status: before.status },
      after: { status },
    });
    return "done";
  });
}

const planColumns = { plan: accounts.plan, grantedPlan: accounts.grantedPlan };

/** Locks an account that is not deleted: acts on one account come one after the other. */
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
