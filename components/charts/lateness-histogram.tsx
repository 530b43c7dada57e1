import { ON_TIME_WITHIN_MS } from "#domain/punctuality.ts";
import { formatLateRange } from "../format/late-range.ts";
import { formatCount, formatPercent } from "../format/number.ts";
import { formatOffset } from "../format/offset.ts";
import { Answer, Answers } from "./answer.tsx";
import { Hatch } from "./hatch.tsx";
import { histogramLines, type LatenessCount } from "./histogram-lines.ts";
import { LatenessAxis } from "./lateness-axis.tsx";
import { latenessScale } from "./lateness-scale.ts";
import { type LatenessZone, latenessZones, zonePlace } from "./lateness-zones.ts";

const FLAGS = 18;
const SIZES = { large: 132, medium: 68 };

/**
 * A histogram of lateness, on the two-sided scale when any request was early. Screen readers get a sentence instead. It
 * has no fixed width: positions are percentages, and text keeps its size.
 */
export function LatenessHistogram({
  counts,
  p50,
  p95,
  size = "large",
  hrefOf,
}: {
  counts: readonly LatenessCount[];
  p50: number;
  p95: number;
  /** Where a zone of the scale leads. */
  hrefOf: (zone: LatenessZone) => string;
  size?: keyof typeof SIZES;
}) {
  const plot = SIZES[size];
  const scale = latenessScale({ isTwoSided: counts.some(({ ms }) => ms < 0) });
  const { xOf, zero, isTwoSided } = scale;
  const lines = histogramLines(counts, scale);
  const sent = counts.reduce((sum, { count }) => sum + count, 0);
  const bottom = FLAGS + plot;
  // The labels of p95 and of the limit extend away from each other.
  const isCrowded = Math.abs(xOf(p95) - xOf(ON_TIME_WITHIN_MS)) < LIMIT_WORDS;
  return (
    <div className="relative">
      <svg
        role="img"
        aria-label={inWords(counts, sent, p50, p95)}
        className="block w-full overflow-visible"
        height={bottom + LatenessAxis.height}
      >
        {!isTwoSided && (
          <>
            <Hatch y={FLAGS} width={`${zero}%`} height={plot} />
            <text y="12" className="fill-ink-muted text-2xs max-sm:hidden">
              never early
            </text>
          </>
        )}
        {sent > 0 && (
          <Span
            zero={zero}
            from={xOf(p50)}
            to={xOf(p95)}
            bottom={bottom}
            endsBefore={isCrowded && p95 < ON_TIME_WITHIN_MS}
          />
        )}
        <line
          x1={`${xOf(ON_TIME_WITHIN_MS)}%`}
          x2={`${xOf(ON_TIME_WITHIN_MS)}%`}
          y1={FLAGS}
          y2={bottom}
          className="stroke-1 stroke-warn"
          strokeDasharray="2 3"
        />
        <text
          x={`${xOf(ON_TIME_WITHIN_MS)}%`}
          dx={isCrowded && p95 >= ON_TIME_WITHIN_MS ? -6 : 6}
          y="12"
          textAnchor={isCrowded && p95 >= ON_TIME_WITHIN_MS ? "end" : "start"}
          className={`fill-warn text-2xs ${xOf(p95) > 45 || isTwoSided ? "max-sm:hidden" : ""}`}
        >
          {`late past ${ON_TIME_WITHIN_MS} ms`}
        </text>
        <svg
          aria-hidden="true"
          y={FLAGS}
          height={plot}
          width="100%"
          viewBox="0 0 100 100"
          preserveAspectRatio="none"
          className="overflow-visible"
        >
          <path
            vectorEffect="non-scaling-stroke"
            className="stroke-[0.75px] stroke-ink sm:stroke-[1.25px]"
            d={path(lines.filter(({ ms }) => ms !== 0 && ms <= ON_TIME_WITHIN_MS))}
          />
          <path
            vectorEffect="non-scaling-stroke"
            className="stroke-2 stroke-warn"
            d={path(lines.filter(({ ms }) => ms > ON_TIME_WITHIN_MS))}
          />
          <path
            vectorEffect="non-scaling-stroke"
            className="stroke-[5px] stroke-accent"
            d={path(lines.filter(({ ms }) => ms === 0))}
          />
        </svg>
        <LatenessAxis y={bottom} isTwoSided={isTwoSided} />
        <line x1={`${zero}%`} x2={`${zero}%`} y1="4" y2={bottom + 10} className="stroke-2 stroke-accent" />
      </svg>
      <Answers label="Each group">
        {latenessZones(counts).map((zone) => (
          <Answer
            key={zone.fromMs}
            href={hrefOf(zone)}
            title={formatLateRange(zone)}
            lines={[`${formatCount(zone.count)} sent`, `${formatPercent(zone.count / sent)} %`]}
            {...zonePlace(zone, scale)}
            y={FLAGS}
            height={plot}
          />
        ))}
      </Answers>
    </div>
  );
}

