import type { Metadata } from "next";
import { Hero } from "#components/landing/hero.tsx";
import { HostAndLimits } from "#components/landing/host-and-limits.tsx";
import { Promises } from "#components/landing/promises.tsx";
import { PunctualityNow } from "#components/landing/punctuality-now.tsx";
import { TimingBreakdown } from "#components/landing/timing-breakdown.tsx";
import { readLastPunctuality } from "#server/overview/punctuality.ts";
import { SDK_NAME } from "#server/sdk-package.ts";
import { getServices } from "#server/services.ts";
import { publicPage } from "./public-page.tsx";

export const metadata: Metadata = {
  title: { absolute: "Scheduled HTTP, sent on the millisecond · Stopwatch" },
  description:
    "Hand over an HTTP request and an instant. It leaves then: signed, retried, with a log of how late it was.",
  alternates: { canonical: "/" },
};

export default async function Landing() {
  const { baseUrl, plans, defaultPlan } = getServices().config;
  const figures = await readLastPunctuality();
  const now = new Date();
  return publicPage(
    <>
      <Hero baseUrl={baseUrl} sdkName={SDK_NAME} fireAt={tomorrowAtNine(now)} />
      <PunctualityNow figures={figures} now={now} />
      <Promises />
      <TimingBreakdown />
      <HostAndLimits plans={plans} defaultPlan={defaultPlan} />
    </>,
  );
}

function tomorrowAtNine(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1, 9));
}
