import { CreateInput } from "#contract/inputs/create-input.ts";
import { delaysRejection } from "#contract/inputs/delivery-input.ts";
import { RepeatInput } from "#contract/inputs/repeat-input.ts";
import { validate } from "#contract/inputs/validate.ts";
import { targetRejection } from "#contract/refusals.ts";
import { type ChosenTime, chooseTime, type TimeField, timeFieldOf } from "#domain/chosen-time.ts";
import { AppError, type ErrorDetail } from "#domain/errors.ts";
import { decodeId, encodeId } from "#domain/ids.ts";
import {
  type DraftAnswer,
  type DraftProblem,
  draftOptions,
  draftProblems,
  headerPairs,
  REQUEST_NAMES,
  readDraft,
  type ScheduleDraft,
  textOf,
} from "#domain/schedule-draft.ts";
import { validateTarget } from "#domain/target-url.ts";
import type { Ctx } from "../context.ts";
import { flashCookie } from "../http/flash-cookie.ts";
import { addCookieToAnswer } from "../http/page-answer.ts";
import { pageUrl } from "../http/page-url.ts";
import {
  addsHeader,
  type FieldNames,
  firstOfEach,
  problemOf,
  type Refuse,
  runFormAction,
} from "../routes/form-action.ts";
import { cloneElsewhere } from "./clone-elsewhere.ts";
import { type CreatedSchedule, scheduleRequest, store } from "./create.ts";
import { keyOfForm } from "./form-key.ts";
import type { ScheduleRequest } from "./prepare.ts";
import { repeatRequest, storedRequestOrThrow } from "./repeat.ts";
import { wholeSecondAfter } from "./whole-second.ts";

/**
 * Stores the schedule of the form, as the user that `headers` authenticate. Validates like the API. The hidden
 * `formKey` makes a repeated submit with the same content idempotent. Throws what `runFormAction` throws.
 */
export async function createByForm(headers: Headers, fields: FormData): Promise<DraftAnswer> {
  return runFormAction(headers, fields, {
    read: readDraft,
    problemsOf,
    pressAgain: "Press again: it is scheduled once.",
    onIntent: addsHeader,
    store: (ctx, draft, refused) =>
      storeDraft(ctx, draft, { from: textOf(fields.get("from")), formKey: textOf(fields.get("formKey")) }, refused),
  });
}

type Form = { from: string; formKey: string };

async function storeDraft(
  ctx: Ctx,
  draft: ScheduleDraft,
  form: Form,
  refused: Refuse<ScheduleDraft>,
): Promise<DraftAnswer> {
  const nowMs = Date.now();
  const chosen = chooseTime(draft, nowMs);
  const problems = allProblems(ctx, draft, { chosen, from: form.from, nowMs });
  if (problems.length > 0 || !chosen.ok) return refused(problems);

  const own = draft.idempotencyKey !== "";
  // Compares the typed words, because relative ones ("in 5m") mean another instant each time.
  const idempotencyKey = own
    ? draft.idempotencyKey
    : keyOfForm(ctx.requestHashKey, form.formKey, [ctx.tenant.env, form.from, draft]);
  const storing = { time: timeFieldOf(chosen), idempotencyKey, from: form.from };
  const created = await createOrRepeat(ctx, inputOf(draft, storing), form.from, async (request) =>
    chosen.waitMs === null || request.time === undefined
      ? request
      : { ...request, time: { ...request.time, fireTime: { atMs: await wholeSecondAfter(ctx, chosen.waitMs) } } },
  );
  const page = `/schedules/${encodeId("sch", created.id)}`;
  if (own && created.outcome === "replayed" && created.mismatch) {
    const message = "A schedule for another request has this key. Nothing was stored.";
    return refused([{ field: "idempotencyKey", message }], { existingHref: pageUrl(page, ctx.tenant.env) });
  }
  const result = created.outcome === "replayed" ? "known" : created.overLimit ? "over" : "created";
  addCookieToAnswer(flashCookie(ctx.config, page, { result }));
  return { href: pageUrl(page, ctx.tenant.env) };
}

/**
 * Everything that is wrong with the form, one problem a field, so that nobody mends them one by one. Whether a time has
 * passed is for the database to say; it is named here only beside other problems.
 */
