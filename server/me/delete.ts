import { setTimeout as pause } from "node:timers/promises";
import { deleteQueuedCustomers } from "#billing/delete-customers.ts";
import { DatabaseUnavailable } from "#db/client.ts";
import { deleteActiveAccount } from "#db/queries/accounts/delete.ts";
import { hasFiringSchedules, waitForRunningClaims } from "#db/queries/schedules/running-claims.ts";
import { Unauthorized } from "#domain/errors.ts";
import { deleteMailsTo } from "#mail/mailbox.ts";
import { assertRecentSignIn } from "../auth/recent-sign-in.ts";
import { billingOf } from "../billing/provider.ts";
import type { Ctx } from "../context.ts";
import { getServices } from "../services.ts";

const ATTEMPTS_WAIT_MS = 2_000;
const POLL_INTERVAL_MS = 50;
/** A claim that began before the deletion committed locks its shard's row within this, ms; then we can wait for it. */
const CLAIM_LOCKS_WITHIN_MS = 20;

/**
 * Deletes the caller's account and the mails to it in this machine's mailbox folder, then waits up to two seconds for its
 * attempts in progress. Its data is erased in the background. Throws SignInTooOld, and UNAUTHORIZED when the account
 * was deactivated or deleted in the meantime.
 */
export async function deleteOwnAccount(ctx: Ctx): Promise<void> {
  assertRecentSignIn(ctx);
  const by = { actor: "session", actorId: ctx.credential.id, ...ctx.source() } as const;
  const deleted = await ctx.query(({ db }) => deleteActiveAccount(db, ctx.tenant.accountId, by));
  if (deleted === undefined) throw new Unauthorized();
  const { shard, email } = deleted;
  cancelSubscription(ctx);
  await deleteMails(ctx, email);
  await pause(CLAIM_LOCKS_WITHIN_MS);
  await ctx.query(({ db }) => waitForRunningClaims(db, shard)).catch(ignoreUnavailable);
  await waitForAttempts(ctx, shard).catch(ignoreUnavailable);
}

// In the background: if this fails or the process dies, the billing upkeep of a dispatcher retries it.
function cancelSubscription({ config, query }: Ctx): void {
  if (config.stripe === undefined) return;
  billingOf(config)
    .then((billing) => deleteQueuedCustomers(billing, query))
    .catch(() => {});
}

async function deleteMails({ config }: Ctx, email: string): Promise<void> {
  await deleteMailsTo(config.mail.mailboxDir, email).catch((error) =>
    getServices().log.warn({ err: error }, "mails to a deleted account are still in the mailbox folder"),
  );
}

async function waitForAttempts(ctx: Ctx, shard: number): Promise<void> {
  const endMs = performance.now() + ATTEMPTS_WAIT_MS;
  while (await ctx.query(({ db }) => hasFiringSchedules(db, shard, ctx.tenant.accountId))) {
    if (performance.now() + POLL_INTERVAL_MS > endMs) return;
    await pause(POLL_INTERVAL_MS);
  }
}

// The deletion is committed; an unavailable database only ends the wait.
function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof DatabaseUnavailable)) throw error;
}
