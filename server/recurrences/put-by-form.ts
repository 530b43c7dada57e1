import { delaysRejection } from "#contract/inputs/delivery-input.ts";
import { RecurrenceInput } from "#contract/inputs/recurrence-input.ts";
import { validate } from "#contract/inputs/validate.ts";
import { recurrenceNotFound, targetRejection } from "#contract/refusals.ts";
import { readRelaySettings } from "#db/queries/accounts/relay-settings.ts";
import { findRecurrence, findSealedRequest } from "#db/queries/recurrences/find.ts";
import { writeCronChoice } from "#domain/cron-choices.ts";
import { AppError, type ErrorDetail } from "#domain/errors.ts";
import { formatInstant } from "#domain/instant.ts";
import { type RecurrenceDraft, readRecurrenceDraft, readTimes } from "#domain/recurrence-draft.ts";
import { effectiveRelaySettings } from "#domain/relay-settings.ts";
import {
  type DraftAnswer,
  type DraftProblem,
  draftOptions,
  draftProblems,
  headerPairs,
  REQUEST_NAMES,
} from "#domain/schedule-draft.ts";
import { openRequest, unpackRequest } from "#domain/sealed-request.ts";
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
import { getRecurrence } from "./get.ts";
import { putRecurrence } from "./put.ts";

/** The page of a recurrence, which has its key as a parameter: paths cannot carry every key. */
export const RECURRENCE_PAGE = "/recurrences/one";

/**
 * Stores the recurrence of the form, as the user that `headers` authenticate: a new one, or the field `stored` changes one.
 * Validates like the API. With `intent` "preview" or "choice" it stores nothing, and answers with the draft. Throws what
 * `runFormAction` throws.
 */
export async function putByForm(headers: Headers, fields: FormData): Promise<DraftAnswer<RecurrenceDraft>> {
  const isStored = fields instanceof FormData && fields.get("stored") === "1";
  return runFormAction(headers, fields, {
    read: readRecurrenceDraft,
    problemsOf,
    pressAgain: "Press again.",
    onIntent(intent, draft) {
      if (intent === "preview") return draft;
      if (intent === "choice" && draft.choice !== "")
        return { ...draft, cron: writeCronChoice(draft.choice, draft.time) };
      return addsHeader(intent, draft);
    },
    store: (ctx, draft, refused) => storeDraft(ctx, draft, isStored, refused),
  });
}

async function storeDraft(
  ctx: Ctx,
  draft: RecurrenceDraft,
  isStored: boolean,
  refused: Refuse<RecurrenceDraft>,
): Promise<DraftAnswer<RecurrenceDraft>> {
  const nowMs = Date.now();
  const kept = isStored ? await readKept(ctx, draft) : { problems: [] };
  const problems = [...draftProblems(draft, ctx.limits.payloadBytesMax), ...kept.problems];
  const read = readTimes(draft, nowMs);
  if (!read.ok) problems.push(...read.problems);
  const key = isStored ? draft.key : draft.key.trim() || keyOf(draft);
  const input = readInput(await withoutDefaults(ctx, draft), read.ok ? read : undefined, kept, problems);
  const target = validateTarget(draft.url.trim(), ctx.config.targetPolicy, ctx.tenant.env);
  const refusals = [target.ok ? null : targetRejection(target.reason), delaysRejection(input?.delivery, ctx.limits)];
  problems.push(...problemsOf(refusals.flatMap((refusal) => refusal?.details ?? [])));
  if (input === undefined || problems.length > 0) return refused(firstOfEach(problems));
  const page = pageUrl(RECURRENCE_PAGE, ctx.tenant.env, { key });
  try {
    const { taken, inFlight, isNew } = await putRecurrence(ctx, key, input, { isDry: false, mustBeNew: !isStored });
    const counts = { taken: String(taken), inFlight: String(inFlight) };
    addCookieToAnswer(flashCookie(ctx.config, RECURRENCE_PAGE, { result: isNew ? "created" : "changed", ...counts }));
    return { href: page };
  } catch (error) {
    const mayBeTaken = error instanceof AppError && error.code === "CONFLICT" && !isStored;
    if (!mayBeTaken || !(await isTaken(ctx, key))) throw error;
    return refused([{ field: "key", message: "Another recurrence has this key. Nothing was stored." }], {
      existingHref: page,
    });
  }
}

