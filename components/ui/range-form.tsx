import { useId } from "react";
import { Button } from "./button.tsx";
import { BareField } from "./field.tsx";
import { HiddenFields } from "./hidden-fields.tsx";

/** A form that shows its page for a range of time in words. `zone` is the zone of its times. */
export function RangeForm({
  action,
  kept,
  zone,
  value,
  isInvalid,
  suggestions,
}: {
  action: string;
  /** Parameters of the URL that the form keeps. */
  kept: Readonly<Record<string, string | undefined>>;
  zone: string;
  value: string;
  isInvalid: boolean;
  suggestions: readonly string[];
}) {
  const id = useId();
  return (
    <form action={action} className="flex min-w-0 items-center gap-1 max-sm:order-last max-sm:basis-full">
      <HiddenFields values={kept} />
      <BareField
        type="search"
        name="range"
        aria-label={`Range of time, in words (${zone})`}
        placeholder={`Range in words (${zone})`}
        list={id}
        autoComplete="off"
        defaultValue={value}
        isInvalid={isInvalid}
        className="h-7! text-xs sm:w-56"
      />
      <datalist id={id}>
        {suggestions.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <Button type="submit" size="small">
        Show
      </Button>
    </form>
  );
}
