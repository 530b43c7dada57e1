"use client";

import type { Environment } from "#domain/environment.ts";
import type { ScheduleDraft } from "#domain/schedule-draft.ts";
import { Button } from "../ui/button.tsx";
import { Card, CardBody, CardHead } from "../ui/card.tsx";
import { TextField } from "../ui/field.tsx";
import { type Cloned, ClonedRequest } from "./cloned-request.tsx";
import { DeliveryFields } from "./delivery-fields.tsx";
import { DraftCodeBlocks } from "./draft-code-blocks.tsx";
import { DraftForm } from "./draft-form.tsx";
import { EarlyFireField } from "./early-fire-field.tsx";
import { RequestFields } from "./request-fields.tsx";
import { TimeFields } from "./time-fields.tsx";
import { TimePreview } from "./time-preview.tsx";
import { type FormAction, useScheduleForm } from "./use-schedule-form.ts";

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
  sdkName,
  cloned,
  signInHref,
}: {
  action: FormAction;
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
  sdkName: string;
  cloned?: Cloned;
  signInHref: string;
}) {
  const form = useScheduleForm({ action, initial, formKey, isZoneKnown, madeAtMs });
  const { draft, chosen, nowMs, failed, errors, isBusy, change } = form;

  const when = (
    <Card key="when">
      <CardHead title="When">
        <span className="text-ink-muted text-xs">Clock: the database&rsquo;s</span>
      </CardHead>
      <CardBody className="grid grid-cols-1 gap-4">
        <TimeFields
          typed={draft}
          chosen={chosen}
          nowMs={nowMs}
          errors={errors}
          onChange={({ words, at, zone, occurrence }) => change({ words, at, zone, occurrence }, ...TIMES)}
        />
        {!cloned && <EarlyFireField isEarly={draft.earlyFire} onChange={(earlyFire) => change({ earlyFire })} />}
      </CardBody>
    </Card>
  );
  const request = (
    <Card key="request">
      <CardHead title="Request" />
      <CardBody className="grid grid-cols-1 gap-4">
        {cloned ? (
          <ClonedRequest
            cloned={cloned}
            draft={draft}
            errors={errors}
            payloadBytesMax={payloadBytesMax}
            onChange={change}
          />
        ) : (
          <RequestFields
            draft={draft}
            env={env}
            errors={errors}
            mayAllowMore={mayAllowMore}
            payloadBytesMax={payloadBytesMax}
            onChange={change}
          />
        )}
      </CardBody>
    </Card>
  );
  return (
    <DraftForm
      state={form}
      env={env}
      hidden={{ formKey: failed?.formKey ?? formKey, from: cloned?.id }}
      save="Schedule it"
      signInHref={signInHref}
      what="schedule"
      notDone="Not scheduled."
      aside={
        <div className="grid min-w-0 grid-cols-1 gap-5 min-[72rem]:sticky min-[72rem]:top-17 min-[72rem]:max-h-[calc(100dvh-5.5rem)] min-[72rem]:overflow-y-auto">
          <TimePreview chosen={chosen} nowMs={nowMs}>
            <Button type="submit" kind="primary" busy={isBusy} className="w-full">
              {isBusy ? "Scheduling" : "Schedule it"}
            </Button>
          </TimePreview>
          <DraftCodeBlocks
            draft={draft}
            chosen={chosen}
            baseUrl={baseUrl}
            sdkName={sdkName}
            original={cloned}
            isEarlyByDefault={isEarlyByDefault}
          />
        </div>
      }
    >
      {cloned ? [when, request] : [request, when]}
      <DeliveryFields typed={draft} what="this schedule" errors={errors} onChange={change} />
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
            onChange={(event) => change({ idempotencyKey: event.target.value }, "idempotencyKey")}
            error={errors.idempotencyKey}
            hint="Optional: this form schedules once in any case. The same key gives the same schedule, for as long as it exists."
          />
        </CardBody>
      </Card>
    </DraftForm>
  );
}

/** The fields that together are the time. */
const TIMES = ["words", "at", "zone"];
