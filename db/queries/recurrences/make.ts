import { DecryptionError, type KeyRing } from "#domain/cipher.ts";
import { parseCron } from "#domain/cron.ts";
import { newId } from "#domain/ids.ts";
import type { PlanLimits, Plans } from "#domain/plans.ts";
import { quotaOf } from "#domain/quota.ts";
import { RECURRENCE_HEADER, spreadShareMs } from "#domain/recurrence.ts";
import { leftOutOnce, type RecurrenceStep, stepRecurrence, withoutRefused } from "#domain/recurrence-step.ts";
import { optionsOf } from "#domain/request-fields.ts";
import { openRequest, packRequest, sealRequest, unpackRequest } from "#domain/sealed-request.ts";
import { type TargetPolicy, validateTarget } from "#domain/target-url.ts";
import type { Sql } from "../../client.ts";
import type { Tenant } from "../accounts/tenant.ts";
import type { NewSchedule } from "../schedules/create.ts";
import { createSchedulesWithin } from "../schedules/create-bulk.ts";
import type { LockedAccount } from "./lock-account.ts";
import { holdOccurrences, releaseOccurrences } from "./release.ts";
import { type DueRecurrence, lockForStep, moveOn, type SteppedTo } from "./steps.ts";

export type StepRules = { keyRing: KeyRing; targetPolicy: TargetPolicy; plans: Plans };

/**
 * Makes the first occurrences of an active recurrence (UUID) that begins, changes or goes on, within the transaction `tx`, which
 * has locked its row and that of its account.
 */
export async function makeFirst(
  tx: Sql,
  tenant: Tenant,
  id: string,
  account: LockedAccount,
  rules: StepRules,
): Promise<void> {
  const recurrence = await lockForStep(tx, id);
  await moveOn(tx, await stepRecurrences(tx, tenant, [recurrence], account, rules));
}

/**
 * Makes the occurrences of an account's due recurrences that are to exist by now, within the transaction `tx`. Returns how far
 * each has come.
 */
export async function stepRecurrences(
  tx: Sql,
  tenant: Tenant,
  due: readonly DueRecurrence[],
  { plan, nowMs }: LockedAccount,
  rules: StepRules,
): Promise<SteppedTo[]> {
  const steps = due.map(
    (recurrence): Stepping => ({ recurrence, step: planStep(recurrence, nowMs), refused: [], made: 0 }),
  );
  const wanted = steps.flatMap((stepping) => {
    const { recurrence, step } = stepping;
    const prepare = step.make.length === 0 ? undefined : prepareFor(rules, tenant, recurrence);
    if (prepare) return step.make.map(({ atMs }) => ({ stepping, atMs, schedule: prepare(atMs) }));
    const leftOut = [...step.leftOut, ...step.make.map(({ atMs }) => leftOutOnce(atMs, "not_allowed"))];
    stepping.step = { ...step, leftOut };
    return [];
  });
  if (wanted.length > 0) await create(tx, tenant, wanted, rules.plans[plan]);
  const stepped = steps.map(({ recurrence: { id, spreadMs }, step, refused, made }) => {
    const shareMs = spreadShareMs(id, spreadMs);
    const { madeUntilMs, nextStepAtMs, leftOut } = withoutRefused(step, refused, { shareMs, nowMs });
    return { id, madeUntilMs, nextStepAtMs, made, leftOut };
  });
  return withoutOverlaps(tx, tenant, due, stepped);
}

/** A step that is being taken: the instants (epoch ms) that the quota has refused, and how many occurrences were made. */
type Stepping = { recurrence: DueRecurrence; step: RecurrenceStep; refused: number[]; made: number };

/** A schedule that is to be made of an instant, epoch ms. */
type Wanted = { stepping: Stepping; atMs: number; schedule: NewSchedule };

