import type { PageConfig } from "next";
import { Comparison } from "#components/landing/comparison.tsx";
import { Hero } from "#components/landing/hero.tsx";
import { HostAndLimits } from "#components/landing/host-and-limits.tsx";
import { Promises } from "#components/landing/promises.tsx";
import { PunctualityNow } from "#components/landing/punctuality-now.tsx";
import { RealAttempt } from "#components/landing/real-attempt.tsx";
import { Uses } from "#components/landing/uses.tsx";
import { WhyLate } from "#components/landing/why-late.tsx";
import { StatusNotices } from "#components/status/status-notices.tsx";
import { TrialCard } from "#components/trial/trial-card.tsx";
import { readRecordedAttempt } from "#server/docs/recorded-attempt.ts";
import { readIsRunning } from "#server/health/beat.ts";
import { readLastPunctuality } from "#server/overview/punctuality.ts";
import { SDK_NAME } from "#server/sdk-package.ts";
import { getServices } from "#server/services.ts";
import { readTrialOffer } from "#server/trial/offer.ts";
import { servePage } from "../app/(public)/serve-page.tsx";

export { RenderedPage as default } from "#components/layout/rendered-page.tsx";

export const config: PageConfig = { unstable_runtimeJS: false };

export const getServerSideProps = servePage(landing);

async function landing() {
  const { baseUrl, plans, defaultPlan, signup, stripe } = getServices().config;
  const [figures, isRunning, trialTarget, attempt] = await Promise.all([
    readLastPunctuality(),
    readIsRunning(),
    readTrialOffer(),
    readRecordedAttempt(),
  ]);
  // A scale without a request says nothing.
  const isQuiet = figures?.sent === 0;
  const now = new Date();
  return {
    title: "Scheduled HTTP, sent on the millisecond · Stopwatch",
    isWholeTitle: true,
    description:
      "Hand over an HTTP request and an instant. It is sent then: signed, retried, with a log of how late it was.",
    canonical: "/",
    body: (
      <>
        <Hero baseUrl={baseUrl} sdkName={SDK_NAME} fireAt={tomorrowAtNine(now)} isSignupOpen={signup === "open"} />
        {figures && <StatusNotices updatedAt={figures.updatedAt} isRunning={isRunning} now={now} />}
        <div className="grid grid-cols-1 gap-5">
          {isQuiet ? <RealAttempt attempt={attempt} isHero /> : <PunctualityNow figures={figures} now={now} />}
          {trialTarget !== null && <TrialCard formKey={crypto.randomUUID()} target={trialTarget} />}
        </div>
        <Uses />
        <Promises />
        {!isQuiet && <WhyLate attempt={attempt} />}
        <Comparison />
        <HostAndLimits plans={plans} defaultPlan={defaultPlan} isPaid={stripe !== undefined} />
      </>
    ),
  };
}

function tomorrowAtNine(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1, 9));
}
