"use client";

import { CalendarDays } from "lucide";
import { useRef } from "react";
import { TextField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";

/**
 * A date and a time of day, year first and by 24 hours wherever the browser is: the browser's own field would follow its
 * language. With scripts a button opens the browser's calendar.
 */
export function DateField({
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
