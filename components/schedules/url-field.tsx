import type { ComponentProps } from "react";
import { TextField } from "../ui/field.tsx";

/** The target URL of the form of a schedule. */
export function UrlField({
  onChange,
  ...field
}: Pick<ComponentProps<typeof TextField>, "placeholder" | "readOnly" | "error" | "hint"> & {
  value: string;
  onChange: (url: string) => void;
}) {
  return (
    <TextField
      id="url"
      name="url"
      label="URL"
      mono
      inputMode="url"
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      onChange={(event) => onChange(event.target.value)}
      {...field}
    />
  );
}
