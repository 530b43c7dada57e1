import type { Overview, OverviewFilter, Profile, Punctuality, Usage } from "../types.ts";
import { type Account, DAY_MS, type Stored } from "./account.ts";
import { makeId } from "./ids.ts";
import { iso } from "./present.ts";

const HOUR_MS = 3_600_000;
const SPANS = {
  "24h": { stepMs: HOUR_MS, steps: 24 },
  "7d": { stepMs: 6 * HOUR_MS, steps: 28 },
  "30d": { stepMs: DAY_MS, steps: 30 },
};

/** The figures of a period. Nothing is ever late here, so that every offset is 0. */
export function overview(account: Account, { period = "24h" }: OverviewFilter): Overview {
  const { nowMs, limits } = account;
  const { stepMs, steps } = SPANS[period];
  const count = Math.min(steps, Math.floor((limits.retentionDays * DAY_MS) / stepMs));
  const sinceMs = (Math.floor(nowMs / stepMs) + 1 - count) * stepMs;
  const all = [...account.schedules.values()];
  const attempts = all.flatMap(({ log }) => log).filter(({ atMs }) => atMs >= sinceMs);
  const delivered = attempts.filter(({ status_code: code }) => code !== null && code >= 200 && code < 300);
  const fired = all.filter(isCounted).filter(({ firedMs }) => firedMs >= sinceMs);
  const lately = ({ log }: Stored) => (log.at(-1)?.atMs ?? -Infinity) >= sinceMs;
  const countOf = (isMeant: (one: Stored) => boolean) => all.filter(isMeant).length;
  return {
    period,
    active_schedules: countOf(({ status }) => ["scheduled", "firing", "failed"].includes(status)),
    success_rate: attempts.length ? delivered.length / attempts.length : 0,
    offset_ms: { p50: 0, p95: 0, min: 0, max: 0 },
    recent_volume: attempts.length,
    histogram: histogramOf(fired.length),
    series: seriesOf(fired, { sinceMs, stepMs, count }),
    needs_attention: {
      failed: countOf((one) => one.status === "failed" && lately(one)),
      due_soon: countOf((one) => one.status === "scheduled" && one.fireMs <= nowMs + HOUR_MS),
      dead: countOf((one) => one.status === "dead" && lately(one)),
    },
  };
}

/** The public figures, as if this account were all of the service. Schedules of a test key are none of them. */
export function punctuality({ nowMs, schedules, settings }: Account): Punctuality {
  const stepMs = HOUR_MS / 4;
  const sinceMs = (Math.floor(nowMs / stepMs) - 95) * stepMs;
  const live = settings.env === "live" ? [...schedules.values()] : [];
  const fired = live.filter(isCounted).filter(({ firedMs }) => firedMs >= sinceMs);
  return {
    window: "24h",
    sent: fired.length,
    on_time_rate: fired.length ? 1 : 0,
    on_time_within_ms: 250,
    offset_ms: { p50: 0, p95: 0 },
    updated_at: iso(nowMs),
    histogram: histogramOf(fired.length),
    series: seriesOf(fired, { sinceMs, stepMs, count: 96 }),
  };
}

export function usage({ month, settings, scheduled, quota, limits }: Account): Usage {
  return {
    period: month,
    plan: settings.plan,
    scheduled,
    limit: quota.limit,
    grace_limit: quota.grace,
    over_limit: scheduled > quota.limit,
    limits: {
      bulk_items: limits.bulkItems,
      payload_bytes: limits.payloadBytes,
      requests_per_minute: limits.requestsPerMinute,
    },
  };
}

export function profile({ startMs, settings }: Account): Profile {
  return {
    user: {
      id: makeId("acc", 1),
      email: "owner@example.com",
      name: null,
      avatarUrl: null,
      status: "active",
      emailVerified: true,
      notices: true,
      createdAt: iso(startMs),
    },
    authSource: "apiKey",
    apiKey: { id: makeId("key", 1), env: settings.env },
    subscription: { plan: settings.plan, status: "none", currentPeriodEnd: null, manageable: false },
    isAdmin: false,
  };
}

type Fired = Stored & { firedMs: number };

const isCounted = (one: Stored): one is Fired => one.firedMs !== null && !one.isAsked;

const histogramOf = (count: number) => (count ? [{ ms: 0, count }] : []);

function seriesOf(fired: readonly Fired[], span: { sinceMs: number; stepMs: number; count: number }) {
  return Array.from({ length: span.count }, (_, step) => {
    const fromMs = span.sinceMs + step * span.stepMs;
    const count = fired.filter(({ firedMs }) => firedMs >= fromMs && firedMs < fromMs + span.stepMs).length;
    const percentile = count ? 0 : null;
    return { t: iso(fromMs), count, p50: percentile, p95: percentile };
  });
}
