"use client";

import { parseCron } from "#domain/cron.ts";
import { CRON_CHOICES, writeCronChoice } from "#domain/cron-choices.ts";
import { choiceOf, type DraftTimes, type RecurrenceDraft } from "#domain/recurrence-draft.ts";
import { ruleInWords } from "#domain/rule-in-words.ts";
import { capitalised } from "../format/status-word.ts";
import { ZoneField } from "../schedules/zone-field.tsx";
import { Button } from "../ui/button.tsx";
import { SelectField, TextField } from "../ui/field.tsx";

type Fields = {
  draft: RecurrenceDraft;
  errors: Readonly<Record<string, string | undefined>>;
  onChange: (change: Partial<RecurrenceDraft>, field?: string) => void;
};

/** The fields of when something recurs: a choice in words and the same as a cron rule, each of which follows the other. */
export function RuleFields({ draft, read, errors, onChange }: Fields & { read: DraftTimes }) {
  const choose = (change: { choice?: string; time?: string }) => {
    const { choice, time } = { ...draft, ...change };
    onChange({ choice, time, ...(choice !== "" && { cron: writeCronChoice(choice, time) }) }, "cron");
  };
  const problems = read.ok ? [] : read.problems;
  const parsed = parseCron(draft.cron);
  const errorOf = (field: string) => errors[field] ?? problems.find((problem) => problem.field === field)?.message;
  return (
    <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
      <SelectField
        id="choice"
        name="choice"
        label="How often"
        value={draft.choice}
        onChange={(event) => choose({ choice: event.target.value })}
      >
        <option value="">as the rule below says</option>
        {CRON_CHOICES.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      <TextField
        id="time"
        name="time"
        label="At"
        placeholder="09:00"
        autoComplete="off"
        className="tabular-nums"
        value={draft.time}
        hint="24 hours."
        disabled={draft.choice !== "" && !draft.choice.startsWith("M")}
        onChange={(event) => choose({ time: event.target.value })}
      />
      <div className="hidden noscript:block sm:col-span-2">
        <Button type="submit" name="intent" value="choice" size="small">
          Write it as a rule
        </Button>
      </div>
      <TextField
        id="cron"
        name="cron"
        label="Cron rule"
        mono
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={draft.cron}
        onChange={(event) =>
          onChange({ cron: event.target.value, ...choiceOf(event.target.value, draft.time) }, "cron")
        }
        error={errorOf("cron")}
        hint={parsed.ok ? `${capitalised(ruleInWords(parsed.rule))}.` : "Minute, hour, day, month, weekday."}
      />
      <ZoneField value={draft.zone} error={errorOf("zone")} onChange={(zone) => onChange({ zone }, "zone")} />
    </div>
  );
}

/** The fields of what happens in rare cases. */
export function EdgeFields({ draft, errors, onChange }: Fields) {
  return (
    <>
      <SelectField
        id="onClockChange"
        name="onClockChange"
        label="When clocks change"
        hint="Of a time of day that they show twice. One that they skip is sent later."
        value={draft.onClockChange}
        onChange={(event) => onChange({ onClockChange: event.target.value as "first" })}
      >
        <option value="first">send at the first one</option>
        <option value="second">send at the second one</option>
        <option value="skip">leave it out, skipped ones too</option>
      </SelectField>
      <SelectField
        id="overlap"
        name="overlap"
        label="While an earlier one is open"
        hint="Open: being sent, or waiting for a retry."
        value={draft.overlap}
        onChange={(event) => onChange({ overlap: event.target.value as "allow" })}
      >
        <option value="allow">send it all the same</option>
        <option value="skip">leave it out</option>
      </SelectField>
      <SelectField
        id="catchUp"
        name="catchUp"
        label="After instants were missed"
        hint="When no dispatcher could make them in time."
        value={draft.catchUp}
        onChange={(event) => onChange({ catchUp: event.target.value as "latest" })}
      >
        <option value="latest">send the latest one</option>
        <option value="none">send none of them</option>
      </SelectField>
      <TextField
        id="spread"
        name="spread"
        label="Spread"
        placeholder="10m"
        autoComplete="off"
        value={draft.spread}
        onChange={(event) => onChange({ spread: event.target.value }, "spread")}
        error={errors.spread}
        hint="Each is due later by a fixed share of it, up to 1h."
      />
      <TextField
        id="ends"
        name="ends"
        label="Ends"
        placeholder="2031-12-25 09:00"
        autoComplete="off"
        value={draft.ends}
        onChange={(event) => onChange({ ends: event.target.value }, "ends")}
        error={errors.ends}
        hint="The last instant at which it may fire, in its zone."
      />
    </>
  );
}
