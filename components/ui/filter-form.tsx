import { Search } from "lucide";
import type { ReactNode } from "react";
import { Button, ButtonLink } from "./button.tsx";
import { SelectField, TextField } from "./field.tsx";
import { HiddenFields } from "./hidden-fields.tsx";
import { Icon } from "./icon.tsx";
import { FilterChip } from "./tabs.tsx";

/**
 * A form that filters a list by the address of its page: a search field for target or id, the fields of the list, and the
 * filters that apply, each with a link that removes it.
 */
export function FilterForm({
  label,
  action,
  kept,
  q,
  chips,
  resetHref,
  children,
}: {
  /** What it filters, for screen readers. */
  label: string;
  action: string;
  /** Parameters that the form leaves as they are. */
  kept: Readonly<Record<string, string | undefined>>;
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
            label="Part of the URL, or a whole schedule id"
            isLabelHidden
            placeholder="Part of the URL, or a whole id"
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

/** A choice of a filter form, by value. `any`: the name of the choice that filters nothing. */
export function FilterSelect({
  name,
  label,
  value,
  any,
  options,
}: {
  name: string;
  /** For screen readers: the choices say what it is. */
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
 * The two ends of a range, shown while "between" is chosen in the form, which the style sheet sees by itself. `from` and
 * `to` as `datetime-local` writes them.
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
