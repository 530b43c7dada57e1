import { invalid } from "#contract/inputs/validate.ts";
import { DatabaseUnavailable } from "#db/client.ts";
import { environmentOf } from "#domain/environment.ts";
import { AppError, type ErrorDetail, SignInTooOld } from "#domain/errors.ts";
import { type DraftAnswer, type DraftProblem, type FailedDraft, textOf } from "#domain/schedule-draft.ts";
import { assertSameOrigin } from "../auth/same-origin.ts";
import type { Ctx } from "../context.ts";
import { beginAction } from "../http/page-answer.ts";
import { readPageCtx } from "../page-ctx.ts";
import { getServices } from "../services.ts";

/** A form that a server action stores. */
export type ActionForm<Draft> = {
  /** Reads the draft from the fields. */
  read: (fields: FormData) => Draft;
  /** Translates what the API says of its fields to those of the form. */
  problemsOf: (details: readonly ErrorDetail[], draft: Draft) => DraftProblem[];
  /** What to do while the database is away: "Press again: it is scheduled once." */
  pressAgain: string;
  /** The draft that an intent such as "preview" answers with, without storing anything; undefined: it is stored. */
  onIntent?: (intent: string, draft: Draft) => Draft | undefined;
  store: (ctx: Ctx, draft: Draft, refused: Refuse<Draft>) => Promise<DraftAnswer<Draft>>;
};

/** An answer to the form that stored nothing. */
export type Refuse<Draft> = (problems: DraftProblem[], more?: Partial<FailedDraft<Draft>>) => FailedDraft<Draft>;

/**
 * Runs a form that a server action stores, as the user that `headers` authenticate. Its answer is the page to go to, or the typed
 * fields with their errors. Throws VALIDATION when `fields`, which Next.js makes of what a caller sends, are none.
 */
export async function runFormAction<Draft>(
  headers: Headers,
  fields: FormData,
  { read, problemsOf, pressAgain, onIntent, store }: ActionForm<Draft>,
): Promise<DraftAnswer<Draft>> {
  if (!(fields instanceof FormData)) throw invalid([{ path: "", message: "must be a form" }]);
  beginAction();
  const draft = read(fields);
  const formKey = textOf(fields.get("formKey"));
  const refused: Refuse<Draft> = (problems, more) => ({ draft, formKey, problems, failure: null, ...more });
  const answered = onIntent?.(textOf(fields.get("intent")), draft);
  if (answered !== undefined) return refused([], { draft: answered });
  try {
    assertSameOrigin(headers, getServices().config.baseUrl);
    const ctx = await readPageCtx(headers, { env: environmentOf(fields.get("env")), writes: true });
    if (ctx === null) return refused([], SIGNED_OUT);
    return await store(ctx, draft, refused);
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return refused([], { failure: `${error.publicMessage} ${pressAgain}` });
    if (!(error instanceof AppError)) throw error;
    if (error.code === "UNAUTHORIZED") return refused([], SIGNED_OUT);
    if (error instanceof SignInTooOld) {
      const message = "To send it to another URL, sign in again: your sign-in is older than a day. Then press again.";
      return refused([{ field: "url", message }]);
    }
    const problems = error.code === "VALIDATION" ? problemsOf(error.details ?? [], draft) : [];
    if (error.code === "PAYLOAD_TOO_LARGE") problems.push({ field: "payload", message: error.publicMessage });
    return refused(problems, { failure: problems.length > 0 ? null : error.publicMessage });
  }
}

const SIGNED_OUT = { failure: "You are signed out.", isSignedOut: true };

/** The intent of the button that adds a row for a header, which works without scripts. */
export function addsHeader<Draft extends { headers: readonly { name: string; value: string }[] }>(
  intent: string,
  draft: Draft,
): Draft | undefined {
  return intent === "add-header" ? { ...draft, headers: [...draft.headers, { name: "", value: "" }] } : undefined;
}

/** The field of a form, and what it is called there, for each path of the API's errors. */
export type FieldNames = ReadonlyMap<string, readonly [field: string, name: string]>;

/** Translates an error of the API to the field of a form that it is about. */
export function problemOf({ path, message }: ErrorDetail, names: FieldNames): DraftProblem {
  const [first = "", option = "", entry] = path.split(".");
  if (entry !== undefined) return { field: "retryDelays", message: `Wait ${Number(entry) + 1} ${message}.` };
  const [field, name] = names.get(option === "" || first === "headers" ? first : option) ?? ["url", path];
  return { field, message: `${name} ${message}.` };
}

/** The first problem of each field. */
export function firstOfEach(problems: readonly DraftProblem[]): DraftProblem[] {
  return problems.filter(({ field }, at) => problems.findIndex((one) => one.field === field) === at);
}
