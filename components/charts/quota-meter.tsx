import { formatCount } from "../format/number.ts";
import { Hatch } from "./hatch.tsx";

const TRACK = 12;

/**
 * What is used of a quota, with the quota and its grace marked, and what the period will come to hatched. `graceLimit`
 * equals `limit` where there is none; `projected` null where it cannot be told. A picture for the eye, a sentence for a
 * screen reader.
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

/** A mark through the track, and its word below, which ends there. */
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
