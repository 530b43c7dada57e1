import { formatRelative } from "../format/duration.ts";
import { Radio } from "../ui/choice.tsx";
import { FullTime } from "../ui/time.tsx";

/** When the replay of a cancelled schedule is due: at the time of the cancelled one, which is ahead, or now. */
export function ReplayTime({ at, zone, now }: { at: Date; zone: string; now: Date }) {
  return (
    <fieldset className="grid gap-1 text-ink">
      <legend className="sr-only">When</legend>
      <Radio
        name="at"
        value={at.toISOString()}
        defaultChecked
        label={
          <>
            At its old time, {formatRelative(at, now)}: <FullTime at={at} zone={zone} />
          </>
        }
      />
      <Radio name="at" value="" label="Now" />
    </fieldset>
  );
}
