import type { LatenessCount } from "../charts/histogram-lines.ts";
import { LatenessHistogram } from "../charts/lateness-histogram.tsx";
import { LatenessTape, type TapeBucket } from "../charts/lateness-tape.tsx";
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
  /** Lateness of first attempts, without those of schedules that were to fire at once, ms. */
  offsets: { p50: number; p95: number; min: number; max: number };
  histogram: readonly LatenessCount[];
  buckets: readonly TapeBucket[];
};

/** How late an account's requests left in a period, and how they fared. `period` is in words ("24 hours"). */
export function LatenessCard({
  shown,
  period,
  bucket,
  zone,
  links,
}: {
  shown: OverviewShown;
  period: string;
  /** What a bucket of the tape is ("hour"). */
  bucket: string;
  zone: string;
  links: { schedules: string; logs: string };
}) {
  const { offsets, histogram, buckets } = shown;
  const fired = histogram.reduce((sum, { count }) => sum + count, 0);
  return (
    <Card aria-labelledby="lateness">
      <CardBody className="grid gap-x-10 gap-y-6 lg:grid-cols-[minmax(14rem,1fr)_minmax(0,2.4fr)]">
        <div className="grid content-start gap-3">
          <h2 id="lateness" className="font-normal text-base text-ink-soft tracking-normal">
            Median lateness
          </h2>
          {fired > 0 ? <LatenessFigure ms={offsets.p50} /> : <span className="text-3xl text-ink-muted">—</span>}
          <p className="text-ink-soft text-sm">
            {fired === 0 && `No first attempt to measure in the last ${period}.`}
            {fired === 1 && "One first attempt left."}
            {fired > 1 &&
              `Half of ${formatCount(fired)} first attempts left within ${formatOffset(offsets.p50)} of their instant.`}
          </p>
        </div>
        <LatenessHistogram counts={histogram} p50={offsets.p50} p95={offsets.p95} />
      </CardBody>
      <CardBody className="grid gap-3 border-line border-t">
        <LatenessTape buckets={buckets} what={bucket} zone={zone} hasEarly={offsets.min < 0} />
        <TapeTable buckets={buckets} what={bucket} zone={zone} />
      </CardBody>
      <Readings items={readings(shown, period, links, fired > 0)} />
    </Card>
  );
}

function readings(
  { active, volume, successRate, offsets }: OverviewShown,
  period: string,
  links: { schedules: string; logs: string },
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
      note: "scheduled, firing or failed",
      href: links.schedules,
    },
    {
      label: "Success rate",
      ...(volume > 0 ? { value: formatPercent(successRate), unit: "%" } : NONE),
      note: "attempts with 2xx",
      href: links.logs,
    },
    { label: "p50", ...lateness(offsets.p50), note: "half left within" },
    { label: "p95", ...lateness(offsets.p95), note: hasFired ? `most ${formatOffset(offsets.max)}` : undefined },
    { label: "Attempts", value: formatCount(volume), note: `in ${period}`, href: links.logs },
  ];
}

const NONE = { value: "—" };
