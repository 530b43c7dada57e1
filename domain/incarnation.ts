/**
 * Which database a process is connected to. `systemIdentifier` is given by initdb; `timeline` grows with each promotion and
 * each restore to a point in time. Either is null where the server does not tell it.
 */
export type Incarnation = { systemIdentifier: string | null; timeline: number | null };

/**
 * Why nothing is claimed: the timeline is lower than one that a dispatcher has seen; the database may have been restored;
 * an operator asked for it.
 */
export const HOLD_REASONS = ["older_timeline", "restored", "operator"] as const;

export type HoldReason = (typeof HOLD_REASONS)[number];

/** How a hold ended: by what an operator chose, or because a dispatcher found that nothing was lost. */
export const HOLD_CHOICES = ["send_all", "send_from", "continued"] as const;

/** A heartbeat that is older than this may be that of a backup, ms. */
export const HEARTBEAT_OLD_MS = 120_000;

/**
 * A database that keeps its incarnation may have lost this much of what it acknowledged, ms: with synchronous_commit = off a
 * crash loses up to three times wal_writer_delay, 0.6 s by default.
 */
const LOST_IN_CRASH_MS = 10_000;

/** An incarnation at an instant of the database's clock, epoch ms. */
export type Mark = Incarnation & { atMs: number };

export type Standing = {
  current: Incarnation;
  nowMs: number;
  /** The newest heartbeat in the database, of any dispatcher. */
  newest: Mark | null;
  /** The heartbeat of this dispatcher in the database. */
  ownAtMs: number | null;
  /** The last choice that ended a hold in this database. */
  choice: Mark | null;
};

/**
 * Whether a database continues the one that dispatchers know. `known` is the last heartbeat that was acknowledged to this
 * dispatcher; null before the first one. `primaries` are those found behind the other hosts of its address, each with the
 * newest heartbeat in it. `restored` means that it may be a restored one: hold it if schedules are due.
 */
export function judgeDatabase(
  known: Mark | null,
  standing: Standing,
  primaries: readonly Mark[] = [],
): "continues" | "older_timeline" | "restored" {
  const { current, newest, ownAtMs, choice, nowMs } = standing;
  const isChosenSince = ({ atMs }: Mark) => choice !== null && !differs(choice, current) && choice.atMs >= atMs;
  if (primaries.some((other) => isOlder(current, other) && !isChosenSince(other))) return "older_timeline";
  if (known && !isChosenSince(known)) {
    if (isOlder(current, known)) return "older_timeline";
    if (ownAtMs !== null && ownAtMs >= known.atMs) return "continues";
    const isLost = differs(known, current) || (ownAtMs ?? 0) < known.atMs - LOST_IN_CRASH_MS;
    if (isLost && isOld(newest, nowMs)) return "restored";
  }
  const stored = newest && choice && choice.atMs >= newest.atMs ? choice : newest;
  return stored && differs(stored, current) && isOld(newest, nowMs) ? "restored" : "continues";
}

/** True when a dispatcher finds the last heartbeat that was acknowledged to it, so that nothing was lost since. */
export function findsOwnHeartbeat(known: Mark | null, { current, ownAtMs }: Standing): boolean {
  return known !== null && !isOlder(current, known) && ownAtMs !== null && ownAtMs >= known.atMs;
}

const isOld = (newest: Mark | null, nowMs: number) => newest !== null && nowMs - newest.atMs > HEARTBEAT_OLD_MS;

/** What is not known on one side does not differ. */
function differs(a: Incarnation, b: Incarnation): boolean {
  return isOther(a.systemIdentifier, b.systemIdentifier) || isOther(a.timeline, b.timeline);
}

/** Timelines of different systems cannot be compared. */
function isOlder(current: Incarnation, known: Incarnation): boolean {
  if (isOther(current.systemIdentifier, known.systemIdentifier)) return false;
  return current.timeline !== null && known.timeline !== null && current.timeline < known.timeline;
}

const isOther = <T>(a: T | null, b: T | null) => a !== null && b !== null && a !== b;

/** One sentence for the operator: why nothing is sent, and what to do. */
export function describeHold({
  reason,
  newestBeatAtMs,
}: {
  reason: HoldReason;
  newestBeatAtMs: number | null;
}): string {
  return `Nothing is sent: ${WHY[reason](newestBeatAtMs)}. Run "npm run reconcile" and choose.`;
}

const WHY: Record<HoldReason, (newestBeatAtMs: number | null) => string> = {
  older_timeline: () =>
    "this database is on an older timeline than one that a dispatcher has seen, as a former primary is",
  restored: (atMs) =>
    `this database may be a restored one (its newest heartbeat${atMs === null ? "" : `, of ${new Date(atMs).toISOString()},`} is from another one or was lost), and what is due may have been sent already`,
  operator: () => "an operator holds this database",
};
