"use client";

import { CalendarDays } from "lucide";
import { useRef } from "react";
import type { ChosenTime, TypedTime } from "#domain/chosen-time.ts";
import { TextField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { ClockChange } from "./clock-change.tsx";
import { ZoneField } from "./zone-field.tsx";

const CHIPS = [
  { label: "+5 m", words: "in 5m" },
  { label: "+1 h", words: "in 1h" },
  { label: "Tomorrow 09:00", words: "tomorrow 09:00" },
  { label: "Monday 09:00", words: "Monday 09:00" },
];

/**
 * The fields of the time: a preset, words, or date and time in a zone. `chosen` is the current meaning of `typed`;
 * `errors` are the server's, by field. Typing in one kind of field empties the other.
 */
export function TimeFields({
  typed,
  chosen,
  nowMs,
  errors,
  onChange,
}: {
  typed: TypedTime;
  chosen: ChosenTime;
  nowMs: number;
  errors: Readonly<Record<string, string | undefined>>;
  onChange: (typed: TypedTime) => void;
}) {
  const set = (change: Partial<TypedTime>) => onChange({ ...typed, occurrence: "first", ...change });
  const errorOf = (field: "words" | "at" | "zone") =>
    errors[field] ??
    (!chosen.ok && chosen.field === field && typed[field].length > LONG_ENOUGH[field] ? chosen.message : undefined);
  return (
    <div className="grid grid-cols-1 gap-4">
      {/* biome-ignore lint/a11y/useSemanticElements: they are buttons, not fields */}
      <div className="flex flex-wrap gap-1.5 noscript:hidden" role="group" aria-label="Common times">
        {CHIPS.map(({ label, words }) => (
          <button
            key={label}
            type="button"
            aria-pressed={typed.words === words}
            className="inline-flex min-h-6.5 cursor-pointer items-center rounded-md border border-line bg-surface px-2 text-ink-soft text-xs hover:border-line-strong aria-pressed:border-accent-line aria-pressed:bg-accent-soft aria-pressed:text-accent-strong"
            onClick={() => set({ words, at: "" })}
          >
            {label}
          </button>
        ))}
      </div>
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2 sm:*:first:col-span-2">
        <TextField
          id="words"
          name="words"
          label="In words"
          placeholder="in 30m"
          autoComplete="off"
          value={typed.words}
          onChange={(event) => set({ words: event.target.value, at: "" })}
          error={errorOf("words")}
          hint="Used only if both are given."
        />
        <DateField value={typed.at} error={errorOf("at")} onChange={(at) => set({ at, words: "" })} />
        <ZoneField value={typed.zone} error={errorOf("zone")} onChange={(zone) => set({ zone })} />
      </div>
      <div role="status" className="grid gap-2 empty:hidden">
        {chosen.ok && <ClockChange chosen={chosen} nowMs={nowMs} typed={typed} onChange={onChange} />}
      </div>
    </div>
  );
}

/** Shows no error while fewer letters are typed. */
const LONG_ENOUGH = { words: 2, at: 15, zone: 2 };

/**
 * A date and a time of day, year first and by 24 hours wherever the browser is: the browser's own field would follow its
 * language. With scripts a button opens the browser's calendar.
 */
function DateField({
  value,
  error,
  onChange,
}: {
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <div className="relative grid min-w-0 grid-cols-1">
      <TextField
        id="at"
        name="at"
        label="Date and time"
        placeholder="2031-12-25 09:00:00"
        autoComplete="off"
        spellCheck={false}
        className="pr-9 tabular-nums"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        error={error}
        hint="Year first, 24 hours."
      />
      <input
        ref={picker}
        type="datetime-local"
        step={1}
        tabIndex={-1}
        aria-hidden="true"
        className="pointer-events-none absolute top-6.5 right-0 h-9 w-0 opacity-0"
        value={/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?$/.test(value) ? value.replace(" ", "T") : ""}
        onChange={(event) => onChange(event.target.value.replace("T", " "))}
      />
      <button
        type="button"
        aria-label="Open the calendar"
        className="absolute top-7.5 right-1 inline-flex size-7 cursor-pointer items-center justify-center rounded-sm text-ink-muted hover:bg-hover hover:text-ink noscript:hidden"
        onClick={() => picker.current?.showPicker()}
      >
        <Icon of={CalendarDays} small />
      </button>
    </div>
  );
}
