import type { Metadata } from "next";
import { DayCard } from "#components/status/day-card.tsx";
import { DayTape } from "#components/status/day-tape.tsx";
import { Definitions } from "#components/status/definitions.tsx";
import { StatusNotices } from "#components/status/status-notices.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { FullTime } from "#components/ui/time.tsx";
import { readLastBeat } from "#server/health/beat.ts";
import { PUNCTUALITY_MAX_AGE_S, type Punctuality, readLastPunctuality } from "#server/overview/punctuality.ts";
import { publicPage } from "../public-page.tsx";

export const metadata: Metadata = {
  title: "Punctuality",
  description: "How punctual this installation was in the last 24 hours, by the first attempt of every live schedule.",
  alternates: { canonical: "/status" },
};

export default async function Status() {
  const [figures, isRunning] = await Promise.all([readLastPunctuality(), readIsRunning()]);
  return publicPage(
    <div className="grid grid-cols-1 gap-5 pt-[clamp(1rem,2.5vw,2rem)]">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <h1 className="text-xl">Punctuality, last 24 hours</h1>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-ink-muted text-sm">
          {figures && (
            <span>
              Updated <FullTime at={figures.updatedAt} />
            </span>
          )}
          <ButtonLink size="small" href="/v1/status/punctuality">
            JSON
          </ButtonLink>
        </div>
      </div>
      {figures ? <Figures figures={figures} isRunning={isRunning} /> : <NotRead />}
    </div>,
  );
}

function Figures({ figures, isRunning }: { figures: Punctuality; isRunning: boolean | null }) {
  const buckets = figures.series.map(({ startsAtMs, ...quarter }) => ({ startsAt: new Date(startsAtMs), ...quarter }));
  return (
    <>
      <StatusNotices updatedAt={figures.updatedAt} isRunning={isRunning} now={new Date()} />
      <DayCard figures={figures} />
      <DayTape buckets={buckets} />
      <Definitions onTimeWithinMs={figures.onTimeWithinMs} maxAgeS={PUNCTUALITY_MAX_AGE_S} />
    </>
  );
}

function NotRead() {
  return (
    <Card>
      <EmptyState
        title="The figures did not load"
        art="no-match"
        actions={<ButtonLink href="/status">Try again</ButtonLink>}
      >
        <p>The database did not answer. How punctual this installation was is shown as soon as it does.</p>
      </EmptyState>
    </Card>
  );
}

/** Null while the database does not answer. */
function readIsRunning(): Promise<boolean | null> {
  return readLastBeat().then(
    ({ isAlive }) => isAlive,
    () => null,
  );
}
