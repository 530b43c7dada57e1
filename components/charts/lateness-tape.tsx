import { ON_TIME_WITHIN_MS } from "#domain/punctuality.ts";
import { formatHour, formatShortDay } from "../format/instant.ts";
import { formatCount } from "../format/number.ts";
import { formatOffset } from "../format/offset.ts";
import { formatSpan } from "../format/span.ts";
import { Answer, Answers } from "./answer.tsx";
import { Hatch } from "./hatch.tsx";
import { TapeLegend } from "./tape-legend.tsx";
import { type TapeScale, tapeScale } from "./tape-scale.ts";

/** One bucket of time; the percentiles are null when nothing was sent in it. */
export type TapeBucket = { startsAt: Date; count: number; p50: number | null; p95: number | null };

type Sent = TapeBucket & { at: number; p50: number; p95: number };

const SIZES = { tall: 240, normal: 184 };
const LABELS = 22;
/** The width of a label, px. */
const LINE_HEIGHT = 11;
/** `10,000 s` and more need a wider column. */
const LONG_LABEL_MS = 10_000_000;
const DAY_MS = 86_400_000;

/**
 * Lateness through time: for each bucket, at most 300, a bar from p50 to p95 above the zero line. A bucket in which
 * nothing was sent is a gap. `what` names the buckets ("hour"), `zone` is the zone of the labels. Screen readers get a
 * sentence: put `TapeTable` beside it.
 */
export function LatenessTape({
  buckets,
  what,
  zone,
  stepMs,
  hrefOf,
  brushHref,
  endsNow = true,
  hasEarly = false,
  isSingle = false,
  size = "normal",
}: {
  buckets: readonly TapeBucket[];
  what: string;
  zone: string;
  /** The length of a bucket. */
  stepMs: number;
  /** Where a bucket in which something was sent leads. */
  hrefOf: (bucket: TapeBucket) => string;
  /** The page that shows a chosen range, which gets `from` and `to`. */
  brushHref?: string;
  /** The last bucket is still in progress. */
  endsNow?: boolean;
  /** Some requests left early, even if no bar shows it: the area below the zero line must not say "never". */
  hasEarly?: boolean;
  /** Each bucket is one request at most, and `stepMs` no matter. */
  isSingle?: boolean;
  size?: keyof typeof SIZES;
}) {
  const sent = buckets.flatMap((bucket, at): Sent[] =>
    bucket.p50 === null || bucket.p95 === null ? [] : [{ ...bucket, at, p50: bucket.p50, p95: bucket.p95 }],
  );
  const scale = tapeScale({
    earliestMs: Math.min(0, ...sent.map(({ p50 }) => p50)),
    latestMs: Math.max(0, ...sent.map(({ p95 }) => p95)),
  });
  const height = SIZES[size];
  return (
    <div className="grid min-w-0 gap-2">
      <TapeLegend what={what} isBrushed={brushHref !== undefined} isSingle={isSingle} />
      <div className="grid grid-cols-[auto_minmax(0,1fr)]">
        <Labels scale={scale} height={height} />
        <div className="relative">
          <svg
            role="img"
            aria-label={inWords(buckets, sent, what, isSingle)}
            className="block w-full overflow-visible"
            height={height + LABELS}
          >
            <Lines scale={scale} height={height} hasEarly={hasEarly} />
            <Bars sent={sent} buckets={buckets.length} scale={scale} height={height} />
            <line
              x1="0"
              x2="100%"
              y1={px(scale.zero, height)}
              y2={px(scale.zero, height)}
              className="stroke-2 stroke-accent"
            />
            <Times buckets={buckets} zone={zone} stepMs={stepMs} endsNow={endsNow} y={height + 16} />
          </svg>
          <Answers label={`Each ${what}`} brush={brushOf(buckets, stepMs, zone, brushHref)}>
            {sent.map((bucket) => (
              <Answer
                key={bucket.at}
                href={hrefOf(bucket)}
                {...(isSingle
                  ? {
                      title: `${formatShortDay(bucket.startsAt, zone)}, ${formatHour(bucket.startsAt, zone)}`,
                      lines: [formatOffset(bucket.p50)],
                    }
                  : {
                      title: formatSpan(bucket.startsAt, new Date(bucket.startsAt.getTime() + stepMs), zone),
                      lines: [
                        `${formatCount(bucket.count)} sent`,
                        `p50 ${formatOffset(bucket.p50)}`,
                        `p95 ${formatOffset(bucket.p95)}`,
                      ],
                    })}
                x={(100 * bucket.at) / buckets.length}
                width={100 / buckets.length}
                height={height}
                bucket={{ place: bucket.at, count: bucket.count }}
              />
            ))}
          </Answers>
        </div>
      </div>
    </div>
  );
}

