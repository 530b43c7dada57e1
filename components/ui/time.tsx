import { formatRelative } from "../format/duration.ts";
import { formatInstant } from "../format/instant.ts";

/**
 * A relative time ("16 s ago"), with the full instant on hover and for screen readers. `zone` adds the time in that zone.
 * `isAhead`: something is about to happen then, so an instant that has passed is "now".
 */
export function RelativeTime({
  at,
  now,
  zone,
  isAhead = false,
}: {
  at: Date;
  now: Date;
  zone?: string;
  isAhead?: boolean;
}) {
  const full = zone && zone !== "UTC" ? `${formatInstant(at)} · ${formatInstant(at, zone)}` : formatInstant(at);
  return (
    <time dateTime={at.toISOString()} title={full}>
      {isAhead && at < now ? "now" : formatRelative(at, now)}
      <span className="sr-only">, {full}</span>
    </time>
  );
}

/** A full instant in UTC and, below it, in `zone`. */
export function FullTime({ at, zone }: { at: Date; zone?: string }) {
  return (
    <span className="inline-grid gap-0.5 *:whitespace-normal">
      <time dateTime={at.toISOString()}>{formatInstant(at)}</time>
      {zone && zone !== "UTC" && (
        <time dateTime={at.toISOString()} className="text-ink-muted text-xs">
          {formatInstant(at, zone)}
        </time>
      )}
    </span>
  );
}
