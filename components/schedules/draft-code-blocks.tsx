"use client";

import { useDeferredValue } from "react";
import { type ChosenTime, timeFieldOf } from "#domain/chosen-time.ts";
import type { ScheduleDraft } from "#domain/schedule-draft.ts";
import { CodeBlock } from "../ui/code-block.tsx";
import { curlOf, draftCall, fetchOf } from "./draft-code.ts";

/** The form as a call of the API. Hidden without scripts, because it could not follow the form. */
export function DraftCodeBlocks({
  draft,
  chosen,
  baseUrl,
  from,
  isEarlyByDefault,
}: {
  draft: ScheduleDraft;
  chosen: ChosenTime;
  baseUrl: string;
  from: string;
  isEarlyByDefault: boolean;
}) {
  const typed = useDeferredValue(draft);
  const time = chosen.ok ? timeFieldOf(chosen) : { fireAt: "2031-01-01T09:00:00.000Z" };
  const call = draftCall(typed, { baseUrl, from, time, isEarlyByDefault });
  if (call === null) return null;
  const curl = curlOf(call);
  const byFetch = fetchOf(call);
  return (
    <div className="grid grid-cols-1 gap-3 noscript:hidden">
      <CodeBlock title="The same by curl" what="curl command" code={curl.shown} copied={curl.copied} />
      <CodeBlock title="By fetch" what="fetch call" code={byFetch.shown} copied={byFetch.copied} />
    </div>
  );
}
