import { AppError } from "#domain/errors.ts";
import { PLAN_NAMES } from "#domain/plans.ts";
import type { Reply } from "../http/reply.ts";
import type { FormCall } from "../routes/form-route.ts";
import { accountIdOrThrow } from "./account-id.ts";
import { Admin } from "./admin.ts";
import { deactivateAccount } from "./deactivate.ts";
import { reactivateAccount } from "./reactivate.ts";
import { setAccountPlan } from "./set-plan.ts";

const REASON_LENGTH_MAX = 200;

/** "Set plan" of an account's page. */
export async function setPlanByForm(call: FormCall): Promise<Reply> {
  return act(call, async (admin, id) => {
    const plan = PLAN_NAMES.find((name) => name === call.fields.get("plan"));
    if (plan === undefined) return call.goTo(pageOf(id));
    await setAccountPlan(admin, id, plan);
    return call.finish(pageOf(id), { result: "plan" });
  });
}

/** "Deactivate" of the confirm page; needs a reason. */
export async function deactivateByForm(call: FormCall): Promise<Reply> {
  return actWithReason(call, deactivateAccount, { page: "deactivate", result: "deactivated" });
}

/** "Reactivate" of the confirm page; needs a reason. */
export async function reactivateByForm(call: FormCall): Promise<Reply> {
  return actWithReason(call, reactivateAccount, { page: "reactivate", result: "reactivated" });
}

async function actWithReason(
  call: FormCall,
  verb: typeof deactivateAccount,
  { page, result }: { page: string; result: string },
): Promise<Reply> {
  return act(call, async (admin, id) => {
    const reason = readReason(call.fields);
    if (reason === null) return call.goTo(`${pageOf(id)}/${page}`, { error: "reason" });
    await verb(admin, id, reason);
    return call.finish(pageOf(id), { result });
  });
}

/** Runs an act on the account that the form names; a conflict is shown on the account's page. */
async function act(
  { ctx, fields, requestId, goTo }: FormCall,
  work: (admin: Admin, id: string) => Promise<Reply>,
): Promise<Reply> {
  const admin = Admin.ofSession(ctx, requestId ?? null);
  const id = fields.get("id") ?? "";
  accountIdOrThrow(id);
  try {
    return await work(admin, id);
  } catch (error) {
    if (error instanceof AppError && error.code === "CONFLICT") return goTo(pageOf(id), { error: "CONFLICT" });
    throw error;
  }
}

/** A reason of 1 to 200 characters on one line; null when the field has none. */
function readReason(fields: URLSearchParams): string | null {
  const reason = (fields.get("reason") ?? "")
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .toWellFormed();
  return reason === "" || [...reason].length > REASON_LENGTH_MAX ? null : reason;
}

const pageOf = (id: string) => `/admin/accounts/${id}`;
