"use client";

import { type FormEvent, useActionState, useEffect, useRef, useState } from "react";
import { chooseTime } from "#domain/chosen-time.ts";
import type { Environment } from "#domain/environment.ts";
import { type DraftAnswer, readDraft, type ScheduleDraft } from "#domain/schedule-draft.ts";
import { Button } from "../ui/button.tsx";
import { Card, CardBody, CardHead } from "../ui/card.tsx";
import { Checkbox } from "../ui/choice.tsx";
import { TextField } from "../ui/field.tsx";
import { type Cloned, ClonedRequest } from "./cloned-request.tsx";
import { DraftCodeBlocks } from "./draft-code-blocks.tsx";
import { type FailedDraft, FormProblems } from "./form-problems.tsx";
import { RequestFields } from "./request-fields.tsx";
import { TimePreview } from "./time-preview.tsx";
import { useBrowserZone } from "./use-browser-zone.ts";
import { useClock } from "./use-clock.ts";
import { WhenFields } from "./when-fields.tsx";

/**
 * The form of a new schedule or a clone. Without scripts `action` answers with the page and the typed values. With
 * scripts it is sent in the background, so that the typed values survive an unreachable server.
 */
export function NewScheduleForm({
  action,
  initial,
  formKey,
  env,
  isZoneKnown,
  madeAtMs,
  payloadBytesMax,
  isEarlyByDefault,
  mayAllowMore,
  baseUrl,
  cloned,
  signInHref,
}: {
  action: (before: DraftAnswer | null, fields: FormData) => Promise<DraftAnswer>;
  initial: ScheduleDraft;
  /** Identifies this form: sending it again with the same content stores nothing more. */
  formKey: string;
  env: Environment;
  isZoneKnown: boolean;
  madeAtMs: number;
  payloadBytesMax: number;
  isEarlyByDefault: boolean;
  /** The operator allows targets beyond the public ones. */
  mayAllowMore: boolean;
  baseUrl: string;
  cloned?: Cloned;
  signInHref: string;
}) {
  const [answered, formAction] = useActionState(action, null);
  const atFirst = answered === null || "href" in answered ? null : answered;
  const [failed, setFailed] = useState<FailedDraft | null>(atFirst);
  const [draft, setDraft] = useState(atFirst?.draft ?? initial);
  const [isBusy, setBusy] = useState(false);
  const [refusals, setRefusals] = useState(0);
  const form = useRef<HTMLFormElement>(null);
  const problems = useRef<HTMLDivElement>(null);
  const nowMs = useClock(madeAtMs);
  const chosen = chooseTime(draft, nowMs);

  // The values that were typed before this script ran.
  useEffect(() => {
    if (form.current) setDraft(readDraft(new FormData(form.current)));
  }, []);
  useBrowserZone(isZoneKnown || atFirst !== null, (change) => setDraft((before) => ({ ...before, ...change(before) })));

  // After rendering: a hidden element cannot take the focus.
  useEffect(() => {
    if (refusals > 0) problems.current?.focus();
  }, [refusals]);

  const errors = Object.fromEntries((failed?.problems ?? []).map(({ field, message }) => [field, message]));
  const set = (change: Partial<ScheduleDraft>, field?: string) => {
    setDraft((before) => ({ ...before, ...change }));
    if (field !== undefined && errors[field]) {
      setFailed((before) => before && { ...before, problems: before.problems.filter((one) => one.field !== field) });
    }
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

  return (
    <form
      ref={form}
      action={formAction}
      onSubmit={send}
      className="grid grid-cols-1 items-start gap-5 min-[72rem]:grid-cols-[minmax(0,1fr)_25rem]"
    >
      <input type="hidden" name="env" value={env} />
      <input type="hidden" name="formKey" value={failed?.formKey ?? formKey} />
      {cloned && <input type="hidden" name="from" value={cloned.id} />}
      {/* Enter in a field activates the first button of the form. */}
      <button type="submit" tabIndex={-1} aria-hidden="true" className="sr-only">
        Schedule it
      </button>
      <div className="grid min-w-0 grid-cols-1 gap-5">
        <div ref={problems} tabIndex={-1} className="empty:hidden">
          <FormProblems failed={failed} signInHref={signInHref} />
        </div>
        <Card>
          <CardHead title="When">
            <span className="text-ink-muted text-xs">Clock: the database&rsquo;s</span>
          </CardHead>
          <CardBody className="grid grid-cols-1 gap-4">
            <WhenFields
              typed={draft}
              chosen={chosen}
              nowMs={nowMs}
              errors={errors}
              onChange={({ words, at, zone, occurrence }) => {
                set({ words, at, zone, occurrence });
                setFailed(
                  (before) => before && { ...before, problems: before.problems.filter((one) => !TIMES.has(one.field)) },
                );
              }}
            />
            {!cloned && (
              <Checkbox
                name="earlyFire"
                value="1"
                checked={draft.earlyFire}
                onChange={(event) => set({ earlyFire: event.target.checked })}
                label="Early fire"
                hint="Leave ahead by the estimated way to the target, so that it arrives at the instant. Its offset may be negative."
              />
            )}
          </CardBody>
        </Card>
        <Card>
          <CardHead title="Request" />
          <CardBody className="grid grid-cols-1 gap-4">
            {cloned ? (
              <ClonedRequest
                cloned={cloned}
                draft={draft}
                errors={errors}
                payloadBytesMax={payloadBytesMax}
                onChange={set}
              />
            ) : (
              <RequestFields
                draft={draft}
                errors={errors}
                mayAllowMore={mayAllowMore}
                payloadBytesMax={payloadBytesMax}
                onChange={set}
              />
            )}
          </CardBody>
        </Card>
        <Card>
          <CardHead title="Sent once" />
          <CardBody>
            <TextField
              id="idempotencyKey"
              name="idempotencyKey"
              label="Idempotency key"
              mono
              autoComplete="off"
              spellCheck={false}
              value={draft.idempotencyKey}
              onChange={(event) => set({ idempotencyKey: event.target.value }, "idempotencyKey")}
              error={errors.idempotencyKey}
              hint="Optional: this form is stored once in any case. The same key gives the same schedule, for as long as it exists."
            />
          </CardBody>
        </Card>
      </div>
      <div className="grid min-w-0 grid-cols-1 gap-5 min-[72rem]:sticky min-[72rem]:top-17">
        <TimePreview chosen={chosen} nowMs={nowMs}>
          <Button type="submit" kind="primary" busy={isBusy} className="w-full">
            {isBusy ? "Storing" : "Schedule it"}
          </Button>
        </TimePreview>
        <DraftCodeBlocks
          draft={draft}
          chosen={chosen}
          baseUrl={baseUrl}
          from={cloned?.id ?? ""}
          isEarlyByDefault={isEarlyByDefault}
        />
      </div>
    </form>
  );
}

const TIMES = new Set(["words", "at", "zone"]);
const NOT_TAKEN =
  "The server did not take the form. Press again: it is stored once. If that does not help, open this page in another tab; what you typed is still here.";
