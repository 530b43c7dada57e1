"use client";

import { type ReactNode, useDeferredValue } from "react";
import { type ChosenTime, timeFieldOf } from "#domain/chosen-time.ts";
import type { ScheduleDraft } from "#domain/schedule-draft.ts";
import { CodeTabs } from "../ui/code-tabs.tsx";
import { curlOf, draftCall, fetchOf, type Original, sdkOf } from "./draft-code.ts";

/** The form as a call of the API. Hidden without scripts, because it could not follow the form. */
export function DraftCodeBlocks({
  draft,
  chosen,
  baseUrl,
  sdkName,
  original,
  isEarlyByDefault,
}: {
  draft: ScheduleDraft;
  chosen: ChosenTime;
  baseUrl: string;
  sdkName: string;
  /** The schedule that a clone is made from. */
  original: Original | undefined;
  isEarlyByDefault: boolean;
}) {
  const typed = useDeferredValue(draft);
  if (!chosen.ok) return <NoTimeYet />;
  const time = timeFieldOf(chosen);
  const call = draftCall(typed, { baseUrl, original, time, isEarlyByDefault });
  if (call === null) return null;
  const samples = [
    { label: "curl", ...curlOf(call) },
    { label: "SDK", ...sdkOf(call, sdkName) },
    { label: "fetch", ...fetchOf(call) },
  ];
  return (
    <AsCode>
      <CodeTabs what="The same as code" samples={samples.map(({ shown, ...sample }) => ({ ...sample, code: shown }))} />
    </AsCode>
  );
}

function NoTimeYet() {
  return (
    <AsCode>
      <p className="text-ink-muted text-sm">Shown once the form names a time.</p>
    </AsCode>
  );
}

function AsCode({ children }: { children: ReactNode }) {
  return (
    <div className="grid grid-cols-1 gap-2 noscript:hidden [&_pre]:wrap-anywhere [&_pre]:whitespace-pre-wrap">
      <h2 className="text-base">The same as code</h2>
      {children}
    </div>
  );
}