function brushOf(buckets: readonly TapeBucket[], stepMs: number, zone: string, href: string | undefined) {
  const startMs = buckets[0]?.startsAt.getTime();
  if (href === undefined || startMs === undefined) return undefined;
  return { startMs, stepMs, count: buckets.length, zone, href };
}

/** The column of labels at the left. It has a fixed width, so that text keeps its size. */
function Labels({ scale, height }: { scale: TapeScale; height: number }) {
  const zero = px(scale.zero, height);
  const labelled = scale.majors.filter((ms) => Math.abs(px(scale.yOf(ms), height) - zero) >= LINE_HEIGHT);
  const first = labelled.find((ms) => ms > 0);
  const width = (scale.majors.at(-1) ?? 0) >= LONG_LABEL_MS ? 64 : 40;
  const x = width - 8;
  return (
    <svg aria-hidden="true" width={width} height={height} className="block overflow-visible">
      {labelled.map((ms) => (
        <text key={ms} x={x} y={px(scale.yOf(ms), height)} dy="4" textAnchor="end" className="fill-ink-muted text-2xs">
          {label(ms, ms === first)}
        </text>
      ))}
      <text x={x} y={zero} dy="4" textAnchor="end" className="fill-accent font-medium text-2xs">
        0
      </text>
    </svg>
  );
}

function Lines({ scale, height, hasEarly }: { scale: TapeScale; height: number; hasEarly: boolean }) {
  const limit = px(scale.yOf(ON_TIME_WITHIN_MS), height);
  const isOneSided = scale.majors.every((ms) => ms > 0);
  return (
    <>
      {isOneSided && !hasEarly && (
        <Hatch y={px(scale.zero, height)} width="100%" height={px(100 - scale.zero, height)} />
      )}
      {scale.majors.map((ms) => {
        const y = px(scale.yOf(ms), height);
        return <line key={ms} x1="0" x2="100%" y1={y} y2={y} className="stroke-1 stroke-line" />;
      })}
      <line x1="0" x2="100%" y1={limit} y2={limit} className="stroke-1 stroke-warn" strokeDasharray="2 3" />
    </>
  );
}

const WIDE = 10;
const GAP = 1;

