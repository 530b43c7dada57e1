import type { LatenessCount } from "../charts/histogram-lines.ts";
import { HistogramTable } from "../charts/histogram-table.tsx";
import { LatenessHistogram } from "../charts/lateness-histogram.tsx";
import { zoneId } from "../charts/lateness-zones.ts";
import { PunctualityReadings } from "../punctuality/punctuality-readings.tsx";
import { Card, CardBody, CardFoot, CardHead } from "../ui/card.tsx";
import { LatenessFigure } from "../ui/reading.tsx";

type Figures = { sent: number; onTimeRate: number; p50: number; p95: number; histogram: readonly LatenessCount[] };

/** How late the requests of all accounts were in the last day; null when it could not be read. */
export function ServiceLateness({ figures }: { figures: Figures | null }) {
  return (
    <Card aria-labelledby="lateness">
      <CardHead title="How late the whole service is" id="lateness">
        <span className="text-ink-muted text-xs">live, last 24 hours</span>
      </CardHead>
      {figures === null || figures.sent === 0 ? (
        <CardBody className="text-ink-soft text-sm">
          {figures === null ? "The figures could not be read." : "No request was sent in the last 24 hours."}
        </CardBody>
      ) : (
        <Shown {...figures} />
      )}
      <CardFoot>
        First attempts of all accounts, as on the public status page: without those that were asked for at once, and
        those that waited for their own account&rsquo;s rate.
      </CardFoot>
    </Card>
  );
}

function Shown({ sent, onTimeRate, p50, p95, histogram }: Figures) {
  return (
    <CardBody className="grid gap-x-10 gap-y-5 lg:grid-cols-[minmax(14rem,1fr)_minmax(0,2.4fr)]">
      <div className="grid content-start gap-4">
        <div className="grid gap-1">
          <span className="text-ink-muted text-xs">Half within</span>
          <LatenessFigure ms={p50} />
        </div>
        <div className="flex flex-wrap gap-x-6 gap-y-3">
          <PunctualityReadings p95={p95} onTimeRate={onTimeRate} sent={sent} sentLabel="Sent" />
        </div>
      </div>
      <div className="grid min-w-0 content-start gap-2">
        <LatenessHistogram counts={histogram} p50={p50} p95={p95} size="medium" hrefOf={(zone) => `#${zoneId(zone)}`} />
        <HistogramTable counts={histogram} />
      </div>
    </CardBody>
  );
}
