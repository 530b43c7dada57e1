import type { OverviewInput } from "../../../contract/inputs/overview-input.ts";
import { HOSTS_MAX } from "../../../contract/overview.ts";
import { nothingKept } from "../../../contract/refusals.ts";
import { errorLine } from "../../../domain/error-line.ts";
import { overviewSpan, periodAround, type Span } from "../../../domain/overview.ts";
import { usageView } from "../../../domain/quota.ts";
import { rangeSpan } from "../../../domain/range-span.ts";
import type { Overview, Profile, Punctuality, Usage } from "../types.ts";
import type { Account, Stored } from "./account.ts";
import { makeId } from "./ids.ts";
import { incidentsOf } from "./incidents.ts";
import { iso } from "./present.ts";

const HOUR_MS = 3_600_000;

/** The figures of a period or range. Nothing is ever late here, so that every offset is 0. Throws VALIDATION. */
export function overview(account: Account, query: OverviewInput): Overview {
  const { nowMs } = account;
  const span = spanOf(account, query);
  const { startsAt, stepMs, steps } = span;
  const sinceMs = startsAt.getTime();
  const untilMs = sinceMs + steps * stepMs;
  const isIn = (atMs: number) => atMs >= sinceMs && atMs < untilMs;
  const all = [...account.schedules.values()];
  const attempts = all.flatMap(({ log }) => log).filter(({ atMs }) => isIn(atMs));
  const delivered = attempts.filter(({ status_code: code }) => code !== null && code >= 200 && code < 300);
  const fired = all.filter(isCounted).filter(({ firedMs }) => isIn(firedMs));
  const lately = ({ log }: Stored) => isIn(log.at(-1)?.atMs ?? -Infinity);
  const countOf = (isMeant: (one: Stored) => boolean) => all.filter(isMeant).length;
  return {
    period: query.from || query.to ? periodAround(steps * stepMs) : (query.period ?? "24h"),
    from: iso(sinceMs),
    to: iso(untilMs),
    active_schedules: countOf(({ status }) => ["scheduled", "firing", "failed"].includes(status)),
    success_rate: attempts.length ? delivered.length / attempts.length : 0,
    offset_ms: { p50: 0, p95: 0, min: 0, max: 0 },
    recent_volume: attempts.length,
    histogram: histogramOf(fired.length),
    series: seriesOf(fired, span),
    outcomes: outcomesOf(attempts, span),
    ended: endedIn(delivered.length, all.filter((one) => one.status === "dead" && lately(one)).length),
    incidents: incidentsOf(account, isIn),
    hosts: hostsOf(all, isIn),
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
    series: seriesOf(fired, { startsAt: new Date(sinceMs), stepMs, steps: 96 }),
  };
}

export function usage({ nowMs, settings, scheduled, limits }: Account): Usage {
  const { env, plan } = settings;
  return {
    ...usageView({ epochMs: nowMs, plan, limits, env, scheduled }),
    limits: {
      bulk_items: limits.bulkItemsMax,
      payload_bytes: limits.payloadBytesMax,
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

/** The buckets of a period, or the hours of a range: those that are kept, up to the current one. */
function spanOf({ nowMs, limits }: Account, { period = "24h", from, to }: OverviewInput): Span {
  const { retentionDays } = limits;
  if (!from && !to) return overviewSpan(period, retentionDays, nowMs);
  const range = { fromMs: from?.getTime() ?? null, toMs: to?.getTime() ?? null };
  const span = rangeSpan(range, retentionDays, nowMs);
  if (!span) throw nothingKept(limits, from ? "from" : "to");
  return span;
}

function endedIn(delivered: number, dead: number): Overview["ended"] {
  return { delivered, dead, success_rate: delivered + dead === 0 ? 0 : delivered / (delivered + dead) };
}

type Attempts = readonly Stored["log"][number][];

function outcomesIn(attempts: Attempts) {
  const of = (digit: number) =>
    attempts.filter(({ status_code: code }) => Math.floor((code ?? 0) / 100) === digit).length;
  const codes = { code_2xx: of(2), code_3xx: of(3), code_4xx: of(4), code_5xx: of(5), code_none: of(0) };
  return { ...codes, interrupted: 0 };
}

function outcomesOf(attempts: Attempts, { startsAt, stepMs, steps }: Span): Overview["outcomes"] {
  return Array.from({ length: steps }, (_, step) => {
    const fromMs = startsAt.getTime() + step * stepMs;
    return { t: iso(fromMs), ...outcomesIn(attempts.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + stepMs)) };
  });
}

function newestErrorOf(attempts: Attempts): string | null {
  const sorted = [...attempts].sort((a, b) => a.atMs - b.atMs);
  return (
    sorted
      .map(({ error_text }) => errorLine(error_text))
      .filter((error) => error !== null)
      .at(-1) ?? null
  );
}

function hostsOf(all: readonly Stored[], isIn: (atMs: number) => boolean): Overview["hosts"] {
  const hostOf = ({ targetUrl }: Stored) => new URL(targetUrl).host;
  const hosts = [...new Set(all.map(hostOf))].map((host) => {
    const schedules = all.filter((one) => hostOf(one) === host);
    const attempts = schedules.flatMap(({ log }) => log).filter(({ atMs }) => isIn(atMs));
    const died = schedules.filter(({ status, log }) => status === "dead" && isIn(log.at(-1)?.atMs ?? 0));
    const lastError = newestErrorOf(attempts);
    return { host, attempts: attempts.length, ...outcomesIn(attempts), dead: died.length, last_error: lastError };
  });
  const failed = (one: Overview["hosts"][number]) => one.attempts - one.code_2xx;
  return hosts
    .filter(({ attempts }) => attempts > 0)
    .sort((a, b) => b.dead - a.dead || failed(b) - failed(a) || b.attempts - a.attempts || (a.host < b.host ? -1 : 1))
    .slice(0, HOSTS_MAX);
}

function seriesOf(fired: readonly Fired[], span: Span) {
  return Array.from({ length: span.steps }, (_, step) => {
    const fromMs = span.startsAt.getTime() + step * span.stepMs;
    const count = fired.filter(({ firedMs }) => firedMs >= fromMs && firedMs < fromMs + span.stepMs).length;
    const percentile = count ? 0 : null;
    return { t: iso(fromMs), count, p50: percentile, p95: percentile };
  });
}