function Bars({
  sent,
  buckets,
  scale,
  height,
}: {
  sent: readonly Sent[];
  buckets: number;
  scale: TapeScale;
  height: number;
}) {
  const isLate = ({ p95 }: Sent) => p95 > ON_TIME_WITHIN_MS;
  const onTime = sent.filter((bucket) => !isLate(bucket));
  const late = sent.filter(isLate);
  const y = (ms: number) => Math.round(scale.yOf(ms) * 10);
  const bars = (some: readonly Sent[]) =>
    some
      .map(({ at, p50, p95 }) => `M${at * WIDE + GAP} ${y(p95)}h${WIDE - 2 * GAP}V${y(p50)}h${2 * GAP - WIDE}z`)
      .join("");
  const marks = (some: readonly Sent[], pick: (bucket: Sent) => number) =>
    some.map((bucket) => `M${bucket.at * WIDE + GAP} ${y(pick(bucket))}h${WIDE - 2 * GAP}`).join("");
  const [p50, p95] = [({ p50: ms }: Sent) => ms, ({ p95: ms }: Sent) => ms];
  const isMostlyLate = (bucket: Sent) => p50(bucket) > ON_TIME_WITHIN_MS;
  return (
    <svg
      aria-hidden="true"
      height={height}
      width="100%"
      viewBox={`0 0 ${Math.max(buckets, 1) * WIDE} 1000`}
      preserveAspectRatio="none"
      className="overflow-visible *:[vector-effect:non-scaling-stroke]"
    >
      <path className="fill-accent-line/70" d={bars(onTime)} />
      <path className="fill-warn-line" d={bars(late)} />
      <path className="stroke-[1.5px] stroke-accent/60" d={marks(onTime, p95)} />
      <path className="stroke-[2.5px] stroke-warn" d={marks(late, p95)} />
      <path
        className="stroke-[2.5px] stroke-accent"
        d={marks(
          sent.filter((bucket) => !isMostlyLate(bucket)),
          p50,
        )}
      />
      <path className="stroke-[2.5px] stroke-warn" d={marks(sent.filter(isMostlyLate), p50)} />
    </svg>
  );
}

/** The instants at each quarter of the tape, and its end. */
function Times({
  buckets,
  zone,
  stepMs,
  endsNow,
  y,
}: {
  buckets: readonly TapeBucket[];
  zone: string;
  stepMs: number;
  endsNow: boolean;
  y: number;
}) {
  const [first, last] = [buckets[0], buckets.at(-1)];
  if (first === undefined || last === undefined) return null;
  const isLong = last.startsAt.getTime() - first.startsAt.getTime() > 2 * DAY_MS;
  const written = (instant: Date) => (isLong ? formatShortDay(instant, zone) : formatHour(instant, zone));
  const at = (place: number) => Math.floor((place * buckets.length) / 4);
  return (
    <>
      {[0, 1, 2, 3].map((place) => {
        const bucket = buckets[at(place)];
        if (bucket === undefined || (place > 0 && at(place) === at(place - 1))) return null;
        return (
          <text
            key={place}
            x={`${(100 * at(place)) / buckets.length}%`}
            y={y}
            textAnchor={place === 0 ? "start" : "middle"}
            className={`fill-ink-muted text-2xs ${place % 2 === 1 ? "max-sm:hidden" : ""}`}
          >
            {written(bucket.startsAt)}
          </text>
        );
      })}
      <text x="100%" y={y} textAnchor="end" className="fill-ink-muted text-2xs">
        {endsNow ? "now" : written(new Date(last.startsAt.getTime() + stepMs))}
      </text>
    </>
  );
}

const px = (percent: number, height: number) => Math.round(percent * height) / 100;

function label(ms: number, hasUnit: boolean): string {
  const size = Math.abs(ms);
  const sign = ms < 0 ? "−" : "";
  if (size >= 1_000) return `${sign}${formatCount(size / 1_000)} s`;
  return `${sign}${size}${hasUnit ? " ms" : ""}`;
}

function inWords(buckets: readonly TapeBucket[], sent: readonly Sent[], what: string, isSingle: boolean): string {
  if (sent.length === 0) return `How late, by ${what}: nothing was sent.`;
  const between = (pick: (bucket: Sent) => number) => {
    const all = sent.map(pick);
    const [least, most] = [formatOffset(Math.min(...all)), formatOffset(Math.max(...all))];
    return least === most ? least : `between ${least} and ${most}`;
  };
  const late = sent.filter(({ p95 }) => p95 > ON_TIME_WITHIN_MS).length;
  const empty = buckets.length - sent.length;
  return (
    `How late, by ${what}: ${isSingle ? "" : `p50 ${between(({ p50 }) => p50)}, p95 `}${between(({ p95 }) => p95)}. ` +
    `${formatCount(late)} of ${formatCount(sent.length)} ${isSingle ? "are" : "have a p95"} above ${ON_TIME_WITHIN_MS} ms` +
    `${empty === 0 ? "" : `; in ${formatCount(empty)} nothing was sent`}.`
  );
}
