import { formatDuration } from "../format/duration.ts";
import { formatInstant } from "../format/instant.ts";
import type { Beat } from "../layout/frame-foot.tsx";
import { Notice } from "../ui/notice.tsx";

/** Says that no dispatcher is running, and since when. Renders nothing while one is running. */
export function DispatcherDown({ beat, now, zone }: { beat: Beat; now: Date; zone: string }) {
  if (beat.isAlive) return null;
  return (
    <Notice kind="bad">
      <p>
        <b>No dispatcher is running.</b> Schedules are accepted, and sent late, as soon as one runs again.
      </p>
      <p>
        {beat.ageMs === null ? (
          "None has reported within the last hour."
        ) : (
          <>
            Not running since <Instant at={new Date(now.getTime() - beat.ageMs)} zone={zone} />,{" "}
            {formatDuration(beat.ageMs)} ago.
          </>
        )}
      </p>
    </Notice>
  );
}

function Instant({ at, zone }: { at: Date; zone: string }) {
  return (
    <time dateTime={at.toISOString()} className="whitespace-normal">
      {formatInstant(at, zone)}
    </time>
  );
}
