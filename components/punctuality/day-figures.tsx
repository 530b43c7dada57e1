import type { LatenessCount } from "../charts/histogram-lines.ts";
import { LatenessHistogram } from "../charts/lateness-histogram.tsx";
import { formatCount, formatPercent } from "../format/number.ts";
import { offsetParts } from "../format/offset.ts";
import { LatenessFigure, Reading } from "../ui/reading.tsx";

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
export function DayFigures({ figures, id }: { figures: PunctualityFigures; id: string }) {
  const { sent, p50, p95, histogram } = figures;
  return (
    <>
      <div className="mb-4 grid grid-cols-[repeat(auto-fit,minmax(min(100%,17rem),1fr))] items-end gap-x-8 gap-y-6">
        {sent > 0 ? <Figures {...figures} id={id} /> : <NothingSent id={id} />}
      </div>
      <LatenessHistogram counts={histogram} p50={p50} p95={p95} />
    </>
  );
}

function Figures({ sent, onTimeRate, p50, p95, id }: PunctualityFigures & { id: string }) {
  const late = offsetParts(p95);
  return (
    <>
      <div className="grid gap-3">
        <h2 id={id} className="font-normal text-base text-ink-soft tracking-normal">
          Half of all requests left within
        </h2>
        <LatenessFigure ms={p50} size="hero" />
      </div>
      <div className="flex flex-wrap items-end gap-x-6 gap-y-4 sm:gap-x-10 md:justify-end md:pb-0.5">
        <Reading label="95 % within" unit={late.unit}>
          {late.sign}
          {late.value}
        </Reading>
        <Reading label="On time" unit="%">
          {formatPercent(onTimeRate)}
        </Reading>
        <Reading label="Sent in 24 h">{formatCount(sent)}</Reading>
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
      <p className="text-ink-soft">As soon as one leaves, this says how late it was.</p>
    </div>
  );
}
