import { Search } from "lucide";
import { type ReactNode, useId } from "react";
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
  placeholder = "URL or schedule id",
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
  /** The same, short. */
  placeholder?: string;
  q: string | undefined;
  chips: readonly { label: string; removeHref: string }[];
  resetHref: string;
  children: ReactNode;
}) {
  return (
    <search aria-label={label}>
      <form action={action} className="group/filters flex flex-wrap items-start gap-2 border-line border-b px-4 py-2.5">
        <HiddenFields values={kept} />
        <div className="min-w-0 flex-1 basis-36">
          <TextField
            type="search"
            name="q"
            label={searched}
            isLabelHidden
            placeholder={placeholder}
            defaultValue={q}
            maxLength={200}
          />
        </div>
        {children}
        <Button type="submit" className="min-h-9">
          <Icon of={Search} small />
          <span className="md:max-[90rem]:sr-only">Apply</span>
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

/** A select of a filter form. `data-value` is for `ApplyOnChange`. `any`: the label of the option that filters nothing. */
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
    <SelectField name={name} label={label} isLabelHidden defaultValue={value ?? ""} data-value={value ?? ""}>
      {any !== undefined && <option value="">{any}</option>}
      {Object.entries(options).map(([each, words]) => (
        <option key={each} value={each}>
          {words}
        </option>
      ))}
    </SelectField>
  );
}

/** A range of time in words. `problem`: why it is not understood; `zone` is the zone of its times. */
export function FilterTimeRange({
  label,
  zone,
  value,
  problem,
  suggestions,
}: {
  /** What is in the range ("Due"). */
  label: string;
  zone: string;
  value: string;
  problem: string | undefined;
  suggestions: readonly string[];
}) {
  const id = useId();
  return (
    <div className="min-w-0 grow basis-36 max-sm:basis-full sm:max-w-80">
      <TextField
        type="search"
        name="range"
        label={`${label}, in words (${zone})`}
        isLabelHidden
        placeholder={`${label} any time`}
        list={id}
        autoComplete="off"
        defaultValue={value}
        error={problem}
      />
      <datalist id={id}>
        {suggestions.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </div>
  );
}
