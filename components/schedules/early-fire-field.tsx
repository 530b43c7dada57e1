import { Checkbox } from "../ui/choice.tsx";

/** Whether a request leaves ahead of its instant. */
export function EarlyFireField({ isEarly, onChange }: { isEarly: boolean; onChange: (isEarly: boolean) => void }) {
  return (
    <Checkbox
      name="earlyFire"
      value="1"
      checked={isEarly}
      onChange={(event) => onChange(event.target.checked)}
      label="Early fire"
      hint="Sent ahead by the estimated way to the target, so that it arrives when it is due."
    />
  );
}
