import type { EndReason } from "./end-reasons.ts";
import { INCIDENT_GAP_MS } from "./incident.ts";
import { mailedAnswer } from "./mailed-answer.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Delay of the first notice, to include further deaths. */
const FIRST_AFTER_MS = 2 * MINUTE_MS;
/** Minimum time between two notices; doubles with each notice, up to `LONGEST_INTERVAL_MS`. */
const FIRST_INTERVAL_MS = 15 * MINUTE_MS;
const LONGEST_INTERVAL_MS = 24 * HOUR_MS;
/** After this long without a death (or the current interval, if longer) the intervals start over. */
const QUIET_MS = 6 * HOUR_MS;
/** Maximum number of distinct lines in a notice; further deaths are only counted. */
export const LINES_MAX = 20;

/**
 * A live schedule that died: the host of its target, its last status code (null without an answer), the first line of its last
 * error, why it died, when it was due and when it died (epoch ms).
 */
export type Death = {
  target: string;
  code: number | null;
  error: string | null;
  reason?: EndReason | null;
  dueMs: number;
  atMs: number;
};

/**
 * Deaths with the same target and status code, in a group as the overview makes them: no hour passed without one that was due.
 * `answer` is that of the newest one with a text; `fromMs` and `toMs` are when the first and the last was due (epoch ms). Lines
 * of an earlier release have an answer alone, or no code, and then the times of their deaths.
 */
export type DeathLine = {
  target: string;
  code?: number | null;
  answer: string;
  /** Of those that did not just use up their attempts. */
  reason?: EndReason;
  n: number;
  fromMs?: number;
  toMs?: number;
};

/** The deaths reported in one notice. */
export type Deaths = {
  /** Schedules. */
  n: number;
  /** The first death, epoch ms. */
  sinceMs: number;
  lines: DeathLine[];
  /** Schedules beyond the lines. */
  others: number;
};

/** The content of a notice of dead schedules: the deaths, and the minimum time until the next notice. */
export type DeadNotice = Deaths & { intervalMs: number };

/** The unreported deaths of one account, and the state that decides when the next notice is due. Epoch ms. */
export type DeathGroup = {
  waiting: Deaths | null;
  lastDeathAtMs: number | null;
  /** When the last notice was sent; until then, when it was created. */
  lastNoticeAtMs: number | null;
  /** Minimum time between the last notice and the next; null when there is no recent notice. */
  intervalMs: number | null;
};

export const NO_DEATHS: DeathGroup = { waiting: null, lastDeathAtMs: null, lastNoticeAtMs: null, intervalMs: null };

/** Adds deaths, in any order. */
export function addDeaths(group: DeathGroup, deaths: readonly Death[]): DeathGroup {
  if (deaths.length === 0) return group;
  const atMs = deaths.map((death) => death.atMs);
  const firstMs = Math.min(...atMs);
  const inOrder = deaths.toSorted((a, b) => a.atMs - b.atMs);
  const waiting = inOrder.reduce(count, group.waiting ?? { n: 0, sinceMs: firstMs, lines: [], others: 0 });
  return {
    ...(group.waiting === null && wasQuiet(group, firstMs) ? { ...NO_DEATHS } : group),
    waiting: { ...waiting, sinceMs: Math.min(waiting.sinceMs, firstMs) },
    lastDeathAtMs: Math.max(group.lastDeathAtMs ?? 0, ...atMs),
  };
}

/** When the next notice is due, epoch ms; null without unreported deaths. */
export function noticeDueAtMs({ waiting, lastNoticeAtMs, intervalMs }: DeathGroup): number | null {
  if (waiting === null) return null;
  return Math.max(waiting.sinceMs + FIRST_AFTER_MS, (lastNoticeAtMs ?? 0) + (intervalMs ?? 0));
}

/** Creates a notice of all unreported deaths (null without any), and returns the group after it. */
export function makeNotice(group: DeathGroup, nowMs: number): { notice: DeadNotice | null; group: DeathGroup } {
  if (group.waiting === null) return { notice: null, group };
  const intervalMs =
    group.intervalMs === null ? FIRST_INTERVAL_MS : Math.min(2 * group.intervalMs, LONGEST_INTERVAL_MS);
  return {
    notice: { ...group.waiting, intervalMs },
    group: { ...group, waiting: null, lastNoticeAtMs: nowMs, intervalMs },
  };
}

/** The group after its notice was sent. The interval starts then, which may be long after the notice was created. */
export function noticeSent(group: DeathGroup, nowMs: number): DeathGroup {
  return { ...group, lastNoticeAtMs: Math.max(group.lastNoticeAtMs ?? 0, nowMs) };
}

function wasQuiet({ lastDeathAtMs, lastNoticeAtMs, intervalMs }: DeathGroup, nowMs: number): boolean {
  const lastMs = Math.max(lastDeathAtMs ?? 0, lastNoticeAtMs ?? 0);
  return nowMs - lastMs >= Math.max(QUIET_MS, intervalMs ?? 0);
}

function count(notice: Deaths, death: Death): Deaths {
  const { target, code, error, dueMs, reason } = death;
  const n = notice.n + 1;
  const [same, rest] = [
    notice.lines.filter((line) => isOf(line, death)),
    notice.lines.filter((line) => !isOf(line, death)),
  ];
  if (same.length === 0 && rest.length >= LINES_MAX) return { ...notice, n, others: notice.others + 1 };
  const known = error === null ? same.at(-1)?.answer : undefined;
  // A death between two groups makes one of them.
  const line: DeathLine = {
    target,
    code,
    answer: known ?? mailedAnswer({ code, error }),
    ...(reason && reason !== "attempts" && { reason }),
    n: same.reduce((sum, one) => sum + one.n, 1),
    fromMs: Math.min(dueMs, ...same.map(({ fromMs = dueMs }) => fromMs)),
    toMs: Math.max(dueMs, ...same.map(({ toMs = dueMs }) => toMs)),
  };
  return { ...notice, n, lines: [...rest, line] };
}

function isOf({ target, code, reason, fromMs, toMs }: DeathLine, death: Death): boolean {
  if (reason !== (death.reason === "attempts" ? undefined : (death.reason ?? undefined))) return false;
  if (fromMs === undefined || toMs === undefined || target !== death.target || code !== death.code) return false;
  return death.dueMs >= fromMs - INCIDENT_GAP_MS && death.dueMs <= toMs + INCIDENT_GAP_MS;
}
