import { Search } from "lucide";
import type { ReactNode } from "react";
import { Button, ButtonLink } from "./button.tsx";
import { SelectField, TextField } from "./field.tsx";
import { HiddenFields } from "./hidden-fields.tsx";
import { Icon } from "./icon.tsx";
import { FilterChip } from "./tabs.tsx";

/**
 * A form that filters a list by the URL of its page: a search field, the list's own fields, and the active filters, each
 * with a link that removes it.
 */
export function FilterForm({
  label,
  action,
  kept,
  searched = "Part of the URL, or a whole schedule id",
  q,
  chips,
  resetHref,
  children,
}: {
  /** The label for screen readers: what the form filters. */
  label: string;
  action: string;
  /** Parameters of the URL that the form keeps. */
  kept: Readonly<Record<string, string | undefined>>;
  /** What the search field looks for. */
  searched?: string;
  q: string | undefined;
  chips: readonly { label: string; removeHref: string }[];
  resetHref: string;
  children: ReactNode;
}) {
  return (
    <search aria-label={label}>
      <form action={action} className="group/filters flex flex-wrap items-end gap-2 border-line border-b px-4 py-2.5">
        <HiddenFields values={kept} />
        <div className="min-w-0 flex-1 basis-56">
          <TextField
            type="search"
            name="q"
            label={searched}
            isLabelHidden
            placeholder={searched}
            defaultValue={q}
            maxLength={200}
          />
        </div>
        {children}
        <Button type="submit" className="min-h-9">
          <Icon of={Search} small />
          Apply
        </Button>
        {chips.length > 0 && (
          <div className="flex basis-full flex-wrap items-center gap-2">
            {chips.map((chip) => (
              <FilterChip key={chip.label} {...chip} />
            ))}
            <ButtonLink kind="ghost" size="small" href={resetHref}>
              Reset
            </ButtonLink>
          </div>
        )}
      </form>
    </search>
  );
}

/** A select of a filter form. `any`: the label of the option that filters nothing. */
export function FilterSelect({
  name,
  label,
  value,
  any,
  options,
}: {
  name: string;
  /** The label for screen readers. */
  label: string;
  value: string | undefined;
  any?: string;
  options: Readonly<Record<string, string>>;
}) {
  return (
    <SelectField name={name} label={label} isLabelHidden defaultValue={value ?? ""}>
      {any !== undefined && <option value="">{any}</option>}
      {Object.entries(options).map(([each, words]) => (
        <option key={each} value={each}>
          {words}
        </option>
      ))}
    </SelectField>
  );
}

/**
 * The two ends of a range, shown by the style sheet while "between" is selected in the form. `from` and `to` have the
 * format of `datetime-local`.
 */
export function FilterRange({
  from,
  to,
  zone,
  toTheSecond = false,
}: {
  from: string | undefined;
  to: string | undefined;
  zone: string;
  toTheSecond?: boolean;
}) {
  const field = { type: "datetime-local", ...(toTheSecond && { step: 1 }) };
  return (
    <div className="hidden flex-wrap items-end gap-2 group-has-[option[value=between]:checked]/filters:flex">
      <TextField {...field} name="from" label={`From (${zone})`} defaultValue={from} />
      <TextField {...field} name="to" label={`Before (${zone})`} defaultValue={to} />
    </div>
  );
}
