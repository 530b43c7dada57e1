"use client";

import { useDeferredValue } from "react";
import { type ChosenTime, timeFieldOf } from "#domain/chosen-time.ts";
import type { ScheduleDraft } from "#domain/schedule-draft.ts";
import { CodeTabs } from "../ui/code-tabs.tsx";
import { curlOf, draftCall, fetchOf, sdkOf } from "./draft-code.ts";

/** The form as a call of the API. Hidden without scripts, because it could not follow the form. */
export function DraftCodeBlocks({
  draft,
  chosen,
  baseUrl,
  sdkName,
  from,
  isEarlyByDefault,
}: {
  draft: ScheduleDraft;
  chosen: ChosenTime;
  baseUrl: string;
  sdkName: string;
  from: string;
  isEarlyByDefault: boolean;
}) {
  const typed = useDeferredValue(draft);
  const time = chosen.ok ? timeFieldOf(chosen) : { fireAt: "2031-01-01T09:00:00.000Z" };
  const call = draftCall(typed, { baseUrl, from, time, isEarlyByDefault });
  if (call === null) return null;
  const samples = [
    { label: "curl", ...curlOf(call) },
    { label: "SDK", ...sdkOf(call, sdkName) },
    { label: "fetch", ...fetchOf(call) },
  ];
  return (
    <div className="grid grid-cols-1 gap-2 noscript:hidden">
      <h2 className="text-base">The same as code</h2>
      <CodeTabs what="The same as code" samples={samples.map(({ shown, ...sample }) => ({ ...sample, code: shown }))} />
    </div>
  );
}