/** Width of a label on a narrow screen, percent. */
const WORD = 10;

/** Width of the label of the limit beside others, percent. */
const LIMIT_WORDS = 15;

/**
 * The bracket from p50 to p95. Its labels extend away from each other. Near the zero line both are to the right of it,
 * since "never early" is to the left.
 */
function Span({
  zero,
  from,
  to,
  bottom,
  endsBefore,
}: {
  zero: number;
  from: number;
  to: number;
  bottom: number;
  /** The label of p95 ends at its position. */
  endsBefore: boolean;
}) {
  const places = (
    <>
      {[from, to].map((x, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: both may be at one place
        <line key={at} x1={`${x}%`} x2={`${x}%`} y1={FLAGS} y2={bottom} className="stroke-1 stroke-line" />
      ))}
      <line x1={`${from}%`} x2={`${to}%`} y1={FLAGS} y2={FLAGS} className="stroke-4 stroke-accent" />
    </>
  );
  const turnsIn = from >= zero && from < zero + WORD;
  const isAtEdge = to > 100 - WORD;
  // At either edge both labels are on one side, so that two would overlap.
  if ((isAtEdge || turnsIn) && to - from < WORD) {
    return (
      <>
        {places}
        <text
          x={`${to}%`}
          dx={isAtEdge ? 0 : 2}
          y="12"
          textAnchor={isAtEdge ? "end" : "start"}
          className="fill-ink-soft text-2xs"
        >
          p50, p95
        </text>
      </>
    );
  }
  return (
    <>
      {places}
      <text
        x={`${from}%`}
        dx={turnsIn ? 2 : -2}
        y="12"
        textAnchor={turnsIn ? "start" : "end"}
        className="fill-ink-soft text-2xs"
      >
        p50
      </text>
      <text
        x={`${to}%`}
        dx={endsBefore || isAtEdge ? -2 : 2}
        y="12"
        textAnchor={endsBefore || isAtEdge ? "end" : "start"}
        className="fill-ink-soft text-2xs"
      >
        p95
      </text>
    </>
  );
}

const path = (lines: readonly { x: number; height: number }[]) =>
  lines.map(({ x, height }) => `M${round(x)} 100V${round(100 - height)}`).join("");

const round = (value: number) => Math.round(value * 100) / 100;

function inWords(counts: readonly LatenessCount[], sent: number, p50: number, p95: number): string {
  if (sent === 0) return "How late: nothing was sent.";
  const countOf = (isCounted: (ms: number) => boolean) =>
    counts.reduce((sum, { ms, count }) => sum + (isCounted(ms) ? count : 0), 0);
  const late = countOf((ms) => ms > ON_TIME_WITHIN_MS);
  const early = countOf((ms) => ms < 0);
  return (
    `How late ${formatCount(sent)} requests were. Half were sent within ${formatOffset(p50)} of when they were due, 95 % within ` +
    `${formatOffset(p95)}, ${late === 0 ? "none" : formatCount(late)} more than ${ON_TIME_WITHIN_MS} ms late` +
    `${early === 0 ? "" : `, ${formatCount(early)} early`}.`
  );
}
