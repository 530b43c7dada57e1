import { FrameFoot } from "#components/layout/frame-foot.tsx";
import { TimesSwitch } from "#components/layout/times-switch.tsx";
import { DispatcherDown } from "#components/overview/dispatcher-down.tsx";
import { FirstSteps } from "#components/overview/first-steps.tsx";
import type { Incident } from "#components/overview/incident-list.tsx";
import { LatenessCard } from "#components/overview/lateness-card.tsx";
import { type Near, RecentlyFired, UpcomingSchedules } from "#components/overview/nearest.tsx";
import { NeedsAttention } from "#components/overview/needs-attention.tsx";
import { StatusNotices } from "#components/status/status-notices.tsx";
import { Card, CardBody } from "#components/ui/card.tsx";
import { installationOf } from "#server/sdk-package.ts";
import { LONG_ERROR, LONG_URL } from "./extreme-values.ts";
import { Section } from "./section.tsx";

const NOW = new Date("2026-03-27T14:32:07.000Z");
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000);
const SEEN = { allHref: "#all", now: NOW, zone: "Europe/Berlin" };

const NEAR: readonly Near[] = [
  {
    id: "1",
    href: "#1",
    status: "succeeded",
    method: "POST",
    url: LONG_URL,
    at: ago(4),
    offsetMs: 3,
    nextAttemptAt: null,
  },
  {
    id: "2",
    href: "#2",
    status: "dead",
    method: "DELETE",
    url: "https://example.com/",
    at: ago(400),
    offsetMs: 86_400_000,
    nextAttemptAt: null,
  },
  {
    id: "3",
    href: "#3",
    status: "failed",
    method: "PUT",
    url: "https://example.com/jobs/settle",
    at: ago(90),
    offsetMs: 0,
    nextAttemptAt: ago(-8_040),
  },
];

const GROUP = { error: LONG_ERROR, dead: 0, retrying: 0, mended: { delivered: 0, underWay: 0 }, nextAttemptAt: null };
const INCIDENTS: readonly Incident[] = [
  {
    ...GROUP,
    host: new URL(LONG_URL).host,
    code: 503,
    dead: 1_234_567,
    retrying: 12,
    href: "#group-1",
    mended: { delivered: 41, underWay: 9_000 },
    operationHref: "#operation-1",
    replayHref: "#replay",
    from: ago(500_000),
    to: ago(60),
  },
  {
    ...GROUP,
    host: "example.com:8443",
    code: null,
    error: "no answer within 30 s",
    retrying: 3,
    href: "#group-2",
    nextAttemptAt: ago(-8_040),
    from: ago(4_000),
    to: ago(3_999),
  },
  {
    ...GROUP,
    host: "api.example.com",
    code: 410,
    error: null,
    href: "#group-3",
    operationHref: "#operation-2",
    mended: { delivered: 37, underWay: 0 },
    from: ago(9_000),
    to: ago(4_000),
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
      <NeedsAttention
        incidents={INCIDENTS}
        more={{ count: 12, href: "#more" }}
        isCapped
        dead={{ count: 1_234_567, href: "#dead" }}
        retrying={{ count: 12, href: "#retrying" }}
        dueSoon={{ count: 41, href: "#soon" }}
        period="30 days"
        zone="Europe/Berlin"
        now={NOW}
      />
      <NeedsAttention
        incidents={INCIDENTS.slice(-1)}
        more={{ count: 0, href: "#more" }}
        isCapped={false}
        dead={{ count: 37, href: "#dead" }}
        retrying={{ count: 0, href: "#retrying" }}
        dueSoon={{ count: 0, href: "#soon" }}
        period="24 hours"
        zone="UTC"
        now={NOW}
      />
      <LatenessCard
        shown={{
          active: 12_345_678,
          volume: 98_765_432,
          successRate: 0.999_999,
          deliveredRate: 0.999_999,
          offsets: { p50: 86_400_000, p95: 200_000_000, min: 0, max: 2_000_000_000 },
          histogram: [{ ms: 86_400_000, count: 1 }],
          buckets: [{ startsAt: ago(600), count: 1, p50: 86_400_000, p95: 200_000_000 }],
          outcomes: [
            {
              startsAt: ago(600),
              outcomes: { "2xx": 98_765_432, "3xx": 0, "4xx": 1, "5xx": 0, none: 12_345, interrupted: 1 },
            },
          ],
        }}
        period="the last 30 days"
        endsNow
        bucket="quarter of a day"
        stepMs={21_600_000}
        zone="UTC"
        answers={{ bucket: () => "#bucket", outcomes: () => "#outcomes", zone: () => "#zone", range: "#range" }}
        links={{ schedules: "#schedules", logs: "#logs", late: "#late" }}
      />
      <div className="grid items-start gap-4 grid-cols-[repeat(auto-fit,minmax(min(100%,21rem),1fr))]">
        <RecentlyFired schedules={NEAR} {...SEEN} />
        <UpcomingSchedules schedules={NEAR} {...SEEN} />
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
