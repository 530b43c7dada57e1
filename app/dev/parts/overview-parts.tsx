import { FrameFoot } from "#components/layout/frame-foot.tsx";
import { TimesSwitch } from "#components/layout/times-switch.tsx";
import { DispatcherDown } from "#components/overview/dispatcher-down.tsx";
import { FirstSteps } from "#components/overview/first-steps.tsx";
import { LatenessCard } from "#components/overview/lateness-card.tsx";
import { type Near, RecentlyFired, UpcomingSchedules } from "#components/overview/nearest.tsx";
import { NeedsAttention } from "#components/overview/needs-attention.tsx";
import { StatusNotices } from "#components/status/status-notices.tsx";
import { Card, CardBody } from "#components/ui/card.tsx";
import { installationOf } from "#server/sdk-package.ts";
import { LONG_URL } from "./extreme-values.ts";
import { Section } from "./section.tsx";

const NOW = new Date("2026-03-27T14:32:07.000Z");
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000);
const SEEN = { allHref: "#all", now: NOW, zone: "Europe/Berlin" };

const NEAR: readonly Near[] = [
  { id: "1", href: "#1", status: "succeeded", method: "POST", url: LONG_URL, at: ago(4), offsetMs: 3 },
  {
    ...{ id: "2", href: "#2", status: "dead", method: "DELETE", url: "https://example.com/" },
    ...{ at: ago(400), offsetMs: 86_400_000 },
  },
];

const FIRST_STEPS = {
  installation: installationOf("https://stopwatch.example.com"),
  env: "live",
  links: { keys: "#keys", newKey: "#new-key", newSchedule: "#new", schedules: "#schedules" },
} as const;
const STEPS_DONE = {
  none: { hasKey: false, hasSchedule: false, hasSent: false },
  key: { hasKey: true, hasSchedule: false, hasSent: false },
  schedule: { hasKey: true, hasSchedule: true, hasSent: false },
  "form alone": { hasKey: false, hasSchedule: true, hasSent: true },
};

/** The overview at its extremes: no requests, one request, very large numbers, no dispatcher. */
export function OverviewParts() {
  return (
    <Section title="Overview: first use, one request, very much, nothing">
      <DispatcherDown beat={{ ageMs: 252_000, isAlive: false }} now={NOW} zone="Europe/Berlin" />
      <DispatcherDown beat={{ ageMs: null, isAlive: false }} now={NOW} zone="UTC" />
      <StatusNotices updatedAt={ago(364)} isRunning={false} now={NOW} />
      {Object.entries(STEPS_DONE).map(([name, done]) => (
        <FirstSteps key={name} {...FIRST_STEPS} done={done} />
      ))}
      <LatenessCard
        shown={{
          ...{ active: 12_345_678, volume: 98_765_432, successRate: 0.999_999 },
          offsets: { p50: 86_400_000, p95: 200_000_000, min: 0, max: 2_000_000_000 },
          histogram: [{ ms: 86_400_000, count: 1 }],
          buckets: [{ startsAt: ago(600), count: 1, p50: 86_400_000, p95: 200_000_000 }],
        }}
        period="30 days"
        bucket="quarter of a day"
        zone="UTC"
        links={{ schedules: "#schedules", logs: "#logs" }}
      />
      <div className="grid items-start gap-4 grid-cols-[repeat(auto-fit,minmax(min(100%,21rem),1fr))]">
        <RecentlyFired schedules={NEAR} {...SEEN} />
        <UpcomingSchedules schedules={NEAR} {...SEEN} />
        <NeedsAttention
          failed={{ count: 1_234_567, href: "#failed" }}
          dead={{ count: 0, href: "#dead" }}
          dueSoon={{ count: 41, href: "#soon" }}
          period="24 hours"
        />
        <Card>
          <CardBody className="grid gap-4">
            <TimesSwitch times="utc" zone="Europe/Berlin" back="#here" />
            <FrameFoot
              usage={{ scheduled: 1_412, limit: 2_000, href: "#usage" }}
              beat={{ ageMs: 400, isAlive: true }}
            />
            <FrameFoot
              usage={{ scheduled: 1_234_567_890, limit: 2_000_000, href: "#usage" }}
              beat={{ ageMs: 252_000, isAlive: false }}
            />
            <FrameFoot usage={{ scheduled: 0, limit: 0, href: "#usage" }} beat={{ ageMs: null, isAlive: false }} />
          </CardBody>
        </Card>
      </div>
    </Section>
  );
}
