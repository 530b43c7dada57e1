import { ClockAlert } from "lucide";
import { formatDuration } from "../format/duration.ts";
import { Notice } from "../ui/notice.tsx";
import { FullTime } from "../ui/time.tsx";

/** From this age on figures count as old, ms; they are read every 30 s. */
const OLD_MS = 120_000;

/** Warns when the figures are old, and when no dispatcher is running. `isRunning` null: unknown. */
export function StatusNotices({
  updatedAt,
  isRunning,
  now,
}: {
  updatedAt: Date;
  isRunning: boolean | null;
  now: Date;
}) {
  const ageMs = now.getTime() - updatedAt.getTime();
  return (
    <>
      {ageMs > OLD_MS && (
        <Notice kind="warn" icon={ClockAlert}>
          <b>These figures are {formatDuration(ageMs, 1)} old.</b> The last ones were taken on{" "}
          <FullTime at={updatedAt} />. The database has not answered since; this page has new ones as soon as it does.
        </Notice>
      )}
      {isRunning === false && (
        <Notice kind="bad">
          <b>No dispatcher is running.</b> What is due waits, and leaves late as soon as one runs again.
        </Notice>
      )}
    </>
  );
}
