import { SlidersHorizontal } from "lucide";
import { CODE_CLASSES } from "#domain/answer-code.ts";
import type { FilterName } from "#domain/filters.ts";
import { ON_TIME_WITHIN_MS } from "#domain/punctuality.ts";
import { lateInWords } from "../format/filter-words.ts";
import { TextField } from "./field.tsx";
import { FilterSelect } from "./filter-form.tsx";
import { Icon } from "./icon.tsx";

/** The filters that lists of schedules and of attempts have in common. The rare ones are folded until one is used. */
export function NarrowFilters({ values }: { values: Readonly<Partial<Record<FilterName, string>>> }) {
  const { late, host, code, idempotency_key: key, operation, recurrence } = values;
  return (
    <>
      <FilterSelect name="code" label="Answer" value={code} any="Any answer" options={withOwn(ANSWERS, code, code)} />
      <FilterSelect
        name="late"
        label="Late"
        value={late}
        any="Late or not"
        options={withOwn(LATE, late, late && lateInWords(late))}
      />
      <details className="group/more open:basis-full" open={(host ?? key ?? operation ?? recurrence) !== undefined}>
        <summary className="inline-flex min-h-9 cursor-pointer select-none list-none items-center gap-1.5 rounded-md px-2 text-ink-soft text-sm hover:text-ink [&::-webkit-details-marker]:hidden">
          <Icon of={SlidersHorizontal} small />
          More filters
        </summary>
        <div className="mt-1 grid gap-2 group-open/more:sm:grid-cols-2 group-open/more:lg:grid-cols-4">
          <TextField name="host" label="Host of the target" placeholder="api.example.com" defaultValue={host} />
          <TextField name="idempotency_key" label="Idempotency key" defaultValue={key} />
          <TextField name="operation" label="Copies of operation" placeholder="op_…" defaultValue={operation} />
          <TextField name="recurrence" label="Key of a recurrence" defaultValue={recurrence} />
        </div>
      </details>
    </>
  );
}

const ANSWERS = Object.fromEntries(CODE_CLASSES.map((one) => [one, one === "none" ? "No answer" : one]));

const LATE = {
  [`${ON_TIME_WITHIN_MS + 1}..`]: `Late, past ${ON_TIME_WITHIN_MS} ms`,
  "1001..": "Late, past 1 s",
  [`..${ON_TIME_WITHIN_MS}`]: "On time",
  "..-1": "Early",
};

/** The options, and the value of the address where it is none of them. */
function withOwn(options: Readonly<Record<string, string>>, value: string | undefined, words: string | undefined) {
  return value === undefined || Object.hasOwn(options, value) ? options : { ...options, [value]: words ?? value };
}