async function isTaken(ctx: Ctx, key: string): Promise<boolean> {
  return (await ctx.query(({ sql }) => findRecurrence(sql, ctx.tenant, key))) !== undefined;
}

/** The draft without what is as the account has it, so that it follows the account's setting. */
async function withoutDefaults(ctx: Ctx, draft: RecurrenceDraft): Promise<FormInput> {
  const saved = await ctx.query(({ db }) => readRelaySettings(db, ctx.tenant.accountId));
  const { earlyFire } = effectiveRelaySettings(saved, ctx.limits);
  return { ...draft, earlyFire: draft.earlyFire === earlyFire ? undefined : draft.earlyFire };
}

type FormInput = Omit<RecurrenceDraft, "earlyFire"> & { earlyFire: boolean | undefined };

/** The key of a new recurrence without one: made from its name, or from its rule and target. */
function keyOf({ name, url, cron }: RecurrenceDraft): string {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
      .replaceAll(/^-|-$/g, "");
  return plain(name) || plain(`${url.replace(/^https?:\/\//i, "")} ${cron}`).slice(0, 100) || "recurrence";
}

type Kept = { payload?: string; headers?: Record<string, string>; problems: DraftProblem[] };

/** The stored payload and headers that the draft keeps. They go along only to the same URL. */
async function readKept(ctx: Ctx, { key, url, keepsHeaders, keepsPayload }: RecurrenceDraft): Promise<Kept> {
  const { id } = await getRecurrence(ctx, key);
  if (!keepsHeaders && !keepsPayload) return { problems: [] };
  const stored = await ctx.query(({ sql }) => findSealedRequest(sql, ctx.tenant, id));
  if (stored === undefined) throw recurrenceNotFound();
  const target = validateTarget(url.trim(), ctx.config.targetPolicy, ctx.tenant.env);
  if (target.ok && target.url !== stored.targetUrl) {
    const message = "What is stored goes along only to the same URL. For another one, untick it, and give it anew.";
    return { problems: [{ field: "url", message }] };
  }
  const { sealed, ...to } = stored;
  const content = sealed && unpackRequest(openRequest(ctx.config.keyRing, sealed, { ...ctx.tenant, ...to }));
  return {
    ...(keepsPayload && content && { payload: content.payload.toString() }),
    ...(keepsHeaders && { headers: Object.fromEntries(content?.headers ?? []) }),
    problems: [],
  };
}

/** The form as the API takes it; what the API refuses is added to `problems`. */
function readInput(
  draft: FormInput,
  read: Extract<ReturnType<typeof readTimes>, { ok: true }> | undefined,
  kept: Kept,
  problems: DraftProblem[],
): RecurrenceInput | undefined {
  const { cron, zone, onClockChange, overlap, catchUp, name, url, method, earlyFire, keepsPayload } = draft;
  const payload = keepsPayload ? (kept.payload ?? "") : draft.payload;
  const endsAtMs = read?.times.endsAtMs ?? null;
  try {
    return validate(RecurrenceInput, {
      // A rule or zone that is wrong is named already.
      ...(read ? { cron, timezone: zone } : { cron: "@daily" }),
      ...{ onClockChange, overlap, catchUp, targetUrl: url.trim(), method, earlyFire, spreadMs: read?.spreadMs ?? 0 },
      headers: kept.headers ?? (problems.length > 0 ? {} : Object.fromEntries(headerPairs(draft.headers))),
      ...(endsAtMs !== null && { endsAt: formatInstant(endsAtMs) }),
      ...(name.trim() !== "" && { name }),
      ...(payload !== "" && { payload }),
      ...draftOptions(draft),
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "VALIDATION") throw error;
    problems.push(...problemsOf(error.details ?? []));
    return undefined;
  }
}

/** Translates the API's errors to the fields of the form. */
function problemsOf(details: readonly ErrorDetail[]): DraftProblem[] {
  return details.map((detail) => problemOf(detail, NAMES));
}

const NAMES: FieldNames = new Map([
  ["key", ["key", "The key"]],
  ["name", ["name", "The name"]],
  ["cron", ["cron", "The rule"]],
  ["timezone", ["zone", "The zone"]],
  ["endsAt", ["ends", "The end"]],
  ["headers", ["header-0", "A header"]],
  ...REQUEST_NAMES,
]);
