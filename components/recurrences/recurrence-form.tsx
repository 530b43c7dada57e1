"use client";

import type { Environment } from "#domain/environment.ts";
import { type RecurrenceDraft, readRecurrenceDraft, readTimes } from "#domain/recurrence-draft.ts";
import { DeliveryFields } from "../schedules/delivery-fields.tsx";
import { DraftForm } from "../schedules/draft-form.tsx";
import { EarlyFireField } from "../schedules/early-fire-field.tsx";
import { RequestFields } from "../schedules/request-fields.tsx";
import { useClock } from "../schedules/use-clock.ts";
import { type DraftAction, useDraftForm } from "../schedules/use-draft-form.ts";
import { useBrowserZone } from "../schedules/use-schedule-form.ts";
import { Button } from "../ui/button.tsx";
import { Card, CardBody, CardHead } from "../ui/card.tsx";
import { TextField } from "../ui/field.tsx";
import { OptionalCard } from "../ui/optional-card.tsx";
import { MonthlyUse, NextInstants } from "./next-instants.tsx";
import { EdgeFields, RuleFields } from "./rule-fields.tsx";

const NOT_TAKEN =
  "The server did not accept the form. Press again. If that does not help, open this page in another tab; what you typed is still here.";

const EDGES = ["spread", "ends"];

/**
 * The form of a recurrence, with its next instants beside it. `stored`: it changes one that exists. Without scripts a button
 * shows the instants of what was typed; with scripts they follow the fields.
 */
export function RecurrenceForm({
  action,
  initial,
  stored,
  env,
  isZoneKnown,
  madeAtMs,
  payloadBytesMax,
  mayAllowMore,
  quota,
  signInHref,
}: {
  action: DraftAction<RecurrenceDraft>;
  initial: RecurrenceDraft;
  stored?: { payloadSizeBytes: number } | undefined;
  env: Environment;
  isZoneKnown: boolean;
  madeAtMs: number;
  payloadBytesMax: number;
  mayAllowMore: boolean;
  /** Schedules of a month. */
  quota: number;
  signInHref: string;
}) {
  const form = useDraftForm({ action, initial, formKey: "", read: readRecurrenceDraft, notTaken: NOT_TAKEN });
  const { draft, setDraft, isAnswer, errors, isBusy, change } = form;
  useBrowserZone(isZoneKnown || isAnswer || stored ? null : initial.zone, setDraft);
  const nowMs = useClock(madeAtMs);
  // To the minute: a rule has no seconds, and the list is not drawn anew each second.
  const read = readTimes(draft, Math.floor(nowMs / 60_000) * 60_000);
  const save = stored ? "Save changes" : "Create it";
  return (
    <DraftForm
      state={form}
      env={env}
      hidden={stored ? { stored: "1", key: draft.key } : {}}
      save={save}
      signInHref={signInHref}
      what="recurrence"
      notDone="Not saved."
      aside={
        <Card
          aria-labelledby="next"
          className="min-[72rem]:sticky min-[72rem]:top-17 min-[72rem]:max-h-[calc(100dvh-5.5rem)] min-[72rem]:overflow-y-auto"
        >
          <CardHead id="next" title="Next ten" />
          {read.ok ? (
            <>
              <NextInstants read={read} fromMs={madeAtMs} />
              <MonthlyUse monthly={read.spacing.monthly} limit={quota} />
            </>
          ) : (
            <CardBody className="text-ink-muted text-sm">{read.problems[0]?.message}</CardBody>
          )}
          <div className="grid gap-2 rounded-b-lg border-line border-t bg-sunken p-4">
            <Button type="submit" name="intent" value="preview" className="hidden w-full noscript:inline-flex">
              Show the next ten
            </Button>
            <Button type="submit" kind="primary" busy={isBusy} className="w-full">
              {isBusy ? "Saving" : save}
            </Button>
            {stored && (
              <p className="text-ink-muted text-xs">
                What was made by the former rule and has not left is taken back, and made anew.
              </p>
            )}
          </div>
        </Card>
      }
    >
      <Card>
        <CardHead title="Rule" />
        <CardBody className="grid grid-cols-1 gap-4">
          <RuleFields draft={draft} read={read} errors={errors} onChange={change} />
          <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
            <TextField
              id="name"
              name="name"
              label="Name"
              placeholder="Daily report"
              autoComplete="off"
              value={draft.name}
              onChange={(event) => change({ name: event.target.value }, "name")}
              error={errors.name}
              hint="What it is called here. Optional."
            />
            {!stored && (
              <TextField
                id="key"
                name="key"
                label="Key"
                mono
                placeholder="daily-report"
                autoComplete="off"
                autoCapitalize="off"
                spellCheck={false}
                value={draft.key}
                onChange={(event) => change({ key: event.target.value }, "key")}
                error={errors.key}
                hint="Names it in the API, for good. Made from the name if empty."
              />
            )}
          </div>
        </CardBody>
      </Card>
      <Card>
        <CardHead title="Request" />
        <CardBody className="grid grid-cols-1 gap-4">
          <RequestFields
            draft={draft}
            env={env}
            errors={errors}
            mayAllowMore={mayAllowMore}
            payloadBytesMax={payloadBytesMax}
            kept={stored && { of: "stored with it", payloadSizeBytes: stored.payloadSizeBytes }}
            onChange={change}
          />
          <EarlyFireField isEarly={draft.earlyFire} onChange={(earlyFire) => change({ earlyFire })} />
        </CardBody>
      </Card>
      <OptionalCard
        title="Clock changes, overlaps and end"
        isUsed={
          draft.onClockChange !== "first" ||
          draft.overlap !== "allow" ||
          draft.catchUp !== "latest" ||
          EDGES.some((field) => draft[field as "ends"] !== "")
        }
        isWrong={EDGES.some((field) => errors[field] !== undefined)}
      >
        <EdgeFields draft={draft} errors={errors} onChange={change} />
      </OptionalCard>
      <DeliveryFields typed={draft} what="each of its occurrences" errors={errors} onChange={change} />
    </DraftForm>
  );
}
