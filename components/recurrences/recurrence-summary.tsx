import { useId } from "react";
import type { RecurrenceStatus } from "#domain/recurrence-step.ts";
import { formatInstant } from "../format/instant.ts";
import { capitalised } from "../format/status-word.ts";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Card, CardBody } from "../ui/card.tsx";
import { Copy } from "../ui/copy.tsx";
import { Facts } from "../ui/facts.tsx";
import { TextField } from "../ui/field.tsx";
import { HiddenFields } from "../ui/hidden-fields.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { RecurrenceState } from "./recurrence-state.tsx";

export type ShownRecurrence = {
  key: string;
  status: RecurrenceStatus;
  /** The rule in words. */
  rule: string;
  timezone: string;
  next: Date | null;
  pauseNote: string | null;
  pausedUntil: Date | null;
  endsAt: Date | null;
};

/** What a recurrence is and when it fires next, with what can be done to it. `fireHref` asks whether its next occurrence fires now. */
export function RecurrenceSummary({
  recurrence: { key, status, rule, timezone, next, pauseNote, pausedUntil, endsAt },
  fields,
  typed,
  fireHref,
  deleteHref,
  now,
  zone,
}: {
  recurrence: ShownRecurrence;
  /** The hidden fields of its forms. */
  fields: Readonly<Record<string, string>>;
  /** What was typed into the form that pauses, with its error. */
  typed: { note: string; until: string; error: string | undefined };
  fireHref: string | undefined;
  deleteHref: string;
  now: Date;
  zone: string;
}) {
  const id = useId();
  return (
    <Card aria-labelledby={id}>
      <CardBody className="grid grid-cols-1 gap-3">
        <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
          <div className="grid min-w-0 gap-1">
            <RecurrenceState status={status} />
            <h2 id={id} className="wrap-anywhere text-xl tracking-tight">
              {capitalised(rule)} <span className="font-normal text-base text-ink-soft">{timezone}</span>
            </h2>
          </div>
          <div className="flex flex-wrap items-start gap-2">
            {fireHref && <ButtonLink href={fireHref}>Fire the next one now</ButtonLink>}
            {status === "paused" && (
              <form method="post" action="/recurrences/resume">
                <HiddenFields values={fields} />
                <Button type="submit" kind="primary">
                  Resume
                </Button>
              </form>
            )}
            {status !== "ended" && <PauseForm fields={fields} typed={typed} isPaused={status === "paused"} />}
            <ButtonLink kind="danger" href={deleteHref}>
              Delete
            </ButtonLink>
          </div>
        </div>
        <Facts
          wide
          items={[
            [
              "Next",
              next ? (
                <span key="next">
                  <RelativeTime at={next} now={now} zone={zone} isAhead />
                  <span className="text-ink-muted"> · {formatInstant(next, timezone)}</span>
                </span>
              ) : status === "paused" ? (
                "When it is resumed"
              ) : (
                "None: it has ended. A later end, or another rule, begins it again."
              ),
            ],
            ...(status === "paused"
              ? [
                  [
                    "Paused",
                    pausedUntil ? `Until ${formatInstant(pausedUntil, timezone)}` : "Until it is resumed",
                  ] as const,
                  ...(pauseNote ? [["Why", pauseNote] as const] : []),
                ]
              : []),
            ...(endsAt ? [["Ends", formatInstant(endsAt, timezone)] as const] : []),
            [
              "Key",
              <span key="key" className="flex items-start justify-between gap-2">
                <span className="font-mono text-xs leading-6">{key}</span>
                <Copy text={key} what="key" />
              </span>,
            ],
          ]}
        />
      </CardBody>
    </Card>
  );
}

/** Opens the form that pauses, or changes the note and end of a pause. */
function PauseForm({
  fields,
  typed: { note, until, error },
  isPaused,
}: {
  fields: Readonly<Record<string, string>>;
  typed: { note: string; until: string; error: string | undefined };
  isPaused: boolean;
}) {
  return (
    <details className="group/pause relative" open={error !== undefined}>
      <summary className="button min-h-8 cursor-pointer list-none border-line bg-surface px-3 text-ink text-sm shadow-raised hover:border-line-hover hover:bg-hover [&::-webkit-details-marker]:hidden">
        {isPaused ? "Change the pause" : "Pause"}
      </summary>
      <form
        method="post"
        action="/recurrences/pause"
        className="mt-2 grid grid-cols-1 gap-3 rounded-lg bg-raised p-3 shadow-overlay sm:absolute sm:right-0 sm:z-10 sm:w-80"
      >
        <HiddenFields values={fields} />
        <TextField
          id="note"
          name="note"
          label="Why"
          maxLength={200}
          defaultValue={note}
          hint="A note for people. Optional."
        />
        <TextField
          id="until"
          name="until"
          label="Until"
          placeholder="Monday 09:00"
          autoComplete="off"
          defaultValue={until}
          error={error}
          hint="In words, or as a date and time in its zone. Empty: until it is resumed."
        />
        <p className="text-ink-muted text-xs">What was made and has not left is taken back.</p>
        <Button type="submit" kind="primary">
          {isPaused ? "Change it" : "Pause it"}
        </Button>
      </form>
    </details>
  );
}
