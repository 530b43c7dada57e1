import type { Environment } from "#domain/environment.ts";
import { QuotaMeter } from "../charts/quota-meter.tsx";
import { formatMonth, formatShortDay } from "../format/instant.ts";
import { formatCount } from "../format/number.ts";
import { Card, CardBody, CardFoot } from "../ui/card.tsx";
import { Reading } from "../ui/reading.tsx";

/** A month of one environment. `projected` is null while there is no extrapolation. */
export type Month = {
  env: Environment;
  scheduled: number;
  limit: number;
  graceLimit: number;
  /** When the next month begins. */
  endsAt: Date;
  now: Date;
  projected: number | null;
};

/** The used part of the month's quota. */
export function MonthCard({ month }: { month: Month }) {
  const { env, scheduled, limit, graceLimit, endsAt, projected } = month;
  const lastDay = new Date(endsAt.getTime() - 1);
  return (
    <Card aria-labelledby="month">
      <CardBody className="grid grid-cols-1 gap-6 sm:p-5">
        <div className="flex flex-wrap items-end justify-between gap-x-10 gap-y-5">
          <div className="grid gap-3">
            <h2 id="month" className="font-normal text-base text-ink-soft tracking-normal">
              Scheduled in {formatMonth(lastDay)}
              {env === "test" && ", test"}
            </h2>
            <p className="flex flex-wrap items-baseline gap-x-2 gap-y-1 text-figure tracking-figure max-sm:text-4xl">
              {formatCount(scheduled)}{" "}
              <span className="text-[0.36em] text-ink-muted leading-none tracking-[-0.02em]">
                of {formatCount(limit)}
              </span>
            </p>
          </div>
          <div className="flex flex-wrap gap-x-8 gap-y-4">
            <Reading label="Left">{formatCount(Math.max(0, limit - scheduled))}</Reading>
            <Reading label={`By ${formatShortDay(lastDay)}, at this pace`}>
              {projected === null ? "—" : formatCount(projected)}
            </Reading>
            <Reading label="Starts again">{formatShortDay(endsAt)}</Reading>
          </div>
        </div>
        <QuotaMeter used={scheduled} limit={limit} graceLimit={graceLimit} projected={projected} />
      </CardBody>
      <CardFoot>
        <p>
          A schedule counts when it is created, replayed or cloned; the replay of a dead one does not. Cancelled
          schedules still count. Test schedules are counted apart.
        </p>
      </CardFoot>
    </Card>
  );
}
