import { chooseTime, type TypedTime, timeFieldOf } from "#domain/chosen-time.ts";
import { type Environment, environmentOf } from "#domain/environment.ts";
import { AppError } from "#domain/errors.ts";
import { decodeId, encodeId } from "#domain/ids.ts";
import { signedOutPageUrl } from "../auth/redirects.ts";
import type { Ctx } from "../context.ts";
import { validate } from "../input/validate.ts";
import { readPageCtx } from "../page-ctx.ts";
import { cancelSchedule } from "../schedules/cancel.ts";
import { fireSchedule } from "../schedules/fire.ts";
import { keyOfForm } from "../schedules/form-key.ts";
import { getSchedule } from "../schedules/get.ts";
import { schedulePagePath } from "../schedules/page-path.ts";
import { repeatSchedule } from "../schedules/repeat.ts";
import { rescheduleSchedule } from "../schedules/reschedule.ts";
import { RescheduleInput } from "../schedules/reschedule-input.ts";
import { doneCookie } from "./done-cookie.ts";
import type { FormCall } from "./form-route.ts";
import { type Reply, seeOther } from "./reply.ts";

/** The button "Cancel it". Errors are shown on the schedule's page, beside its current status. */
export function cancelByForm(call: FormCall): Promise<Reply> {
  return onSchedule(call, {
    back: ({ id, env }, error) => schedulePagePath(id, env, { failed: "cancel", error }),
    work: async ({ ctx, id, env }) => {
      await cancelSchedule(ctx, id);
      return finished(ctx, { id, env }, "cancelled");
    },
  });
}

/**
 * The button "Fire it now". `moved` is its last move to now when the page was shown: a form that is sent twice finds the
 * attempt of the first under way, and says that it is done.
 */
export function fireByForm(call: FormCall): Promise<Reply> {
  return onSchedule(call, {
    back: ({ id, env }, error) => schedulePagePath(id, env, { failed: "fire", error }),
    work: async ({ ctx, id, env, fields }) => {
      try {
        await fireSchedule(ctx, id);
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== "CONFLICT") throw error;
        const { movedToNowAt } = await getSchedule(ctx, id);
        if ((movedToNowAt?.toISOString() ?? "") === fields.get("moved")) throw error;
      }
      return finished(ctx, { id, env }, "fired");
    },
  });
}

/** The button "Replay it": redirects to the copy. With the same `key`, a form that is sent again stores no second copy. */
export function replayByForm(call: FormCall): Promise<Reply> {
  return onSchedule(call, {
    back: ({ id, env }, error) => schedulePagePath(`${id}/replay`, env, { error }),
    work: async ({ ctx, id, env, fields }) => {
      const idempotencyKey = keyOfForm(ctx.requestHashKey, fields.get("key") ?? "", ["replay", env, id]);
      const copy = await repeatSchedule(ctx, id, { idempotencyKey });
      return finished(ctx, { id: encodeId("sch", copy.id), env }, "replayed");
    },
  });
}

/**
 * The button "Move it". After an error the redirect carries the typed values back to the form: they are short and not
 * secret.
 */
export function rescheduleByForm(call: FormCall): Promise<Reply> {
  const typed = typedTimeOf(call.fields);
  const isEarly = call.fields.get("early") === "1";
  const back = ({ id, env }: Named, error: string) =>
    schedulePagePath(`${id}/reschedule`, env, {
      ...typed,
      ...(isEarly && { early: "1" }),
      error: error === "VALIDATION" ? "past" : error,
    });
  return onSchedule(call, {
    back,
    work: async ({ ctx, ...named }) => {
      const chosen = chooseTime(typed, Date.now());
      if (!chosen.ok) return seeOther(back(named, chosen.field));
      const input = validate(RescheduleInput, { ...timeFieldOf(chosen), earlyFire: isEarly });
      await rescheduleSchedule(ctx, named.id, input);
      return finished(ctx, named, "moved");
    },
  });
}

/** Reads a time from a form's fields. */
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

/** The schedule that a form is about: public id and environment. */
type Named = { id: string; env: Environment };

/**
 * Runs `work` on the schedule that a form names by `id` and `env`, as the signed-in user, and answers with what it
 * returns. After an AppError it redirects to the page that `back` returns for the error's code.
 */
async function onSchedule(
  { request, fields }: FormCall,
  {
    work,
    back,
  }: {
    work: (on: Named & { ctx: Ctx; fields: URLSearchParams }) => Promise<Reply>;
    back: (named: Named, error: string) => string;
  },
): Promise<Reply> {
  const env = environmentOf(fields.get("env"));
  const id = fields.get("id") ?? "";
  if (decodeId("sch", id) === null) return seeOther("/schedules");
  try {
    const ctx = await readPageCtx(request.headers, { env, writes: true });
    if (ctx === null) return seeOther(signedOutPageUrl(back({ id, env }, "UNAUTHORIZED")));
    return await work({ ctx, id, env, fields });
  } catch (error) {
    if (error instanceof AppError) return seeOther(back({ id, env }, error.code));
    throw error;
  }
}

/** A redirect to the page of a schedule, which says once what was done. */
function finished({ config }: Ctx, { id, env }: Named, did: string): Reply {
  return seeOther(schedulePagePath(id, env), [doneCookie(config, schedulePagePath(id, "live"), { did })]);
}
