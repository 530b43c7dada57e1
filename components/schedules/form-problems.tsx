"use client";

import type { DraftAnswer } from "#domain/schedule-draft.ts";
import { ErrorSummary } from "../ui/error-summary.tsx";
import { Notice } from "../ui/notice.tsx";
import { TextLink } from "../ui/text-link.tsx";

/** What sending the form came to when nothing was stored. */
export type FailedDraft = Exclude<DraftAnswer, { href: string }>;

/** Why a form was not stored: each field that is wrong, and what is wrong besides. Nothing when it was not sent yet. */
export function FormProblems({ failed, signInHref }: { failed: FailedDraft | null; signInHref: string }) {
  if (failed === null) return null;
  return (
    <div className="grid gap-3 empty:hidden">
      <ErrorSummary problems={failed.problems.map(({ field, message }) => ({ id: field, message }))} />
      {failed.existingHref && (
        <Notice kind="info">
          <TextLink href={failed.existingHref}>The schedule with this key</TextLink> is as it was.
        </Notice>
      )}
      {failed.failure !== null && (
        <Notice kind="bad" announce="alert">
          <b>Not stored.</b> {failed.failure}
          {failed.isSignedOut && (
            <>
              {" "}
              <TextLink href={signInHref} target="_blank">
                Sign in in another tab
              </TextLink>
              , and press again here.
            </>
          )}
        </Notice>
      )}
    </div>
  );
}