/** Creates the schedules in order. Notes at their steps how many were made, and what the quota refuses. */
async function create(tx: Sql, tenant: Tenant, wanted: readonly Wanted[], plan: PlanLimits): Promise<void> {
  const { limit, graceLimit } = quotaOf(plan, tenant.env);
  const creations = await createSchedulesWithin(
    tx,
    tenant,
    { limit, graceLimit, earlyFire: plan.earlyFire },
    {
      schedules: wanted.map(({ schedule }) => schedule),
      occurrences: wanted.map(({ stepping, atMs }) => ({ recurrenceId: stepping.recurrence.id, atMs })),
    },
  );
  // The row of the account is locked.
  if (typeof creations === "string") throw new Error(`an account became ${creations} while its row was locked`);
  const outcomeOf = (n: number) => creations[n]?.outcome;
  for (const [n, { stepping, atMs }] of wanted.entries()) {
    if (outcomeOf(n) === "quota") stepping.refused.push(atMs);
    else stepping.made += 1;
  }
  const held = wanted.filter(({ stepping }, n) => {
    return stepping.recurrence.overlap === "skip" && outcomeOf(n) === "created";
  });
  const ids = held.map(({ schedule }) => schedule.id);
  if (ids.length > 0) await holdOccurrences(tx, ids);
}

/** Decides on the occurrences, due by now, of recurrences that must not overlap, and has the others decided on in time. */
async function withoutOverlaps(tx: Sql, tenant: Tenant, due: readonly DueRecurrence[], stepped: SteppedTo[]) {
  const ids = due.filter(({ overlap }) => overlap === "skip").map(({ id }) => id);
  if (ids.length === 0) return stepped;
  const released = await releaseOccurrences(tx, tenant, ids);
  return stepped.map((step) => {
    const { skippedMs, nextAtMs } = released.get(step.id) ?? { skippedMs: [], nextAtMs: null };
    const skipped = skippedMs.map((atMs) => leftOutOnce(atMs, "overlap"));
    const nextStepAtMs = nextAtMs === null ? step.nextStepAtMs : Math.min(nextAtMs, step.nextStepAtMs ?? nextAtMs);
    return { ...step, nextStepAtMs, leftOut: [...step.leftOut, ...skipped] };
  });
}

/** A recurrence that was paused until now continues from now: nothing was missed. */
function planStep(recurrence: DueRecurrence, nowMs: number): RecurrenceStep {
  const parsed = parseCron(recurrence.cron);
  if (!parsed.ok) throw new Error(`recurrence ${recurrence.id} has a rule that cannot be read`);
  const { id, status, spreadMs, madeUntilMs } = recurrence;
  const isNew = status === "paused";
  const shareMs = spreadShareMs(id, spreadMs);
  const fromMs = isNew ? Math.max(madeUntilMs, Math.floor(nowMs) - shareMs) : madeUntilMs;
  return stepRecurrence({ ...recurrence, rule: parsed.rule, shareMs, madeUntilMs: fromMs, isNew }, nowMs);
}

/** Returns what prepares the schedule of an instant, epoch ms; undefined when target or content do not allow any. */
function prepareFor(
  { keyRing, targetPolicy }: StepRules,
  { accountId, env }: Tenant,
  recurrence: DueRecurrence,
): ((atMs: number) => NewSchedule) | undefined {
  const { id, key, method, targetUrl, spreadMs } = recurrence;
  const target = validateTarget(targetUrl, targetPolicy, env);
  if (!target.ok) return undefined;
  const content = readContent(keyRing, recurrence, { accountId, env });
  if (content === undefined) return undefined;
  const packed = packRequest({
    headers: [...content.headers, [RECURRENCE_HEADER, encodeURIComponent(key)]],
    payload: content.payload.toString(),
  });
  const shareMs = spreadShareMs(id, spreadMs);
  return (atMs) => {
    const to = { id: newId(Date.now()), method, targetUrl: target.url };
    return {
      ...to,
      origin: target.origin,
      fireTime: { atMs: atMs + shareMs },
      ...optionsOf(recurrence),
      sealed: packed && sealRequest(keyRing, packed, { accountId, env, ...to }),
      payloadSizeBytes: content.payload.length,
      idempotencyKey: `recurrence/${id}/${atMs}`,
      requestHash: NO_HASH,
      replayOf: null,
      rejection: null,
    };
  };
}

// Nobody but the recurrence has the key: there is no request to compare.
const NO_HASH = Buffer.alloc(0);

function readContent(keyRing: KeyRing, recurrence: DueRecurrence, tenant: Tenant) {
  const { id, sealed, method, targetUrl } = recurrence;
  if (sealed === null) return { headers: [], payload: Buffer.alloc(0) };
  try {
    return unpackRequest(openRequest(keyRing, sealed, { ...tenant, id, method, targetUrl }));
  } catch (error) {
    if (error instanceof DecryptionError) return undefined;
    throw error;
  }
}
