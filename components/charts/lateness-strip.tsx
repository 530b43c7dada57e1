import { ON_TIME_WITHIN_MS } from "#domain/punctuality.ts";
import { formatOffset } from "../format/offset.ts";
import { Answer, Answers } from "./answer.tsx";
import { Hatch } from "./hatch.tsx";
import { LatenessAxis } from "./lateness-axis.tsx";
import { latenessScale } from "./lateness-scale.ts";

const FLAGS = 18;
const PLOT = 44;
const BOTTOM = FLAGS + PLOT;

/**
 * The lateness of one request on the zero line; null while it is under way. `what` names the request ("The first attempt"),
 * `href` is where it is listed, if anywhere. `Travel` moves its mark.
 */
export function LatenessStrip({ ms, what, href }: { ms: number | null; what: string; href?: string }) {
  const isTwoSided = ms !== null && ms < 0;
  const { xOf, zero } = latenessScale({ isTwoSided });
  const x = ms === null ? zero : xOf(ms);
  return (
    <div className="relative">
      <svg
        role="img"
        aria-label={ms === null ? `${what} is under way.` : inWords(ms, what)}
        className="block w-full overflow-visible"
        height={BOTTOM + LatenessAxis.height}
      >
        {!isTwoSided && <Hatch y={FLAGS} width={`${zero}%`} height={PLOT} />}
        <Limit at={xOf(ON_TIME_WITHIN_MS)} mark={x} isTwoSided={isTwoSided} />
        {ms !== null && <Mark ms={ms} x={x} zero={zero} />}
        <LatenessAxis y={BOTTOM} isTwoSided={isTwoSided} />
        <line
          data-zero
          x1={`${zero}%`}
          x2={`${zero}%`}
          y1={FLAGS}
          y2={BOTTOM + 10}
          className="stroke-2 stroke-accent"
        />
        {ms === null && (
          <circle cx={`${zero}%`} cy={FLAGS + PLOT / 2} r="5" className="fill-accent motion-safe:animate-pulse" />
        )}
      </svg>
      {ms !== null && href !== undefined && (
        <Answers label={what}>
          <Answer
            href={href}
            title={formatOffset(ms)}
            lines={[what, ms > ON_TIME_WITHIN_MS ? "late" : "on time"]}
            x={Math.max(0, x - REACH)}
            width={Math.min(100, x + REACH) - Math.max(0, x - REACH)}
            y={FLAGS}
            height={PLOT}
          />
        </Answers>
      )}
    </div>
  );
}

/** How far from its mark a request answers, percent of the width. */
const REACH = 5;

function Limit({ at, mark, isTwoSided }: { at: number; mark: number; isTwoSided: boolean }) {
  return (
    <>
      <line x1={`${at}%`} x2={`${at}%`} y1={FLAGS} y2={BOTTOM} className="stroke-1 stroke-warn" strokeDasharray="2 3" />
      {/* Extends away from the label of the request, and on the two-sided scale from the near edge. */}
      {Math.abs(mark - at) > WORDS / 2 && (
        <text x={`${at}%`} y="12" textAnchor={mark > at || isTwoSided ? "end" : "start"} className="fill-warn text-2xs">
          {`late past ${ON_TIME_WITHIN_MS} ms`}
        </text>
      )}
    </>
  );
}

function Mark({ ms, x, zero }: { ms: number; x: number; zero: number }) {
  const isLate = ms > ON_TIME_WITHIN_MS;
  return (
    <>
      <line
        data-travel="bar"
        x1={`${zero}%`}
        x2={`${x}%`}
        y1={FLAGS + PLOT / 2}
        y2={FLAGS + PLOT / 2}
        className={`stroke-8 ${isLate ? "stroke-warn-line" : "stroke-accent-line"}`}
      />
      <line
        data-travel="mark"
        x1={`${x}%`}
        x2={`${x}%`}
        y1={FLAGS + 4}
        y2={BOTTOM}
        className={`stroke-2 ${isLate ? "stroke-warn" : "stroke-ink"}`}
      />
      <text data-travel="mark" x={`${x}%`} y="12" textAnchor={anchorAt(x)} className="fill-ink-soft text-2xs">
        {formatOffset(ms)}
      </text>
    </>
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
  if (ms === 0) return `${what} was sent when it was due.`;
  if (ms < 0) return `${what} was sent ${formatOffset(-ms).slice(1)} before it was due, as early firing asks.`;
  const comparison = ms > ON_TIME_WITHIN_MS ? "more than" : "within";
  return `${what} was sent ${formatOffset(ms).slice(1)} after it was due: ${comparison} the ${ON_TIME_WITHIN_MS} ms that count as on time.`;
}
