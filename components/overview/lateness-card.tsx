import type { LatenessCount } from "../charts/histogram-lines.ts";
import { HistogramTable } from "../charts/histogram-table.tsx";
import { LatenessHistogram } from "../charts/lateness-histogram.tsx";
import { LatenessTape, type TapeBucket } from "../charts/lateness-tape.tsx";
import type { LatenessZone } from "../charts/lateness-zones.ts";
import { OutcomeBars, type OutcomeBucket, type OutcomeHref, OutcomeTable } from "../charts/outcome-bars.tsx";
import { TapeTable } from "../charts/tape-table.tsx";
import { formatCount, formatPercent } from "../format/number.ts";
import { formatOffset, offsetParts } from "../format/offset.ts";
import { Card, CardBody } from "../ui/card.tsx";
import { LatenessFigure, Readings } from "../ui/reading.tsx";

export type OverviewShown = {
  active: number;
  /** Attempts in the period. */
  volume: number;
  successRate: number;
  /** Schedules that were delivered in the end, of those that ended by an attempt; null when none did. */
  deliveredRate: number | null;
  /** Lateness of first attempts, without those of schedules that were to fire at once, ms. */
  offsets: { p50: number; p95: number; min: number; max: number };
  histogram: readonly LatenessCount[];
  buckets: readonly TapeBucket[];
  outcomes: readonly OutcomeBucket[];
};

/** How late an account's requests left in a period, and how they fared. `period` is in words ("the last 24 hours"). */
export function LatenessCard({
  shown,
  period,
  bucket,
  stepMs,
  zone,
  links,
  answers,
  endsNow,
}: {
  shown: OverviewShown;
  period: string;
  /** What a bucket of the tape is ("hour"). */
  bucket: string;
  /** The length of such a bucket. */
  stepMs: number;
  zone: string;
  links: { schedules: string; logs: string; late: string };
  /** Where a bucket of the tape and a zone of the histogram lead, and the page of a range. */
  answers: {
    bucket: (bucket: TapeBucket) => string;
    outcomes: OutcomeHref;
    zone: (zone: LatenessZone) => string;
    range: string;
  };
  /** The period ends with the current bucket. */
  endsNow: boolean;
}) {
  const { offsets, histogram, buckets, outcomes } = shown;
  const fired = histogram.reduce((sum, { count }) => sum + count, 0);
  return (
    <Card aria-labelledby="lateness">
      <CardBody className="grid gap-x-10 gap-y-6 lg:grid-cols-[minmax(14rem,1fr)_minmax(0,2.4fr)]">
        <div className="grid content-start gap-3">
          <h2 id="lateness" className="font-normal text-base text-ink-soft tracking-normal">
            Median late
          </h2>
          {fired > 0 ? <LatenessFigure ms={offsets.p50} /> : <span className="text-3xl text-ink-muted">—</span>}
          <p className="text-ink-soft text-sm">
            {fired === 0 && `No first attempt to measure in ${period}.`}
            {fired === 1 && "One first attempt was sent."}
            {fired > 1 &&
              `Half of ${formatCount(fired)} first attempts were sent within ${formatOffset(offsets.p50)} of when they were due.`}
          </p>
        </div>
        <div className="grid content-start gap-2">
          <LatenessHistogram counts={histogram} p50={offsets.p50} p95={offsets.p95} hrefOf={answers.zone} />
          <HistogramTable counts={histogram} hrefOf={answers.zone} />
        </div>
      </CardBody>
      <CardBody className="grid gap-3 border-line border-t">
        <LatenessTape
          buckets={buckets}
          what={bucket}
          zone={zone}
          stepMs={stepMs}
          endsNow={endsNow}
          hrefOf={answers.bucket}
          brushHref={answers.range}
          hasEarly={offsets.min < 0}
        />
        <TapeTable buckets={buckets} what={bucket} zone={zone} hrefOf={answers.bucket} />
      </CardBody>
      <CardBody className="grid gap-3 border-line border-t">
        <OutcomeBars buckets={outcomes} what={bucket} zone={zone} stepMs={stepMs} hrefOf={answers.outcomes} />
        <OutcomeTable buckets={outcomes} what={bucket} zone={zone} hrefOf={answers.outcomes} />
      </CardBody>
      <Readings items={readings(shown, period, links, fired > 0)} />
    </Card>
  );
}

function readings(
  { active, volume, successRate, deliveredRate, offsets }: OverviewShown,
  period: string,
  links: { schedules: string; logs: string; late: string },
  hasFired: boolean,
) {
  const lateness = (ms: number) => {
    const { sign, value, unit } = offsetParts(ms);
    return hasFired ? { value: `${sign}${value}`, unit } : NONE;
  };
  return [
    {
      label: "Active schedules",
      value: formatCount(active),
      note: "scheduled, firing or retrying",
      href: links.schedules,
    },
    {
      label: "Delivered in the end",
      ...(deliveredRate === null ? NONE : { value: formatPercent(deliveredRate), unit: "%" }),
      note: volume > 0 ? `${formatPercent(successRate)} % of attempts` : undefined,
      href: links.logs,
    },
    { label: "p50", ...lateness(offsets.p50), note: "half were sent within" },
    {
      label: "p95",
      ...lateness(offsets.p95),
      ...(hasFired && { note: `most ${formatOffset(offsets.max)}`, href: links.late }),
    },
    { label: "Attempts", value: formatCount(volume), note: `in ${period}`, href: links.logs },
  ];
}

const NONE = { value: "—" };