function allProblems(
  ctx: Ctx,
  draft: ScheduleDraft,
  { chosen, from, nowMs }: { chosen: ChosenTime; from: string; nowMs: number },
): DraftProblem[] {
  const found = [
    ...(chosen.ok ? [] : [{ field: chosen.field, message: chosen.message }]),
    ...draftProblems(draft, ctx.limits.payloadBytesMax),
    ...inputProblems(ctx, draft, from),
  ];
  if (found.length > 0 && chosen.ok && chosen.epochMs <= nowMs) found.unshift(...problemsOf(PASSED, draft));
  return firstOfEach(found);
}

const PASSED = [{ path: "fireAt", message: "must be in the future" }];

/** What the API refuses whatever the time is. Headers are left to `draftProblems`, which names their rows. */
function inputProblems(ctx: Ctx, draft: ScheduleDraft, from: string): DraftProblem[] {
  const anyTime = { time: { fireIn: "1h" }, idempotencyKey: draft.idempotencyKey || "none", from };
  try {
    const input = inputOf({ ...draft, headers: [] }, anyTime);
    const target =
      input.targetUrl !== undefined && validateTarget(input.targetUrl, ctx.config.targetPolicy, ctx.tenant.env);
    const refused = target && !target.ok ? targetRejection(target.reason).details : [];
    return problemsOf([...(refused ?? []), ...(delaysRejection(input.delivery, ctx.limits)?.details ?? [])], draft);
  } catch (error) {
    if (error instanceof AppError && error.code === "VALIDATION") return problemsOf(error.details ?? [], draft);
    throw error;
  }
}

type Storing = { time: TimeField; idempotencyKey: string; from: string };

/** `adjust` changes the request before it is stored. The URL of a clone counts only where it is another one. */
async function createOrRepeat(
  ctx: Ctx,
  input: CreateInput | RepeatInput,
  from: string,
  adjust: (request: ScheduleRequest) => Promise<ScheduleRequest>,
): Promise<CreatedSchedule> {
  if ("method" in input) return store(ctx, await adjust(scheduleRequest(ctx, input)));
  const stored = await storedRequestOrThrow(ctx, from);
  const { targetUrl, ...rest } = input;
  const target = targetUrl === undefined ? null : validateTarget(targetUrl, ctx.config.targetPolicy, ctx.tenant.env);
  if (targetUrl !== undefined && !(target?.ok && target.url === stored.targetUrl)) {
    return cloneElsewhere(ctx, stored, { ...rest, targetUrl }, adjust);
  }
  return store(ctx, await adjust(repeatRequest(ctx, stored, rest)));
}

/** The form as the API takes it: a new schedule, or the copy of one. Throws VALIDATION. */
function inputOf(draft: ScheduleDraft, storing: Storing): CreateInput | RepeatInput {
  const { method, url, payload, earlyFire, keepsHeaders, keepsPayload } = draft;
  const { time, idempotencyKey } = storing;
  const headers = Object.fromEntries(headerPairs(draft.headers));
  if (decodeId("sch", storing.from) !== null) {
    return validate(RepeatInput, {
      ...{ ...time, idempotencyKey, targetUrl: url.trim(), delivery: null, ...draftOptions(draft) },
      ...(!keepsPayload && { payload }),
      ...(!keepsHeaders && { headers }),
    });
  }
  const body = { targetUrl: url.trim(), method, ...time, headers, earlyFire, idempotencyKey };
  return validate(CreateInput, { ...body, ...(payload !== "" && { payload }), ...draftOptions(draft) });
}

/** Translates the API's errors to the fields of the form. */
function problemsOf(details: readonly ErrorDetail[], draft: ScheduleDraft): DraftProblem[] {
  return details.map((detail) => {
    const { path, message } = detail;
    if (path.startsWith("headers.")) {
      return { field: "header-0", message: `Headers: ${path.slice("headers.".length)} ${message}.` };
    }
    if (path === "fireAt") {
      return { field: draft.words === "" ? "at" : "words", message: "This has passed. Name a later instant." };
    }
    return problemOf(detail, NAMES);
  });
}

const NAMES: FieldNames = new Map([["idempotencyKey", ["idempotencyKey", "The key"]], ...REQUEST_NAMES]);
