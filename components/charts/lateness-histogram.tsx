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
  const limit = xOf(ON_TIME_WITHIN_MS);
  const span = { zero, from: xOf(p50), to: xOf(p95), limit };
  const side = sent > 0 ? freeSide(limit, labelsOf(span)) : "start";
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
        {sent > 0 && <Span span={span} bottom={bottom} />}
        <line
          x1={`${limit}%`}
          x2={`${limit}%`}
          y1={FLAGS}
          y2={bottom}
          className="stroke-1 stroke-warn"
          strokeDasharray="2 3"
        />
        {side && (
          <text
            x={`${limit}%`}
            dx={side === "end" ? -6 : 6}
            y="12"
            textAnchor={side}
            className={`fill-warn text-2xs ${xOf(p95) > 45 || isTwoSided ? "max-sm:hidden" : ""}`}
          >
            {`late past ${ON_TIME_WITHIN_MS} ms`}
          </text>
        )}
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

/** Where the zero line, p50, p95 and the limit are, percent. */
type SpanPlaces = { zero: number; from: number; to: number; limit: number };

type Label = { text: string; at: number; anchor: "start" | "end"; width: number };

/**
 * The labels of p50 and p95. They extend away from each other, and from the limit's line; near the zero line both are to the
 * right of it, since "never early" is to the left. At either edge both would be on one side, and are one.
 */
function labelsOf({ zero, from, to, limit }: SpanPlaces): Label[] {
  const turnsIn = (from >= zero && from < zero + WORD) || (from >= limit && from < limit + WORD);
  const isAtEdge = to > 100 - WORD;
  const endsBefore = isAtEdge || (to < limit && limit - to < LIMIT_WORDS);
  if ((isAtEdge || turnsIn) && to - from < WORD) {
    return [{ text: "p50, p95", at: to, anchor: isAtEdge ? "end" : "start", width: 2 * WORD }];
  }
  return [
    { text: "p50", at: from, anchor: turnsIn ? "start" : "end", width: WORD },
    { text: "p95", at: to, anchor: endsBefore ? "end" : "start", width: WORD },
  ];
}

/** On which side of its line the label of the limit meets no other; null when it would on both. */
function freeSide(limit: number, labels: readonly Label[]): "start" | "end" | null {
  const meets = (start: number) =>
    labels.some(({ at, anchor, width }) => {
      const other = anchor === "start" ? at : at - width;
      return other < start + LIMIT_WORDS && start < other + width;
    });
  if (!meets(limit)) return "start";
  return meets(limit - LIMIT_WORDS) ? null : "end";
}

/** The bracket from p50 to p95, with their labels. */
function Span({ span, bottom }: { span: SpanPlaces; bottom: number }) {
  const { from, to } = span;
  return (
    <>
      {[from, to].map((x, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: both may be at one place
        <line key={at} x1={`${x}%`} x2={`${x}%`} y1={FLAGS} y2={bottom} className="stroke-1 stroke-line" />
      ))}
      <line x1={`${from}%`} x2={`${to}%`} y1={FLAGS} y2={FLAGS} className="stroke-4 stroke-accent" />
      {labelsOf(span).map(({ text, at, anchor }) => (
        <text
          key={text}
          x={`${at}%`}
          dx={anchor === "start" ? 2 : -2}
          y="12"
          textAnchor={anchor}
          className="fill-ink-soft text-2xs"
        >
          {text}
        </text>
      ))}
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
