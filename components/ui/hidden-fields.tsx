/** Hidden fields of a form, those that have a value. */
export function HiddenFields({ values }: { values: Readonly<Record<string, string | undefined>> }) {
  return Object.entries(values).map(
    ([name, value]) => value !== undefined && <input key={name} type="hidden" name={name} value={value} />,
  );
}
