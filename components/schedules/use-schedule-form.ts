"use client";

import { type Dispatch, type SetStateAction, useEffect } from "react";
import { type ChosenTime, chooseTime, type TypedTime } from "#domain/chosen-time.ts";
import { readDraft, type ScheduleDraft } from "#domain/schedule-draft.ts";
import { useClock } from "./use-clock.ts";
import { type DraftAction, useDraftForm } from "./use-draft-form.ts";

export type FormAction = DraftAction<ScheduleDraft>;

/** The state of the form of a new schedule, and the instant that it means now. */
export function useScheduleForm({
  isZoneKnown,
  madeAtMs,
  ...options
}: {
  action: FormAction;
  initial: ScheduleDraft;
  formKey: string;
  isZoneKnown: boolean;
  madeAtMs: number;
}) {
  const { setDraft, isAnswer, ...form } = useDraftForm({ ...options, read: readDraft, notTaken: NOT_TAKEN });
  const nowMs = useClock(madeAtMs);
  const chosen: ChosenTime = chooseTime(form.draft, nowMs);
  useBrowserZone(isZoneKnown || isAnswer ? null : options.initial.zone, setDraft, ({ at }) => at === "");
  return { ...form, chosen, nowMs };
}

const NOT_TAKEN =
  "The server did not accept the form. Press again: it is scheduled once. If that does not help, open this page in another tab; what you typed is still here.";

/**
 * Fills in the browser's zone in place of `fallback`, the zone of a page that was rendered without knowing it; null when it
 * was known. A zone that was already typed stays, and a draft that is not `isOpen` any more keeps its own.
 */
export function useBrowserZone<Draft extends Pick<TypedTime, "zone">>(
  fallback: string | null,
  change: Dispatch<SetStateAction<Draft>>,
  isOpen: (draft: Draft) => boolean = () => true,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once: later input wins
  useEffect(() => {
    if (fallback === null) return;
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    change((typed) => (isOpen(typed) && typed.zone === fallback ? { ...typed, zone: timeZone } : typed));
  }, []);
}
