"use client";

import { type FormEvent, useActionState, useEffect, useRef, useState } from "react";
import { type ChosenTime, chooseTime, type TypedTime } from "#domain/chosen-time.ts";
import { type DraftAnswer, readDraft, type ScheduleDraft } from "#domain/schedule-draft.ts";
import { useEarlyInput } from "../ui/use-early-input.ts";
import type { FailedDraft } from "./form-problems.tsx";
import { useClock } from "./use-clock.ts";

export type FormAction = (before: DraftAnswer | null, fields: FormData) => Promise<DraftAnswer>;

/**
 * The state of the form of a new schedule: the typed draft, the instant that it means now, and the answer to the last
 * submit. `send` submits in the background, so that the typed values survive an unreachable server; without scripts the
 * browser submits to `formAction`.
 */
export function useScheduleForm({
  action,
  initial,
  formKey,
  isZoneKnown,
  madeAtMs,
}: {
  action: FormAction;
  initial: ScheduleDraft;
  formKey: string;
  isZoneKnown: boolean;
  madeAtMs: number;
}) {
  const [answered, formAction] = useActionState(action, null);
  const atFirst = answered === null || "href" in answered ? null : answered;
  const [failed, setFailed] = useState<FailedDraft | null>(atFirst);
  const [draft, setDraft] = useState(atFirst?.draft ?? initial);
  const [isBusy, setBusy] = useState(false);
  const [refusals, setRefusals] = useState(0);
  const form = useEarlyInput<HTMLFormElement>((_, fields) => setDraft(readDraft(new FormData(fields))));
  const problems = useRef<HTMLDivElement>(null);
  const nowMs = useClock(madeAtMs);
  const chosen: ChosenTime = chooseTime(draft, nowMs);

  useBrowserZone(isZoneKnown || atFirst !== null ? null : initial.zone, (change) =>
    setDraft((before) => ({ ...before, ...change(before) })),
  );

  // After rendering: a hidden element cannot take the focus.
  useEffect(() => {
    if (refusals > 0) problems.current?.focus();
  }, [refusals]);

  /** Changes the draft, and removes the errors of the fields that were changed. */
  const change = (to: Partial<ScheduleDraft>, ...fields: (string | undefined)[]) => {
    setDraft((before) => ({ ...before, ...to }));
    if (fields.length === 0) return;
    setFailed(
      (before) => before && { ...before, problems: before.problems.filter(({ field }) => !fields.includes(field)) },
    );
  };

  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBusy) return;
    const fields = new FormData(event.currentTarget);
    fields.set("script", "1");
    setBusy(true);
    try {
      const answer = await action(null, fields);
      if ("href" in answer) return location.assign(answer.href);
      setFailed(answer);
    } catch {
      setFailed({ draft, formKey, problems: [], failure: NOT_TAKEN });
    }
    setBusy(false);
    setRefusals((before) => before + 1);
  };

  const errors = Object.fromEntries((failed?.problems ?? []).map(({ field, message }) => [field, message]));
  return { form, problems, draft, chosen, nowMs, failed, errors, isBusy, formAction, change, send };
}

const NOT_TAKEN =
  "The server did not accept the form. Press again: it is scheduled once. If that does not help, open this page in another tab; what you typed is still here.";

/**
 * Fills in the browser's zone in place of `fallback`, the zone of a page that was rendered without knowing it; null when it
 * was known. A zone that was already typed stays, and a date and time that were already typed keep theirs.
 */
function useBrowserZone(fallback: string | null, change: (to: (typed: TypedTime) => TypedTime) => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once: later input wins
  useEffect(() => {
    if (fallback === null) return;
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    change((typed) => (typed.at === "" && typed.zone === fallback ? { ...typed, zone: timeZone } : typed));
  }, []);
}
