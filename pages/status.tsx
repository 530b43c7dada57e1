import type { PageConfig } from "next";
import { ZoneScript } from "#components/layout/zone-script.tsx";
import { DayBars } from "#components/status/day-bars.tsx";
import { DayCard } from "#components/status/day-card.tsx";
import { DayTape } from "#components/status/day-tape.tsx";
import { Definitions } from "#components/status/definitions.tsx";
import { areOld } from "#components/status/status-notices.tsx";
import { Verdict } from "#components/status/verdict.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { FullTime } from "#components/ui/time.tsx";
import { statusVerdict } from "#domain/status-verdict.ts";
import { readIsRunning } from "#server/health/beat.ts";
import { type PublicDays, readLastDays } from "#server/overview/public-days.ts";
import { PUNCTUALITY_MAX_AGE_S, type Punctuality, readLastPunctuality } from "#server/overview/punctuality.ts";
import { servePage, type Visit } from "../app/(public)/serve-page.tsx";

export { RenderedPage as default } from "#components/layout/rendered-page.tsx";

export const config: PageConfig = { unstable_runtimeJS: false };

export const getServerSideProps = servePage(status);

async function status({ zone, nonce }: Visit) {
  const [figures, days, isRunning] = await Promise.all([readLastPunctuality(), readLastDays(), readIsRunning()]);
  return {
    title: "Status",
    description:
      "How punctual this installation is, today and in the last 90 days, by the first attempt of every live schedule.",
    canonical: "/status",
    feed: { href: "/status.atom", title: "Days with late requests" },
    body: (
      <div className="grid grid-cols-1 gap-5 pt-[clamp(1rem,2.5vw,2rem)]">
        {figures ? <Figures figures={figures} days={days} isRunning={isRunning} zone={zone ?? "UTC"} /> : <NotRead />}
        <ZoneScript known={zone} nonce={nonce} />
      </div>
    ),
  };
}

function Figures({
  figures,
  days,
  isRunning,
  zone,
}: {
  figures: Punctuality;
  days: PublicDays | null;
  isRunning: boolean | null;
  zone: string;
}) {
  const now = new Date();
  const verdict = statusVerdict(figures, { isRunning, isOld: areOld(figures.updatedAt, now) });
  const buckets = figures.series.map(({ startsAtMs, ...quarter }) => ({ startsAt: new Date(startsAtMs), ...quarter }));
  return (
    <>
      <Verdict verdict={verdict} figures={figures} now={now}>
        <span>
          Updated <FullTime at={figures.updatedAt} zone={zone} />
        </span>
        <ButtonLink size="small" href="/status.atom">
          Feed
        </ButtonLink>
        <ButtonLink size="small" href="/v1/status/punctuality">
          JSON
        </ButtonLink>
      </Verdict>
      {days && <DayBars days={days.days} />}
      {figures.sent > 0 && (
        <>
          <DayCard figures={figures} />
          <DayTape buckets={buckets} zone={zone} />
        </>
      )}
      <Definitions onTimeWithinMs={figures.onTimeWithinMs} maxAgeS={PUNCTUALITY_MAX_AGE_S} />
    </>
  );
}

function NotRead() {
  return (
    <Card>
      <EmptyState
        title="The figures did not load"
        heading="h1"
        art="no-match"
        actions={<ButtonLink href="/status">Try again</ButtonLink>}
      >
        <p>The database did not answer. How punctual this installation was is shown as soon as it does.</p>
      </EmptyState>
    </Card>
  );
}
