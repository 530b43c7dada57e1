import { DatabaseUnavailable } from "#db/client.ts";
import { chooseTime, type TimeField, timeFieldOf } from "#domain/chosen-time.ts";
import { environmentOf } from "#domain/environment.ts";
import { AppError, type ErrorDetail } from "#domain/errors.ts";
import { decodeId, encodeId } from "#domain/ids.ts";
import {
  type DraftAnswer,
  type DraftProblem,
  draftProblems,
  headerPairs,
  readDraft,
  type ScheduleDraft,
} from "#domain/schedule-draft.ts";
import { assertSameOrigin } from "../auth/same-origin.ts";
import type { Ctx } from "../context.ts";
import { addCookieToAnswer, beginAction } from "../edge/page-answer.ts";
import { flashCookie } from "../http/flash-cookie.ts";
import { pageUrl } from "../http/page-url.ts";
import { invalid, validate } from "../input/validate.ts";
import { readPageCtx } from "../page-ctx.ts";
import { getServices } from "../services.ts";
import { type CreatedSchedule, createOne } from "./create.ts";
import { CreateInput } from "./create-input.ts";
import { keyOfForm } from "./form-key.ts";
import { repeatSchedule } from "./repeat.ts";
import { RepeatInput } from "./repeat-input.ts";

/**
 * Stores the schedule of the form, as the user that `headers` authenticate. Validates like the API. The hidden
 * `formKey` makes a repeated submit with the same content idempotent. With `intent`
 * "add-header" it stores nothing and adds a row, which makes that button work without scripts. Throws VALIDATION when
 * `fields`, which Next.js makes of what a caller sends, are none.
 */
export async function createByForm(headers: Headers, fields: FormData): Promise<DraftAnswer> {
  if (!(fields instanceof FormData)) throw invalid([{ path: "", message: "must be a form" }]);
  beginAction();
  const draft = readDraft(fields);
  const form = { from: text(fields, "from"), formKey: text(fields, "formKey") };
  if (fields.get("intent") === "add-header") {
    const headers = [...draft.headers, { name: "", value: "" }];
    return { draft: { ...draft, headers }, formKey: form.formKey, problems: [], failure: null };
  }
  const refused = (failure: string, more: { isSignedOut?: boolean } = {}) => ({
    draft,
    formKey: form.formKey,
    problems: [],
    failure,
    ...more,
  });
  const env = environmentOf(fields.get("env"));
  try {
    assertSameOrigin(headers, getServices().config.baseUrl);
    const ctx = await readPageCtx(headers, { env, writes: true });
    if (ctx === null) return refused("You are signed out.", { isSignedOut: true });
    return await storeDraft(ctx, draft, form);
  } catch (error) {
    if (error instanceof DatabaseUnavailable) {
      return refused(`${error.publicMessage} Press again: it is stored once.`);
    }
    if (!(error instanceof AppError)) throw error;
    if (error.code === "UNAUTHORIZED") return refused("You are signed out.", { isSignedOut: true });
    const problems = error.code === "VALIDATION" ? problemsOf(error.details ?? [], draft) : [];
    if (error.code === "PAYLOAD_TOO_LARGE") problems.push({ field: "payload", message: error.publicMessage });
    return { draft, formKey: form.formKey, problems, failure: problems.length > 0 ? null : error.publicMessage };
  }
}

type Form = { from: string; formKey: string };

async function storeDraft(ctx: Ctx, draft: ScheduleDraft, form: Form): Promise<DraftAnswer> {
  const chosen = chooseTime(draft, Date.now());
  const problems = draftProblems(draft, ctx.limits.payloadBytesMax);
  if (!chosen.ok) problems.unshift({ field: chosen.field, message: chosen.message });
  if (problems.length > 0 || !chosen.ok) return { draft, formKey: form.formKey, problems, failure: null };

  const own = draft.idempotencyKey !== "";
  // Compares the typed words, because relative ones ("in 5m") mean another instant each time.
  const idempotencyKey = own
    ? draft.idempotencyKey
    : keyOfForm(ctx.requestHashKey, form.formKey, [ctx.tenant.env, form.from, draft]);
  const created = await createOrRepeat(ctx, draft, { time: timeFieldOf(chosen), idempotencyKey, from: form.from });
  const page = `/schedules/${encodeId("sch", created.id)}`;
  if (own && created.outcome === "replayed" && created.mismatch) {
    const message = "A schedule for another request has this key. Nothing was stored.";
    return {
      draft,
      formKey: form.formKey,
      problems: [{ field: "idempotencyKey", message }],
      failure: null,
      existingHref: pageUrl(page, ctx.tenant.env),
    };
  }
  const result = created.outcome === "replayed" ? "known" : created.overLimit ? "over" : "created";
  addCookieToAnswer(flashCookie(ctx.config, page, { result }));
  return { href: pageUrl(page, ctx.tenant.env) };
}

type Storing = { time: TimeField; idempotencyKey: string; from: string };

function createOrRepeat(ctx: Ctx, draft: ScheduleDraft, storing: Storing): Promise<CreatedSchedule> {
  const { method, url, payload, earlyFire, keepsHeaders, keepsPayload } = draft;
  const { time, idempotencyKey } = storing;
  const headers = Object.fromEntries(headerPairs(draft.headers));
  if (decodeId("sch", storing.from) !== null) {
    const input = validate(RepeatInput, {
      ...{ ...time, idempotencyKey },
      ...(!keepsPayload && { payload }),
      ...(!keepsHeaders && { headers }),
    });
    return repeatSchedule(ctx, storing.from, input);
  }
  const body = { targetUrl: url.trim(), method, ...time, headers, earlyFire, idempotencyKey };
  return createOne(ctx, validate(CreateInput, { ...body, ...(payload !== "" && { payload }) }));
}

/** Translates the API's errors to the fields of the form. */
function problemsOf(details: readonly ErrorDetail[], draft: ScheduleDraft): DraftProblem[] {
  return details.map(({ path, message }) => {
    const [field = ""] = path.split(".", 1);
    if (field === "headers")
      return { field: "header-0", message: `Headers: ${path.slice("headers.".length)} ${message}.` };
    if (field === "fireAt") {
      return { field: draft.words === "" ? "at" : "words", message: "This has passed. Name a later instant." };
    }
    const named = NAMES.get(field);
    return named
      ? { field: named.field, message: `${named.name} ${message}.` }
      : { field: "url", message: `${path} ${message}.` };
  });
}

const NAMES = new Map<string, { field: string; name: string }>(
  Object.entries({
    targetUrl: { field: "url", name: "The URL" },
    payload: { field: "payload", name: "The payload" },
    idempotencyKey: { field: "idempotencyKey", name: "The key" },
  }),
);

function text(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === "string" ? value : "";
}
