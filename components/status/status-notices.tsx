import { ClockAlert } from "lucide";
import { formatDuration } from "../format/duration.ts";
import { Notice } from "../ui/notice.tsx";
import { FullTime } from "../ui/time.tsx";

/** From this age on figures count as old, ms; they are read every 30 s. */
const OLD_MS = 120_000;

/** Whether figures of `updatedAt` count as old. */
export const areOld = (updatedAt: Date, now: Date) => now.getTime() - updatedAt.getTime() > OLD_MS;

/** Warns when the database does not answer, and when no dispatcher is running. `isRunning` null: the database did not say. */
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
      {(isRunning === null || areOld(updatedAt, now)) && (
        <Notice kind="warn" icon={ClockAlert}>
          <b>The database does not answer.</b> These figures are {formatDuration(ageMs, 1)} old, from{" "}
          <FullTime at={updatedAt} />. What comes due meanwhile is sent late. This page has new figures as soon as the
          database answers.
        </Notice>
      )}
      {isRunning === false && (
        <Notice kind="bad">
          <b>No dispatcher is running.</b> What is due waits, and is sent late as soon as one runs again.
        </Notice>
      )}
    </>
  );
}
