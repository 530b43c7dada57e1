import { formatCount } from "../format/number.ts";
import { Hatch } from "./hatch.tsx";

const TRACK = 12;

/**
 * The used part of a quota, with marks at the quota and the grace limit, and the extrapolated total hatched.
 * `graceLimit` equals `limit` when there is no grace; `projected` is null while there is no extrapolation. Screen
 * readers get a sentence.
 */
export function QuotaMeter({
  used,
  limit,
  graceLimit,
  projected,
}: {
  used: number;
  limit: number;
  graceLimit: number;
  projected: number | null;
}) {
  const full = Math.max(limit * 1.2, graceLimit * 1.05, 1);
  const at = (count: number) => `${Math.min(100, (100 * count) / full)}%`;
  const hasGrace = graceLimit > limit;
  return (
    <svg
      role="img"
      aria-label={inWords(used, limit, graceLimit, projected)}
      className="block w-full overflow-visible"
      height={TRACK + (hasGrace ? 44 : 28)}
    >
      <rect width="100%" height={TRACK} rx="3" className="fill-sunken stroke-1 stroke-line" />
      <Hatch x={at(graceLimit)} width={at(full - graceLimit)} height={TRACK} />
      {projected !== null && projected > used && (
        <Hatch strong width={at(Math.min(projected, graceLimit))} height={TRACK} rx="3" />
      )}
      <rect width={at(Math.min(used, limit))} height={TRACK} rx="3" className="fill-ink-soft" />
      {used > limit && (
        <rect x={at(limit)} width={at(Math.min(used, full) - limit)} height={TRACK} className="fill-warn" />
      )}
      <Mark x={at(limit)} y={TRACK + 20}>
        quota {formatCount(limit)}
      </Mark>
      {hasGrace && (
        <Mark x={at(graceLimit)} y={TRACK + 36}>
          grace {formatCount(graceLimit)}
        </Mark>
      )}
      <text x="0" y={TRACK + 20} className="fill-ink-muted text-2xs">
        0
      </text>
    </svg>
  );
}

/** A mark across the track, with its label below, which ends at the mark. */
function Mark({ x, y, children }: { x: string; y: number; children: readonly (string | number)[] }) {
  return (
    <>
      <line x1={x} x2={x} y1="-3" y2={y - 8} className="stroke-1 stroke-line-strong" />
      <text x={x} dx="-5" y={y} textAnchor="end" className="fill-ink-muted text-2xs">
        {children.join("")}
      </text>
    </>
  );
}

function inWords(used: number, limit: number, graceLimit: number, projected: number | null): string {
  const grace = graceLimit > limit ? `, grace to ${formatCount(graceLimit)}` : "";
  const ahead = projected === null ? "" : `, ${formatCount(projected)} expected by the end of the month`;
  return `${formatCount(used)} of ${formatCount(limit)} schedules used${grace}${ahead}`;
}
