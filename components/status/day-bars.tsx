import type { PublicDay } from "#domain/public-days.ts";
import { Answer, Answers } from "../charts/answer.tsx";
import { formatDay, formatShortDay } from "../format/instant.ts";
import { formatCount, formatPercent } from "../format/number.ts";
import { formatOffset } from "../format/offset.ts";
import { Card, CardBody, CardHead } from "../ui/card.tsx";
import { Disclosure } from "../ui/disclosure.tsx";
import { FigureTable } from "../ui/figure-table.tsx";

const HEIGHT = 72;
const LABELS = 22;
const WIDE = 10;
const GAP = 1.5;
/** The least height of the late part of a bar, percent, so that one late request is seen. */
const LATE_MIN = 6;

/**
 * The last days as bars, in UTC: the late part of each is as high as the square root of the share that was late. A day on which
 * nothing was sent has no bar.
 */
export function DayBars({ days }: { days: readonly PublicDay[] }) {
  return (
    <Card aria-labelledby="days">
      <CardHead id="days" title={`The last ${days.length} days`}>
        <span className="text-ink-muted text-xs">UTC</span>
      </CardHead>
      <CardBody className="grid gap-3">
        <Legend />
        <Bars days={days} />
        <Disclosure label="Show as table">
          <FigureTable
            caption="Punctuality by day"
            columns={["Day (UTC)", "Sent", "On time", "p50", "p95"]}
            rows={days.toReversed().map((day) => ({ key: rowId(day), id: rowId(day), cells: cellsOf(day) }))}
          />
        </Disclosure>
      </CardBody>
    </Card>
  );
}

function Bars({ days }: { days: readonly PublicDay[] }) {
  const width = days.length * WIDE;
  const [first, last] = [days[0], days.at(-1)];
  return (
    <div className="relative">
      <svg role="img" aria-label={inWords(days)} className="block w-full overflow-visible" height={HEIGHT + LABELS}>
        <svg
          aria-hidden="true"
          height={HEIGHT}
          width="100%"
          viewBox={`0 0 ${width} 100`}
          preserveAspectRatio="none"
          className="overflow-visible"
        >
          {days.map((day, at) => (
            <g key={day.startsAtMs}>
              {day.sent === 0 ? (
                <rect x={at * WIDE + GAP} y="97" width={WIDE - 2 * GAP} height="3" className="fill-line-hover" />
              ) : (
                <DayBar x={at * WIDE + GAP} late={lateHeight(day)} />
              )}
            </g>
          ))}
        </svg>
        {first && (
          <text x="0" y={HEIGHT + 16} className="fill-ink-muted text-2xs">
            {formatShortDay(new Date(first.startsAtMs))}
          </text>
        )}
        {last && (
          <text x="100%" y={HEIGHT + 16} textAnchor="end" className="fill-ink-muted text-2xs">
            today
          </text>
        )}
      </svg>
      <Answers label="Each day">
        {days.map((day, at) => (
          <Answer
            key={day.startsAtMs}
            href={`#${rowId(day)}`}
            title={formatDay(new Date(day.startsAtMs))}
            lines={linesOf(day)}
            x={(100 * at) / days.length}
            width={100 / days.length}
            height={HEIGHT}
          />
        ))}
      </Answers>
    </div>
  );
}

/** `late`: the height of the late part, percent; it stands on the line, the rest above it. */
function DayBar({ x, late }: { x: number; late: number }) {
  const width = WIDE - 2 * GAP;
  return (
    <>
      <rect x={x} width={width} height={100 - late} className="fill-accent-line" />
      {late > 0 && <rect x={x} y={100 - late} width={width} height={late} className="fill-warn" />}
    </>
  );
}

function lateHeight({ sent, onTime }: PublicDay): number {
  if (onTime === sent) return 0;
  return Math.max(LATE_MIN, Math.round(100 * Math.sqrt((sent - onTime) / sent)));
}

const KEYS = [
  ["on time", "fill-accent-line", 0],
  ["late", "fill-warn", 0],
  ["nothing was due", "fill-line-hover", 8],
] as const;

function Legend() {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 text-ink-muted text-xs">
      <span>One bar for each day; the late part by square root</span>
      <span className="flex flex-wrap gap-x-4 gap-y-1">
        {KEYS.map(([word, look, y]) => (
          <span key={word} className="inline-flex items-center gap-1.5">
            <svg width="10" height="10" aria-hidden="true">
              <rect width="10" y={y} height={10 - y} className={look} />
            </svg>
            {word}
          </span>
        ))}
      </span>
    </div>
  );
}

function cellsOf({ startsAtMs, sent, onTime, p50, p95 }: PublicDay) {
  const lateness = (ms: number | null) => (ms === null ? "—" : formatOffset(ms));
  return [
    formatDay(new Date(startsAtMs)),
    formatCount(sent),
    sent === 0 ? "—" : `${formatPercent(onTime / sent)} %`,
    lateness(p50),
    lateness(p95),
  ];
}

/** The id of the row of a day in the table. */
const rowId = ({ startsAtMs }: PublicDay) => `day-${startsAtMs / 1_000}`;

function linesOf({ sent, onTime, p95 }: PublicDay): string[] {
  if (sent === 0) return ["nothing was due"];
  return [`${formatCount(sent)} sent`, `${formatPercent(onTime / sent)} % on time`, `p95 ${formatOffset(p95 ?? 0)}`];
}

function inWords(days: readonly PublicDay[]): string {
  const counted = days.filter(({ sent }) => sent > 0);
  const late = counted.filter(({ sent, onTime }) => onTime < sent);
  const without = days.length - counted.length;
  const lateDays = late.length === 0 ? "no request was late" : `on ${formatCount(late.length)} some requests were late`;
  return `Punctuality of the last ${days.length} days. Of ${formatCount(counted.length)} days with requests, ${lateDays}; on ${formatCount(without)} nothing was due.`;
}
