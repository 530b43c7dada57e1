"use client";

import { type FormEvent, useActionState, useEffect, useRef, useState } from "react";
import type { DraftAnswer, FailedDraft } from "#domain/schedule-draft.ts";
import { useEarlyInput } from "../ui/use-early-input.ts";

export type DraftAction<Draft> = (before: DraftAnswer<Draft> | null, fields: FormData) => Promise<DraftAnswer<Draft>>;

/**
 * The state of a form that a server action stores: the typed draft, and the answer to the last submit. `send` submits in the
 * background, so that the typed values survive an unreachable server; without scripts the browser submits to `formAction`.
 */
export function useDraftForm<Draft>({
  action,
  initial,
  formKey,
  read,
  notTaken,
}: {
  action: DraftAction<Draft>;
  initial: Draft;
  formKey: string;
  /** Reads the draft from the fields. */
  read: (fields: FormData) => Draft;
  /** What to say when the server did not answer. */
  notTaken: string;
}) {
  const [answered, formAction] = useActionState(action, null);
  const atFirst = answered === null || "href" in answered ? null : answered;
  const [failed, setFailed] = useState<FailedDraft<Draft> | null>(atFirst);
  const [draft, setDraft] = useState(atFirst?.draft ?? initial);
  const [isBusy, setBusy] = useState(false);
  const [refusals, setRefusals] = useState(0);
  const form = useEarlyInput<HTMLFormElement>((_, fields) => setDraft(read(new FormData(fields as HTMLFormElement))));
  const problems = useRef<HTMLDivElement>(null);

  // After rendering: a hidden element cannot take the focus.
  useEffect(() => {
    if (refusals > 0) problems.current?.focus();
  }, [refusals]);

  /** Changes the draft, and removes the errors of the fields that were changed. */
  const change = (to: Partial<Draft>, ...fields: (string | undefined)[]) => {
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
      setFailed({ draft, formKey, problems: [], failure: notTaken });
    }
    setBusy(false);
    setRefusals((before) => before + 1);
  };

  const errors = Object.fromEntries((failed?.problems ?? []).map(({ field, message }) => [field, message]));
  const isAnswer = atFirst !== null;
  return { form, problems, draft, setDraft, failed, isAnswer, errors, isBusy, formAction, change, send };
}

export type DraftFormState = ReturnType<typeof useDraftForm<unknown>>;
