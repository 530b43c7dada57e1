import { ReplayInput } from "#contract/inputs/repeat-input.ts";
import { RescheduleInput } from "#contract/inputs/reschedule-input.ts";
import { validate } from "#contract/inputs/validate.ts";
import { chooseTime, timeFieldOf } from "#domain/chosen-time.ts";
import { AppError } from "#domain/errors.ts";
import { decodeId, encodeId } from "#domain/ids.ts";
import { formatInstant } from "#domain/instant.ts";
import { type PageQuery, pageUrl } from "../http/page-url.ts";
import { seeOther } from "../http/reply.ts";
import type { Form, FormCall, PostedForm } from "../routes/form-route.ts";
import { cancelSchedule } from "./cancel.ts";
import { fireSchedule } from "./fire.ts";
import { keyOfForm } from "./form-key.ts";
import { getSchedule } from "./get.ts";
import { repeatSchedule } from "./repeat.ts";
import { rescheduleSchedule } from "./reschedule.ts";
import { typedTimeOf } from "./typed-time.ts";
import { wholeSecondAfter } from "./whole-second.ts";

const LIST = "/schedules";

/** The button "Cancel it". Errors are shown on the schedule's page, beside its current status. */
export const cancelForm: Form = {
  page: LIST,
  back: (posted, { code }) => pageOf(posted, "", { failed: "cancel", error: code }),
  async verb({ ctx, finish, ...posted }) {
    const id = idOf(posted);
    await cancelSchedule(ctx, id);
    return finish(`${LIST}/${id}`, { result: "cancelled" });
  },
};

/**
 * The button "Fire it now". The field `moved` is its last move to now when the page was shown: the second submit of a form
 * finds the attempt of the first under way, and redirects to the same result.
 */
export const fireForm: Form = {
  page: LIST,
  back: (posted, { code }) => pageOf(posted, "", { failed: "fire", error: code }),
  async verb({ ctx, finish, ...posted }) {
    const id = idOf(posted);
    try {
      await fireSchedule(ctx, id);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "CONFLICT") throw error;
      const { movedToNowAt } = await getSchedule(ctx, id);
      if ((movedToNowAt?.toISOString() ?? "") === posted.fields.get("moved")) throw error;
    }
    return finish(`${LIST}/${id}`, { result: "fired" });
  },
};

/**
 * The button "Replay it": redirects to the copy. The field `at` is the instant of the copy, now without it. The form key makes a
 * repeated submit idempotent.
 */
export const replayForm: Form = {
  page: LIST,
  back: (posted, { code, details }) =>
    pageOf(posted, "/replay", { error: details?.some(({ path }) => path === "fireAt") ? "past" : code }),
  async verb({ ctx, finish, formKey = "", ...posted }) {
    const id = idOf(posted);
    const fireAt = posted.fields.get("at") || undefined;
    const idempotencyKey = keyOfForm(ctx.requestHashKey, formKey, ["replay", ctx.tenant.env, id, fireAt]);
    const copy = await repeatSchedule(ctx, id, validate(ReplayInput, { idempotencyKey, fireAt }));
    return finish(`${LIST}/${encodeId("sch", copy.id)}`, { result: "replayed" });
  },
};

/** The button "Move it". After an error the address has the typed values: they are short and not secret. */
export const rescheduleForm: Form = {
  page: LIST,
  back: (posted, { code }) => reschedulePage(posted, code === "VALIDATION" ? "past" : code),
  async verb({ ctx, finish, ...posted }: FormCall) {
    const chosen = chooseTime(typedTimeOf(posted.fields), Date.now());
    if (!chosen.ok) return seeOther(reschedulePage(posted, chosen.field));
    const id = idOf(posted);
    const { waitMs } = chosen;
    const time = waitMs === null ? timeFieldOf(chosen) : { fireAt: formatInstant(await wholeSecondAfter(ctx, waitMs)) };
    const input = validate(RescheduleInput, { ...time, earlyFire: isEarly(posted) });
    await rescheduleSchedule(ctx, id, input);
    return finish(`${LIST}/${id}`, { result: "moved" });
  },
};

type Fields = Pick<PostedForm, "fields" | "env">;

function reschedulePage(posted: Fields, error: string): string {
  const early = isEarly(posted) ? "1" : undefined;
  return pageOf(posted, "/reschedule", { ...typedTimeOf(posted.fields), early, error });
}

/** A page of the schedule that the form names; the list for a text that is no id. */
function pageOf(posted: Fields, below: string, query: PageQuery): string {
  const id = idOf(posted);
  return decodeId("sch", id) === null ? LIST : pageUrl(`${LIST}/${id}${below}`, posted.env, query);
}

const idOf = ({ fields }: Pick<PostedForm, "fields">) => fields.get("id") ?? "";
const isEarly = ({ fields }: Pick<PostedForm, "fields">) => fields.get("early") === "1";
