"use server";

import { headers } from "next/headers";
import { redirect } from "next/navigation";
import type { DraftAnswer } from "#domain/schedule-draft.ts";
import { createByForm } from "#server/schedules/create-by-form.ts";

/** The target of the form. A script goes on by itself, to keep what was typed should that fail. */
export async function createSchedule(_before: DraftAnswer | null, fields: FormData): Promise<DraftAnswer> {
  const answer = await createByForm(await headers(), fields);
  if ("href" in answer && fields.get("script") === null) redirect(answer.href);
  return answer;
}
