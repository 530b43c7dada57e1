"use server";

import { headers } from "next/headers";
import { redirect } from "next/navigation";
import type { RecurrenceDraft } from "#domain/recurrence-draft.ts";
import type { DraftAnswer } from "#domain/schedule-draft.ts";
import { putByForm } from "#server/recurrences/put-by-form.ts";

/** The server action of the form, as that of a new schedule. */
export async function saveRecurrence(
  _before: DraftAnswer<RecurrenceDraft> | null,
  fields: FormData,
): Promise<DraftAnswer<RecurrenceDraft>> {
  const answer = await putByForm(await headers(), fields);
  if ("href" in answer && fields.get("script") === null) redirect(answer.href);
  return answer;
}
