"use server";

import { headers } from "next/headers";
import { redirect } from "next/navigation";
import type { DraftAnswer } from "#domain/schedule-draft.ts";
import { createByForm } from "#server/schedules/create-by-form.ts";

/** The server action of the form. With scripts the browser navigates itself, so that typed text survives a failed navigation. */
export async function createSchedule(_before: DraftAnswer | null, fields: FormData): Promise<DraftAnswer> {
  const answer = await createByForm(await headers(), fields);
  if ("href" in answer && fields.get("script") === null) redirect(answer.href);
  return answer;
}
