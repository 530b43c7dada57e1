import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Tenant } from "#db/queries/accounts/tenant.ts";
import { createSchedule } from "#db/queries/schedules/create.ts";
import { findScheduleByKey } from "#db/queries/schedules/find-by-key.ts";
import { callerNetwork } from "#domain/caller-address.ts";
import { AppError } from "#domain/errors.ts";
import { encodeId } from "#domain/ids.ts";
import { optionsOf } from "#domain/request-fields.ts";
import { packRequest } from "#domain/sealed-request.ts";
import { validateTarget } from "#domain/target-url.ts";
import { TRIAL_BODY, TRIAL_EVERY_S, TRIAL_IN_MS, TRIALS_PER_HOUR, TRIALS_PER_MONTH } from "#domain/trial.ts";
import { sign } from "../auth/cookies.ts";
import { noteLinkRequest } from "../auth/link-limits.ts";
import { type Reply, seeOther } from "../http/reply.ts";
import type { PostedForm } from "../routes/form-route.ts";
import { NO_HASH, prepareSchedule } from "../schedules/prepare.ts";
import { DATABASE_BUDGET_MS, type Services } from "../services.ts";
import { openTrialTenant } from "./account.ts";
import { readTrialOffer } from "./offer.ts";

/**
 * The button of a trial: stores a test schedule of the trials' account, due in 5 s, and redirects to its page. The target, the
 * body and the account are fixed. Throws RATE_LIMITED when the caller's network has one under way or had five within an hour,
 * QUOTA_EXCEEDED when those of the month are used up, and UNAVAILABLE where there are no trials. A form that is sent twice leads
 * to the same page.
 */
export async function startTrial({ services, formKey, address }: PostedForm): Promise<Reply> {
  const { authSecret } = await services.installation();
  const targetUrl = await readTrialOffer();
  if (targetUrl === null) throw new AppError("UNAVAILABLE", "There are no trials here now.");
  const network = address === null ? "unknown" : callerNetwork(address);
  const tenant = await openTrialTenant(services);
  const idempotencyKey = sign(authSecret, "trial", `${network} ${formKey ?? randomUUID()}`);
  try {
    const key = sign(authSecret, "limit", `trial ${network}`);
    const oneAtATime = { key, max: 1, withinS: TRIAL_EVERY_S };
    await noteLinkRequest(services, [{ key, max: TRIALS_PER_HOUR }], [oneAtATime], LIMITS);
  } catch (error) {
    const known = await findKnown(services, tenant, idempotencyKey);
    if (known === undefined) throw error;
    return seeOther(trialPath(known));
  }
  return seeOther(trialPath(await storeTrial(services, tenant, targetUrl, idempotencyKey)));
}

const LIMITS = `A network may have one trial at a time, and ${TRIALS_PER_HOUR} an hour.`;

const trialPath = (id: string) => `/try/${encodeId("sch", id)}`;

/** Finds what the same form has stored. Looks again for a moment: the first press may have been counted, and not yet stored. */
async function findKnown({ anonymous }: Services, tenant: Tenant, idempotencyKey: string) {
  for (const waitMs of LOOK_AFTER_MS) {
    await pause(waitMs);
    const known = await anonymous.run(DATABASE_BUDGET_MS, ({ db }) => findScheduleByKey(db, tenant, idempotencyKey));
    if (known !== undefined) return known.id;
  }
  return undefined;
}

const LOOK_AFTER_MS = [0, 100, 300, 600] as const;

/** Stores the schedule; its id is a UUID. */
async function storeTrial(
  { config, anonymous, onRefusedTarget }: Services,
  tenant: Tenant,
  targetUrl: string,
  idempotencyKey: string,
): Promise<string> {
  const { schedule } = prepareSchedule(
    { config, tenant, limits: config.plans.free, onRefusedTarget },
    {
      target: validateTarget(targetUrl, config.targetPolicy, tenant.env),
      method: "POST",
      time: { name: "fireIn", given: { inMs: TRIAL_IN_MS }, fireTime: { inMs: TRIAL_IN_MS } },
      ...optionsOf({ earlyFire: false }),
      packed: packRequest({ headers: [["Content-Type", "application/json"]], payload: TRIAL_BODY }),
      payloadSizeBytes: Buffer.byteLength(TRIAL_BODY),
      idempotencyKey,
      requestHash: NO_HASH,
      replayOf: null,
    },
  );
  const limits = { limit: TRIALS_PER_MONTH, graceLimit: TRIALS_PER_MONTH, earlyFire: false };
  const creation = await anonymous.run(DATABASE_BUDGET_MS, ({ sql }) => createSchedule(sql, tenant, limits, schedule));
  if (creation.outcome === "created" || creation.outcome === "replayed") return creation.id;
  if (creation.outcome === "quota") throw new AppError("QUOTA_EXCEEDED", "The trials of this month are used up.");
  throw new AppError("UNAVAILABLE", "There are no trials here now.");
}
