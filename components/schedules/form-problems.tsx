"use client";

import type { FailedDraft } from "#domain/schedule-draft.ts";
import { ErrorSummary } from "../ui/error-summary.tsx";
import { Notice } from "../ui/notice.tsx";
import { TextLink } from "../ui/text-link.tsx";

/** Why a form was not stored: the errors of its fields and any other error. Nothing before the first submit. */
export function FormProblems({
  failed,
  signInHref,
  what,
  notDone,
}: {
  failed: FailedDraft<unknown> | null;
  signInHref: string;
  /** What the form makes. */
  what: string;
  notDone: string;
}) {
  if (failed === null) return null;
  return (
    <div className="grid gap-3 empty:hidden">
      <ErrorSummary problems={failed.problems.map(({ field, message }) => ({ id: field, message }))} />
      {failed.existingHref && (
        <Notice kind="info">
          <TextLink href={failed.existingHref}>The {what} with this key</TextLink> is unchanged.
        </Notice>
      )}
      {failed.failure !== null && (
        <Notice kind="bad" announce="alert">
          <b>{notDone}</b> {failed.failure}
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
