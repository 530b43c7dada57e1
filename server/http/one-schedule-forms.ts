import { chooseTime, type TypedTime } from "#domain/chosen-time.ts";
import type { Environment } from "#domain/environment.ts";
import { AppError } from "#domain/errors.ts";
import { decodeId, encodeId } from "#domain/ids.ts";
import { formatInstant } from "#domain/instant.ts";
import { signInPageUrl } from "../auth/redirects.ts";
import type { Ctx } from "../context.ts";
import { readPageCtx } from "../page-ctx.ts";
import { cancelSchedule } from "../schedules/cancel.ts";
import { FireAt } from "../schedules/create-input.ts";
import { keyOfForm } from "../schedules/form-key.ts";
import { repeatSchedule } from "../schedules/repeat.ts";
import { rescheduleSchedule } from "../schedules/reschedule.ts";
import type { FormCall } from "./form-route.ts";
import { type Reply, seeOther } from "./reply.ts";

/** "Cancel it" of a schedule's page. What went wrong is named on that page, which shows the status as well. */
export function cancelByForm(call: FormCall): Promise<Reply> {
  return onSchedule(call, async ({ ctx, id, env }) => {
    try {
      await cancelSchedule(ctx, id);
      return seeOther(pageOf(id, env, { did: "cancelled" }));
    } catch (error) {
      return seeOther(pageOf(id, env, { failed: "cancel", error: codeOf(error) }));
    }
  });
}

/** "Replay it": leads to the copy. The form's `key` has it stored once, however often it is sent. */
export function replayByForm(call: FormCall): Promise<Reply> {
  return onSchedule(call, async ({ ctx, id, env, fields }) => {
    const idempotencyKey = keyOfForm(ctx.requestHashKey, fields.get("key") ?? "", ["replay", env, id]);
    try {
      const copy = await repeatSchedule(ctx, id, { idempotencyKey });
      return seeOther(pageOf(encodeId("sch", copy.id), env, { did: "replayed" }));
    } catch (error) {
      return seeOther(pageOf(`${id}/replay`, env, { error: codeOf(error) }));
    }
  });
}

/** "Move it": what was typed comes back when it was not taken, as it is short and no secret. */
export function rescheduleByForm(call: FormCall): Promise<Reply> {
  return onSchedule(call, async ({ ctx, id, env, fields }) => {
    const typed = typedTimeOf(fields);
    const early = fields.get("early") === "1";
    const back = (error: string) =>
      seeOther(pageOf(`${id}/reschedule`, env, { ...typed, ...(early && { early: "1" }), error }));
    const chosen = chooseTime(typed, Date.now());
    if (!chosen.ok) return back(chosen.field);
    const fireAt = FireAt.safeParse(formatInstant(chosen.epochMs));
    if (!fireAt.success) return back("past");
    try {
      await rescheduleSchedule(ctx, id, { fireAt: fireAt.data, earlyFire: early });
      return seeOther(pageOf(id, env, { did: "moved" }));
    } catch (error) {
      return back(codeOf(error) === "VALIDATION" ? "past" : codeOf(error));
    }
  });
}

/** The time that a form's fields say. */
export function typedTimeOf(fields: { get(name: string): unknown }): TypedTime {
  const text = (name: string) => {
    const value = fields.get(name);
    return typeof value === "string" ? value.slice(0, TYPED_LENGTH_MAX).toWellFormed() : "";
  };
  return {
    ...{ words: text("words"), at: text("at"), zone: text("zone") || "UTC" },
    occurrence: text("occurrence") === "second" ? "second" : "first",
  };
}

const TYPED_LENGTH_MAX = 100;

type OnSchedule = { ctx: Ctx; id: string; env: Environment; fields: URLSearchParams };

/** The schedule that a form names by `id` and `env`, on behalf of who is signed in. */
async function onSchedule({ request, fields }: FormCall, work: (on: OnSchedule) => Promise<Reply>): Promise<Reply> {
  const env = fields.get("env") === "test" ? "test" : "live";
  const id = fields.get("id") ?? "";
  if (decodeId("sch", id) === null) return seeOther("/schedules");
  const ctx = await readPageCtx(request.headers, { env, writes: true });
  if (ctx === null) return seeOther(signInPageUrl("/login", {}, pageOf(id, env)));
  return work({ ctx, id, env, fields });
}

function pageOf(path: string, env: Environment, query: Record<string, string> = {}): string {
  const search = new URLSearchParams({ ...query, ...(env === "test" && { env }) });
  return `/schedules/${path}${search.size > 0 ? `?${search}` : ""}`;
}

/** The code of an error that the page can name. Others are thrown on. */
function codeOf(error: unknown): string {
  if (error instanceof AppError) return error.code;
  throw error;
}
