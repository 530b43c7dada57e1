"use client";

import { useEffect, useState } from "react";
import { TextField } from "../ui/field.tsx";

/** The zone of a time, with a list of all zones to choose from. */
export function ZoneField({
  value,
  error,
  onChange,
}: {
  value: string;
  error: string | undefined;
  onChange: (zone: string) => void;
}) {
  const [zones, setZones] = useState<readonly string[]>([]);
  // Listed in the browser: the server would send 400 zones.
  useEffect(() => setZones(["UTC", ...Intl.supportedValuesOf("timeZone")]), []);
  return (
    <>
      <TextField
        id="zone"
        name="zone"
        label="Zone"
        list="zones"
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        error={error}
        hint="Such as Europe/Berlin."
      />
      <datalist id="zones">
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}
