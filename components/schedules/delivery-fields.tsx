"use client";

import { type DeliveryText, NO_DELIVERY_TEXT } from "#domain/delivery-text.ts";
import { TextField } from "../ui/field.tsx";
import { OptionalCard } from "../ui/optional-card.tsx";

const FIELDS: Readonly<Record<keyof DeliveryText, { label: string; placeholder: string; hint: string }>> = {
  timeout: { label: "Time for an answer", placeholder: "30s", hint: "1s to 30s, from the first byte of the request." },
  retryDelays: {
    label: "Wait before each retry",
    placeholder: "10s, 1m, 1h",
    hint: "In place of the account\u2019s retries. \u201cnone\u201d is no retry.",
  },
  giveUp: {
    label: "Answers that end it at once",
    placeholder: "410, 400-404",
    hint: "Statuses and ranges. 410 unless given; \u201cnone\u201d is no status.",
  },
  expires: {
    label: "Expires",
    placeholder: "2h",
    hint: "A time after it is due, or an instant. No attempt begins later.",
  },
};

const NAMES = Object.keys(NO_DELIVERY_TEXT) as (keyof DeliveryText)[];

/** A card with the delivery options of a form, closed while it has none. `what` they are for: "this schedule". */
export function DeliveryFields({
  typed,
  what,
  errors,
  onChange,
}: {
  typed: DeliveryText;
  what: string;
  errors: Readonly<Record<string, string | undefined>>;
  onChange: (change: Partial<DeliveryText>, field: keyof DeliveryText) => void;
}) {
  return (
    <OptionalCard
      title="Delivery options"
      isUsed={NAMES.some((name) => typed[name] !== "")}
      isWrong={NAMES.some((name) => errors[name] !== undefined)}
    >
      <p className="text-ink-soft text-sm sm:col-span-2">
        What is empty is by the account&rsquo;s relay settings at each attempt. What is typed holds for {what} alone.
      </p>
      {NAMES.map((name) => (
        <TextField
          key={name}
          id={name}
          name={name}
          {...FIELDS[name]}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={typed[name]}
          onChange={(event) => onChange({ [name]: event.target.value }, name)}
          error={errors[name]}
        />
      ))}
    </OptionalCard>
  );
}
