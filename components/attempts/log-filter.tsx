import { Search } from "lucide";
import type { ReactNode } from "react";
import { Button, ButtonLink } from "../ui/button.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { FilterChip } from "../ui/tabs.tsx";

type Options = Readonly<Record<string, string>>;

/**
 * What the log is filtered by: a form that asks by its address. The two instants are shown while "between" is chosen, which
 * the style sheet sees by itself.
 */
export function LogFilter({
  action,
  kept,
  q,
  code,
  codes,
  range,
  ranges,
  from,
  to,
  zone,
  chips,
  resetHref,
}: {
  action: string;
  /** Parameters that the form leaves as they are. */
  kept: Readonly<Record<string, string | undefined>>;
  q: string | undefined;
  code: string | undefined;
  codes: Options;
  range: string | undefined;
  ranges: Options;
  /** As `datetime-local` writes them. */
  from: string | undefined;
  to: string | undefined;
  zone: string;
  chips: readonly { label: string; removeHref: string }[];
  resetHref: string;
}) {
  return (
    <search aria-label="Filter attempts">
      <form action={action} className="group/filters flex flex-wrap items-end gap-2 border-line border-b px-4 py-2.5">
        {Object.entries(kept).map(
          ([name, value]) => value !== undefined && <input key={name} type="hidden" name={name} value={value} />,
        )}
        <div className="min-w-0 flex-1 basis-56">
          <TextField
            type="search"
            name="q"
            label={<Unseen>Part of the URL, or a whole schedule id</Unseen>}
            placeholder="Part of the URL, or a whole id"
            defaultValue={q}
            maxLength={200}
          />
        </div>
        <SelectField name="code" label={<Unseen>Code</Unseen>} defaultValue={code ?? ""}>
          <option value="">Any code</option>
          <OptionList of={codes} />
        </SelectField>
        <SelectField name="range" label={<Unseen>Attempted</Unseen>} defaultValue={range ?? ""}>
          <option value="">All that is kept</option>
          <OptionList of={ranges} />
        </SelectField>
        <div className="hidden flex-wrap items-end gap-2 group-has-[option[value=between]:checked]/filters:flex">
          <TextField type="datetime-local" step={1} name="from" label={`From (${zone})`} defaultValue={from} />
          <TextField type="datetime-local" step={1} name="to" label={`Before (${zone})`} defaultValue={to} />
        </div>
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

/** A label for screen readers alone: the place says what it is. */
function Unseen({ children }: { children: ReactNode }) {
  return <span className="sr-only">{children}</span>;
}

function OptionList({ of }: { of: Options }) {
  return Object.entries(of).map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
}
