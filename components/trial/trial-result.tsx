import { AttemptTimes, type AttemptTiming } from "../attempts/attempt-timing.tsx";
import { LatenessStrip } from "../charts/lateness-strip.tsx";
import { formatInstant } from "../format/instant.ts";
import { Facts } from "../ui/facts.tsx";
import { Notice } from "../ui/notice.tsx";
import { LatenessFigure } from "../ui/reading.tsx";

/** A trial that has ended: how late it was, where the time went, and what the receiver answered. */
export function TrialResult({
  fireAt,
  offsetMs,
  statusCode,
  error,
  timing,
}: {
  fireAt: Date;
  /** Null when nothing was sent. */
  offsetMs: number | null;
  statusCode: number | null;
  /** Why it was not delivered; null when it was. */
  error: string | null;
  /** Null when the attempt is not known any more. */
  timing: AttemptTiming | null;
}) {
  return (
    <div className="grid gap-6">
      {error !== null && (
        <Notice kind="bad">
          <b>It was not delivered.</b> {error || `The receiver answered ${statusCode}.`} An account would retry it; a
          trial is sent once.
        </Notice>
      )}
      {offsetMs !== null && (
        <div className="grid gap-4">
          <div className="grid gap-3">
            <p className="text-base text-ink-soft">Its first byte was sent late by</p>
            <LatenessFigure ms={offsetMs} size="hero" />
          </div>
          <LatenessStrip ms={offsetMs} what="The request" />
        </div>
      )}
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,18rem),1fr))] items-start gap-x-10 gap-y-6">
        <Facts
          items={[
            ["Due", formatInstant(fireAt)],
            ["Answer", statusCode === null ? "none" : String(statusCode)],
          ]}
        />
        {timing && <AttemptTimes timing={timing} />}
      </div>
    </div>
  );
}
