import type { PutInput } from "#contract/inputs/create-input.ts";
import { readKey } from "#contract/inputs/key.ts";
import type { ReadTime } from "#contract/inputs/time-input.ts";
import { keyContended, statusConflict } from "#contract/refusals.ts";
import { readDatabaseClock } from "#db/queries/fleet/database-clock.ts";
import { findScheduleByKey } from "#db/queries/schedules/find-by-key.ts";
import { type Put, putSchedule } from "#db/queries/schedules/put.ts";
import type { Ctx } from "../context.ts";
import { changeAtOnce } from "./change-at-once.ts";
import { clockChangeOf, refusalOf, scheduleRequest } from "./create.ts";
import { creationLimits, prepareSchedule } from "./prepare.ts";

/** `clockChange` tells how the clocks change at a given local time; undefined without one. */
export type PutByKey = Extract<Put, { id: string }> & Pick<ReadTime, "clockChange">;

/**
 * Stores a schedule under its owner's key: a new one, or this request in place of that of the schedule that has the key and
 * is `scheduled`. A new one takes the key of one that has ended, and of one that waits for a retry, which it cancels.
 * Throws what `createOne` throws, and CONFLICT while the holder is `firing`; nothing is changed then.
 */
export async function putByKey(ctx: Ctx, textKey: string, { maxDelay, ...input }: PutInput): Promise<PutByKey> {
  const idempotencyKey = readKey(textKey, "key");
  const request = scheduleRequest(ctx, { ...input, idempotencyKey });
  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    const holder = await ctx.query(({ db }) => findScheduleByKey(db, ctx.tenant, idempotencyKey));
    // What is sealed is bound to the id.
    const id = holder?.status === "scheduled" ? holder.id : undefined;
    const { schedule, rejection } = prepareSchedule(ctx, request, id);
    const put = await changeAtOnce(ctx, ({ sql }) =>
      putSchedule(sql, ctx.tenant, creationLimits(ctx), {
        ...schedule,
        idempotencyKey,
        holder: holder?.id ?? null,
        maxDelayMs: maxDelay ?? null,
      }),
    );
    if ("id" in put) return { ...put, ...clockChangeOf(request) };
    if (put.outcome === "firing") {
      const nowMs = await ctx.query(({ sql }) => readDatabaseClock(sql));
      throw statusConflict("replaced", "firing", { endsAtMs: put.endsAtMs, nowMs });
    }
    if (put.outcome !== "moved") throw await refusalOf(ctx, put.outcome, request, rejection);
  }
  throw keyContended();
}

/** Each further try means that a delivery or another call has changed the status, or the holder, in between. */
const TRIES_MAX = 10;
