import type { LatenessCount } from "../charts/histogram-lines.ts";
import { LatenessHistogram } from "../charts/lateness-histogram.tsx";
import { zoneId } from "../charts/lateness-zones.ts";
import { LatenessFigure } from "../ui/reading.tsx";
import { PunctualityReadings } from "./punctuality-readings.tsx";

export type PunctualityFigures = {
  sent: number;
  onTimeRate: number;
  onTimeWithinMs: number;
  p50: number;
  p95: number;
  updatedAt: Date;
  histogram: readonly LatenessCount[];
};

/** The punctuality of this installation in the last day: figures and histogram. `id` is the id of the heading. */
export function DayFigures({
  figures,
  id,
  tableHref,
}: {
  figures: PunctualityFigures;
  id: string;
  /** The page with the `HistogramTable` of these figures; empty for this one. */
  tableHref: string;
}) {
  const { sent, p50, p95, histogram } = figures;
  return (
    <>
      <div className="mb-4 grid grid-cols-[repeat(auto-fit,minmax(min(100%,17rem),1fr))] items-end gap-x-8 gap-y-6">
        {sent > 0 ? <Figures {...figures} id={id} /> : <NothingSent id={id} />}
      </div>
      <LatenessHistogram counts={histogram} p50={p50} p95={p95} hrefOf={(zone) => `${tableHref}#${zoneId(zone)}`} />
    </>
  );
}

function Figures({ sent, onTimeRate, p50, p95, id }: PunctualityFigures & { id: string }) {
  return (
    <>
      <div className="grid gap-3">
        <h2 id={id} className="font-normal text-base text-ink-soft tracking-normal">
          Half of all requests were sent within
        </h2>
        <LatenessFigure ms={p50} size="hero" />
      </div>
      <div className="flex flex-wrap items-end gap-x-6 gap-y-4 sm:gap-x-10 md:justify-end md:pb-0.5">
        <PunctualityReadings p95={p95} onTimeRate={onTimeRate} sent={sent} sentLabel="Sent in 24 h" />
      </div>
    </>
  );
}

function NothingSent({ id }: { id: string }) {
  return (
    <div className="grid gap-1">
      <h2 id={id} className="text-xl">
        No request in the last 24 hours
      </h2>
      <p className="text-ink-soft">As soon as one is sent, this says how late it was.</p>
    </div>
  );
}
