const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The first notice waits this long for further deaths. */
const FIRST_AFTER_MS = 2 * MINUTE_MS;
/** After a notice the next one comes no sooner than this; each time twice as long, up to the longest. */
const FIRST_INTERVAL_MS = 15 * MINUTE_MS;
const LONGEST_INTERVAL_MS = 24 * HOUR_MS;
/** So long without a death (or the interval, when that is longer), and the next one is the first again. */
const QUIET_MS = 6 * HOUR_MS;
/** Kinds of deaths that are told apart; of more, the rest is one number. */
export const LINES_MAX = 20;

/** A live schedule that died: the host of its target, how its last attempt ended, and when (epoch ms). */
export type Death = { target: string; answer: string; atMs: number };

/** Deaths that are told in one notice. */
export type Deaths = {
  /** Schedules. */
  n: number;
  /** The first death, epoch ms. */
  sinceMs: number;
  lines: { target: string; answer: string; n: number }[];
  /** Schedules that are in no line. */
  others: number;
};

/** What a notice of dead schedules says: the deaths, and for how long there is no other one. */
export type DeadNotice = Deaths & { intervalMs: number };

/** The deaths of one account that wait for a notice, and what decides when it is due. Instants are epoch ms. */
export type DeathGroup = {
  waiting: Deaths | null;
  lastDeathAtMs: number | null;
  /** When the last notice was sent, or made while it is not sent yet. */
  lastNoticeAtMs: number | null;
  /** How long after it the next one has to wait; null when there was none, or none for long. */
  intervalMs: number | null;
};

export const NO_DEATHS: DeathGroup = { waiting: null, lastDeathAtMs: null, lastNoticeAtMs: null, intervalMs: null };

/** The group with further deaths, which may come in any order. */
export function addDeaths(group: DeathGroup, deaths: readonly Death[]): DeathGroup {
  if (deaths.length === 0) return group;
  const atMs = deaths.map((death) => death.atMs);
  const firstMs = Math.min(...atMs);
  const waiting = deaths.reduce(count, group.waiting ?? { n: 0, sinceMs: firstMs, lines: [], others: 0 });
  return {
    ...(group.waiting === null && wasQuiet(group, firstMs) ? { ...NO_DEATHS } : group),
    waiting: { ...waiting, sinceMs: Math.min(waiting.sinceMs, firstMs) },
    lastDeathAtMs: Math.max(group.lastDeathAtMs ?? 0, ...atMs),
  };
}

/** When the notice of what waits is due; null when nothing waits. */
export function noticeDueAtMs({ waiting, lastNoticeAtMs, intervalMs }: DeathGroup): number | null {
  if (waiting === null) return null;
  return Math.max(waiting.sinceMs + FIRST_AFTER_MS, (lastNoticeAtMs ?? 0) + (intervalMs ?? 0));
}

/** Makes a notice of all that waits; null when nothing does. Returns the group as it is then, too. */
export function makeNotice(group: DeathGroup, nowMs: number): { notice: DeadNotice | null; group: DeathGroup } {
  if (group.waiting === null) return { notice: null, group };
  const intervalMs =
    group.intervalMs === null ? FIRST_INTERVAL_MS : Math.min(2 * group.intervalMs, LONGEST_INTERVAL_MS);
  return {
    notice: { ...group.waiting, intervalMs },
    group: { ...group, waiting: null, lastNoticeAtMs: nowMs, intervalMs },
  };
}

/** The group after its notice was sent, which may be long after it was made: the interval counts from here. */
export function noticeSent(group: DeathGroup, nowMs: number): DeathGroup {
  return { ...group, lastNoticeAtMs: Math.max(group.lastNoticeAtMs ?? 0, nowMs) };
}

function wasQuiet({ lastDeathAtMs, lastNoticeAtMs, intervalMs }: DeathGroup, nowMs: number): boolean {
  const lastMs = Math.max(lastDeathAtMs ?? 0, lastNoticeAtMs ?? 0);
  return nowMs - lastMs >= Math.max(QUIET_MS, intervalMs ?? 0);
}

function count(notice: Deaths, { target, answer }: Death): Deaths {
  const n = notice.n + 1;
  const known = notice.lines.findIndex((line) => line.target === target && line.answer === answer);
  if (known < 0 && notice.lines.length >= LINES_MAX) return { ...notice, n, others: notice.others + 1 };
  if (known < 0) return { ...notice, n, lines: [...notice.lines, { target, answer, n: 1 }] };
  return { ...notice, n, lines: notice.lines.map((line, at) => (at === known ? { ...line, n: line.n + 1 } : line)) };
}
