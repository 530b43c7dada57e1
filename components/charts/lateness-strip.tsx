import { ON_TIME_WITHIN_MS } from "#domain/punctuality.ts";
import { formatOffset } from "../format/offset.ts";
import { Hatch } from "./hatch.tsx";
import { LatenessAxis } from "./lateness-axis.tsx";
import { latenessScale } from "./lateness-scale.ts";

const FLAGS = 18;
const PLOT = 44;

/** The lateness of one request on the zero line. `what` names the request ("The first attempt"). */
export function LatenessStrip({ ms, what }: { ms: number; what: string }) {
  const isTwoSided = ms < 0;
  const { xOf, zero } = latenessScale({ isTwoSided });
  const isLate = ms > ON_TIME_WITHIN_MS;
  const bottom = FLAGS + PLOT;
  const x = xOf(ms);
  const limit = xOf(ON_TIME_WITHIN_MS);
  return (
    <svg
      role="img"
      aria-label={inWords(ms, what)}
      className="block w-full overflow-visible"
      height={bottom + LatenessAxis.height}
    >
      {!isTwoSided && <Hatch y={FLAGS} width={`${zero}%`} height={PLOT} />}
      <line
        x1={`${limit}%`}
        x2={`${limit}%`}
        y1={FLAGS}
        y2={bottom}
        className="stroke-1 stroke-warn"
        strokeDasharray="2 3"
      />
      {/* Extends away from the label of the request, and on the two-sided scale from the near edge. */}
      {Math.abs(x - limit) > WORDS / 2 && (
        <text x={`${limit}%`} y="12" textAnchor={isLate || isTwoSided ? "end" : "start"} className="fill-warn text-2xs">
          {`late past ${ON_TIME_WITHIN_MS} ms`}
        </text>
      )}
      <line
        x1={`${zero}%`}
        x2={`${x}%`}
        y1={FLAGS + PLOT / 2}
        y2={FLAGS + PLOT / 2}
        className={`stroke-8 ${isLate ? "stroke-warn-line" : "stroke-accent-line"}`}
      />
      <line
        x1={`${x}%`}
        x2={`${x}%`}
        y1={FLAGS + 4}
        y2={bottom}
        className={`stroke-2 ${isLate ? "stroke-warn" : "stroke-ink"}`}
      />
      <text x={`${x}%`} y="12" textAnchor={anchorAt(x)} className="fill-ink-soft text-2xs">
        {formatOffset(ms)}
      </text>
      <LatenessAxis y={bottom} isTwoSided={isTwoSided} />
      <line x1={`${zero}%`} x2={`${zero}%`} y1={FLAGS} y2={bottom + 10} className="stroke-2 stroke-accent" />
    </svg>
  );
}

/** Percent of the width that is kept free for a label. */
const WORDS = 16;

/** At an edge the label of the request stays inside the chart. */
function anchorAt(x: number): "start" | "middle" | "end" {
  if (x < WORDS / 2) return "start";
  return x > 100 - WORDS / 2 ? "end" : "middle";
}

function inWords(ms: number, what: string): string {
  if (ms === 0) return `${what} left at its instant.`;
  if (ms < 0) return `${what} left ${formatOffset(-ms).slice(1)} before its instant, as early firing asks.`;
  const comparison = ms > ON_TIME_WITHIN_MS ? "more than" : "within";
  return `${what} left ${formatOffset(ms).slice(1)} after its instant: ${comparison} the ${ON_TIME_WITHIN_MS} ms that count as on time.`;
}
