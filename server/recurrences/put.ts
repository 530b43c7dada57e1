import { delaysRejection } from "#contract/inputs/delivery-input.ts";
import { readKey } from "#contract/inputs/key.ts";
import type { RecurrenceInput } from "#contract/inputs/recurrence-input.ts";
import {
  endRejection,
  sizeRejection,
  spacingRejection,
  targetRejection,
  tooManyRecurrences,
} from "#contract/refusals.ts";
import type { Sql } from "#db/client.ts";
import { firstDueTakenBack, lockCount, storeRecurrence, takeBack } from "#db/queries/recurrences/change.ts";
import { lockRecurrence, type RecurrenceRow } from "#db/queries/recurrences/find.ts";
import { makeFirst } from "#db/queries/recurrences/make.ts";
import { ZONE_DATA } from "#db/queries/recurrences/zone-data.ts";
import { type CronRule, parseCron } from "#domain/cron.ts";
import { AppError } from "#domain/errors.ts";
import { newId } from "#domain/ids.ts";
import { hashShare, spreadShareMs } from "#domain/recurrence.ts";
import { recurrenceSpacing } from "#domain/recurrence-spacing.ts";
import { leadOf } from "#domain/recurrence-step.ts";
import { optionsOf } from "#domain/request-fields.ts";
import { recurrenceHash } from "#domain/request-hash.ts";
import { creatorOf } from "#domain/schedule-creator.ts";
import { packRequest, sealRequest } from "#domain/sealed-request.ts";
import { validateTarget } from "#domain/target-url.ts";
import { findZone } from "#domain/zoned-time.ts";
import type { Ctx } from "../context.ts";
import { type ChangedRecurrence, change, readChanged } from "./change.ts";

/**
 * Stores a recurrence under its owner's key, takes back what the one before had made and has not left, and makes the first
 * occurrences, in one transaction. The same request again changes nothing. With `isDry` nothing is stored. Throws VALIDATION,
 * PAYLOAD_TOO_LARGE, CONFLICT when the plan has no more recurrences, or one with the key is there that `mustBeNew`, and
 * UNAUTHORIZED; nothing is changed then.
 */
export async function putRecurrence(
  ctx: Ctx,
  textKey: string,
  input: RecurrenceInput,
  { isDry, mustBeNew = false }: { isDry: boolean; mustBeNew?: boolean },
): Promise<ChangedRecurrence & { isNew: boolean }> {
  const key = readKey(textKey, "key");
  const wanted = readWanted(ctx, input);
  return change(ctx, { isDry }, async (tx, account) => {
    const found = (await lockRecurrence(tx, ctx.tenant, key)) ?? (await findAsNew(tx, ctx, key));
    const old = found === "none" || found === "full" ? undefined : found;
    if (old?.requestHash.equals(wanted.requestHash)) return { row: old, taken: 0, inFlight: 0, isNew: false };
    if (old && mustBeNew) throw new AppError("CONFLICT", "There is a recurrence with this key already.");
    const id = old?.id ?? newId(Date.now());
    const now = { nowMs: Math.floor(account.nowMs), shareMs: spreadShareMs(id, wanted.spreadMs) };
    const rejection =
      wanted.rejection ?? spacingRejection(wanted.rule, ctx.limits, now.nowMs) ?? endRejection(wanted, now);
    if (rejection !== null) throw rejection;
    if (found === "full") throw tooManyRecurrences(ctx.limits, ctx.tenant.env);
    const { taken, inFlight, firstUnsentMs } = old ? await takeBack(tx, ctx.tenant, id) : NOTHING_MADE;
    await storeRecurrence(tx, ctx.tenant, {
      ...wanted,
      ...{ id, key, sealed: seal(ctx, id, wanted), leadMs: leadOf(shortestOf(wanted.rule, now.nowMs), hashShare(id)) },
      madeUntilMs: await madeUntil(tx, ctx, old, { ...now, firstUnsentMs }),
      zoneData: ZONE_DATA,
      createdBy: creatorOf(ctx.credential),
    });
    if (old?.status !== "paused") await makeFirst(tx, ctx.tenant, id, account, ctx.config);
    return { row: await readChanged(tx, ctx, key), taken, inFlight, isNew: old === undefined };
  });
}

const NOTHING_MADE = { taken: 0, inFlight: 0, firstUnsentMs: null };

/** From when on occurrences are made: an instant that has come, and whose occurrence was taken back, was missed. */
async function madeUntil(
  tx: Sql,
  ctx: Ctx,
  old: RecurrenceRow | undefined,
  { nowMs, shareMs, firstUnsentMs }: { nowMs: number; shareMs: number; firstUnsentMs: number | null },
): Promise<number> {
  // An instant that has come is due later by its share.
  const fromMs = nowMs - shareMs;
  if (old === undefined || firstUnsentMs === null || firstUnsentMs > nowMs) return fromMs;
  const were = { fromMs: firstUnsentMs, shareMs: spreadShareMs(old.id, old.spreadMs) };
  const missedMs = await firstDueTakenBack(tx, ctx.tenant, old.id, were);
  return missedMs === null ? fromMs : Math.min(fromMs, missedMs - 1);
}

const shortestOf = (rule: CronRule, nowMs: number) => recurrenceSpacing(rule, nowMs).shortestMs;

/** Looks again once no other call can add one. */
async function findAsNew(tx: Sql, ctx: Ctx, key: string): Promise<RecurrenceRow | "none" | "full"> {
  const count = await lockCount(tx, ctx.tenant);
  return (await lockRecurrence(tx, ctx.tenant, key)) ?? (count < ctx.limits.recurrencesMax ? "none" : "full");
}

/** What the input asks for, and why it is refused, if target, size or options do not allow it. */
function readWanted(ctx: Ctx, input: RecurrenceInput) {
  const { cron, onClockChange, overlap, catchUp, spreadMs, method, headers } = input;
  const parsed = parseCron(cron);
  if (!parsed.ok) throw new Error("a rule that the input has accepted cannot be read");
  const { endsAt = null, name = null, payload = null } = input;
  const options = optionsOf(input);
  const zone = findZone(input.timezone) ?? input.timezone;
  const target = validateTarget(input.targetUrl, ctx.config.targetPolicy, ctx.tenant.env);
  if (!target.ok) ctx.onRefusedTarget({ accountId: ctx.tenant.accountId, rule: target.rule });
  const payloadSizeBytes = Buffer.byteLength(payload ?? "");
  const rule = { cron, zone, onClockChange, overlap, catchUp, spreadMs, endsAtMs: endsAt, name };
  const original = { ...rule, targetUrl: input.targetUrl, method, headers, payload, ...options };
  return {
    ...rule,
    rule: parsed.rule,
    ...{ ...options, method, payloadSizeBytes },
    targetUrl: target.ok ? target.url : "",
    origin: target.ok ? target.origin : "",
    packed: packRequest({ headers, payload }),
    requestHash: recurrenceHash(ctx.requestHashKey, original, target.ok ? target.url : null),
    rejection:
      delaysRejection(options.delivery, ctx.limits) ??
      (target.ok ? sizeRejection(payloadSizeBytes, ctx.limits) : targetRejection(target.reason)),
  };
}

function seal(ctx: Ctx, id: string, { packed, method, targetUrl }: ReturnType<typeof readWanted>): Buffer | null {
  return packed && sealRequest(ctx.config.keyRing, packed, { ...ctx.tenant, id, method, targetUrl });
}
