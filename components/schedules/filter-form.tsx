import { Search } from "lucide";
import { Button, ButtonLink } from "../ui/button.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { FilterChip } from "../ui/tabs.tsx";

type Options = Readonly<Record<string, string>>;

/**
 * What a list of schedules is filtered and sorted by: a form that asks by its address. The two instants are shown while
 * "between" is chosen, which the style sheet sees by itself.
 */
export function FilterForm({
  action,
  kept,
  q,
  fires,
  firesOptions,
  from,
  to,
  zone,
  sort,
  sortOptions,
  chips,
  resetHref,
}: {
  action: string;
  /** Parameters that the form leaves as they are. */
  kept: Readonly<Record<string, string | undefined>>;
  q: string | undefined;
  fires: string | undefined;
  firesOptions: Options;
  /** As `datetime-local` writes them. */
  from: string | undefined;
  to: string | undefined;
  zone: string;
  sort: string;
  sortOptions: Options;
  chips: readonly { label: string; removeHref: string }[];
  resetHref: string;
}) {
  return (
    <search aria-label="Filter schedules">
      <form action={action} className="group/filters flex flex-wrap items-end gap-2 border-line border-b px-4 py-2.5">
        <Kept values={kept} />
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
        <SelectField name="fires" label="Fires" isLabelHidden defaultValue={fires ?? ""}>
          <option value="">Fires at any time</option>
          <OptionList of={firesOptions} />
        </SelectField>
        <div className="hidden flex-wrap items-end gap-2 group-has-[option[value=between]:checked]/filters:flex">
          <TextField type="datetime-local" name="from" label={`From (${zone})`} defaultValue={from} />
          <TextField type="datetime-local" name="to" label={`Before (${zone})`} defaultValue={to} />
        </div>
        <SelectField name="sort" label="Sorted" isLabelHidden defaultValue={sort}>
          <OptionList of={sortOptions} />
        </SelectField>
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

function OptionList({ of }: { of: Options }) {
  return Object.entries(of).map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
}

/** Hidden fields of a form, those that have a value. */
export function Kept({ values }: { values: Readonly<Record<string, string | undefined>> }) {
  return Object.entries(values).map(
    ([name, value]) => value !== undefined && <input key={name} type="hidden" name={name} value={value} />,
  );
}
