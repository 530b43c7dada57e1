import type { LatenessCount } from "../charts/histogram-lines.ts";
import { LatenessHistogram } from "../charts/lateness-histogram.tsx";
import { formatDuration } from "../format/duration.ts";
import { formatCount, formatPercent } from "../format/number.ts";
import { offsetParts } from "../format/offset.ts";
import { Card } from "../ui/card.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { LatenessFigure, Reading } from "../ui/reading.tsx";
import { TextLink } from "../ui/text-link.tsx";

export type PunctualityFigures = {
  sent: number;
  onTimeRate: number;
  onTimeWithinMs: number;
  p50: number;
  p95: number;
  updatedAt: Date;
  histogram: readonly LatenessCount[];
};

/** The punctuality of this installation in the last 24 hours. `figures` is null when they could not be read. */
export function PunctualityNow({ figures, now }: { figures: PunctualityFigures | null; now: Date }) {
  if (figures === null) {
    return (
      <Card>
        <EmptyState title="The figures did not load" art="no-match">
          <p>How punctual this installation is could not be read. Reload the page in a moment.</p>
        </EmptyState>
      </Card>
    );
  }
  const { sent, onTimeWithinMs, updatedAt, p50, p95, histogram } = figures;
  return (
    <Card aria-labelledby="now" className="p-[clamp(1rem,1.7vw,1.5rem)]">
      <div className="mb-4 grid grid-cols-[repeat(auto-fit,minmax(min(100%,17rem),1fr))] items-end gap-x-8 gap-y-6">
        {sent > 0 ? <Figures {...figures} /> : <NothingSent />}
      </div>
      <LatenessHistogram counts={histogram} p50={p50} p95={p95} />
      <div className="mt-3 flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
        <p className="max-w-176 text-ink-muted text-xs">
          Each line is one millisecond of lateness; the taller, the more requests (by square root). Lateness is the
          first byte of the request leaving, less the instant asked for, by the database’s clock. On time means within{" "}
          {onTimeWithinMs} ms. Counted are first attempts of live schedules of this installation in 24 hours.{" "}
          <span className="whitespace-nowrap">Updated {formatDuration(now.getTime() - updatedAt.getTime())} ago.</span>
        </p>
        <TextLink standalone href="/v1/status/punctuality" className="text-sm">
          These figures as JSON
        </TextLink>
      </div>
    </Card>
  );
}

function Figures({ sent, onTimeRate, p50, p95 }: PunctualityFigures) {
  const late = offsetParts(p95);
  return (
    <>
      <div className="grid gap-3">
        <h2 id="now" className="font-normal text-base text-ink-soft tracking-normal">
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

function NothingSent() {
  return (
    <div className="grid gap-1">
      <h2 id="now" className="text-xl">
        No request in the last 24 hours
      </h2>
      <p className="text-ink-soft">As soon as one leaves, this says how late it was.</p>
    </div>
  );
}
