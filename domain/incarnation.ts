/**
 * Which database a process is connected to: what a copy of its rows does not bring along. `systemIdentifier` is given by
 * initdb; `timeline` grows with each promotion and each restore to a point in time; the oids are those of the database and of
 * its table of schedules. Each is null where the server does not tell it, or a former version did not store it.
 */
export type Incarnation = {
  systemIdentifier: string | null;
  timeline: number | null;
  databaseOid: number | null;
  tableOid: number | null;
};

/**
 * Why nothing is claimed: the timeline is lower than one that a dispatcher has seen; the database may have been restored;
 * an operator asked for it.
 */
export const HOLD_REASONS = ["older_timeline", "restored", "operator"] as const;

export type HoldReason = (typeof HOLD_REASONS)[number];

/** How a hold ended: by what an operator chose, or because a dispatcher found that nothing was lost. */
export const HOLD_CHOICES = ["send_all", "send_from", "continued"] as const;

/** The `last_error` of a schedule that an operator cancelled after a restore. */
export const CANCELLED_BY_RECONCILE = "cancelled by reconcile";

/** The note of a recurrence that an operator has paused after a restore. */
export const PAUSED_BY_RECONCILE = "paused by reconcile";

/** A standby that was promoted continues its primary if that had a heartbeat within this time, ms. */
export const HEARTBEAT_OLD_MS = 120_000;

/** What a standby may lack of what its primary acknowledged, ms, when it is promoted. */
const LOST_IN_FAILOVER_MS = 10_000;

/** All dispatchers that are connected beat within this time, ms. */
const BEAT_WITHIN_MS = 10_000;

/** Dispatchers delete the heartbeats of one that was away for longer, ms, or somewhat later. */
const HEARTBEATS_KEPT_MS = 6 * 86_400_000;

/** An incarnation at an instant of the database's clock, epoch ms. */
export type Mark = Incarnation & { atMs: number };

/** The last heartbeat that was acknowledged to a dispatcher, and when the one before it was. */
export type KnownHeartbeat = Mark & { formerAtMs: number };

export type Standing = {
  current: Incarnation;
  /** The server followed another one until it was promoted. */
  wasStandby: boolean;
  nowMs: number;
  /** The newest heartbeat in the database, of any dispatcher. `isCopied`: its row was written by another transaction than it names. */
  newest: (Mark & { isCopied: boolean }) | null;
  /** The heartbeat of this dispatcher in the database. */
  ownAtMs: number | null;
  /** The last choice that ended a hold in this database. */
  choice: Mark | null;
};

/**
 * Whether a database continues the one that dispatchers know, which is to say that it holds what was acknowledged to them. `known`
 * is the last heartbeat that was acknowledged to this dispatcher; null before the first one. `primaries` are those found behind
 * the other hosts of its address, each with the newest heartbeat in it. `lost`: it lacks what this dispatcher knows. `restored`:
 * it is not the database of the heartbeats in it, and may be a restored one or a copy beside it: hold it if anything is pending.
 */
export function judgeDatabase(
  known: KnownHeartbeat | null,
  standing: Standing,
  primaries: readonly Mark[] = [],
): "continues" | "older_timeline" | "lost" | "restored" {
  const { current, choice } = standing;
  const isChosenSince = ({ atMs }: Mark) => choice !== null && !differs(choice, current) && choice.atMs >= atMs;
  if (primaries.some((other) => isOlder(current, other) && !isChosenSince(other))) return "older_timeline";
  if (known && !isChosenSince(known)) {
    if (isOlder(current, known)) return "older_timeline";
    if (isLost(known, standing)) return "lost";
    if (isAmongLast(known, standing.newest)) return "continues";
  }
  return isOfAnother(standing) ? "restored" : "continues";
}

/**
 * True when a dispatcher finds the last heartbeat that was acknowledged to it, and knows of nothing that was acknowledged later, so
 * that nothing was lost. `newestAtMs` is the newest heartbeat that anybody knew of when the hold began.
 */
export function endsHold(known: KnownHeartbeat | null, standing: Standing, newestAtMs: number | null): boolean {
  if (known === null || isOlder(standing.current, known)) return false;
  if (standing.ownAtMs === null || standing.ownAtMs < known.atMs) return false;
  return isAmongLast(known, standing.newest) && (newestAtMs === null || known.atMs >= newestAtMs - BEAT_WITHIN_MS);
}

/**
 * Whether the database lacks a heartbeat that was acknowledged to this dispatcher. A crash with synchronous_commit = off may take
 * the last one, and a failover those of some seconds.
 */
function isLost(known: KnownHeartbeat, { current, wasStandby, ownAtMs, newest }: Standing): boolean {
  if (ownAtMs !== null && ownAtMs >= known.atMs) return false;
  const isPromotedSince = wasStandby && isPromoted(known, current);
  if (differs(known, current) && !isPromotedSince) return true;
  if (ownAtMs !== null)
    return ownAtMs < Math.min(known.formerAtMs, known.atMs - (isPromotedSince ? LOST_IN_FAILOVER_MS : 0));
  const isFirst = known.formerAtMs === known.atMs;
  return !isFirst && (newest === null || newest.atMs - known.atMs < HEARTBEATS_KEPT_MS);
}

/** Whether no other dispatcher went on much longer than the last heartbeat of this one: it would know of more. */
const isAmongLast = (known: Mark, newest: Mark | null) => newest === null || known.atMs >= newest.atMs - BEAT_WITHIN_MS;

/** Whether the newest heartbeat, or the choice since then, is from another database than this one. */
function isOfAnother({ current, wasStandby, nowMs, newest, choice }: Standing): boolean {
  if (newest === null) return choice !== null && differs(choice, current);
  const isChosen = choice !== null && choice.atMs >= newest.atMs;
  const stored = isChosen ? choice : newest;
  if (!isChosen && newest.isCopied) return true;
  if (!differs(stored, current)) return false;
  return !(wasStandby && isPromoted(stored, current) && nowMs - stored.atMs <= HEARTBEAT_OLD_MS);
}

/** Whether nothing but the timeline has changed, and that has grown. */
function isPromoted(former: Incarnation, current: Incarnation): boolean {
  return !differs({ ...former, timeline: null }, current) && (former.timeline ?? 0) < (current.timeline ?? 0);
}

/** What is not known on one side does not differ. */
function differs(a: Incarnation, b: Incarnation): boolean {
  return (
    isOther(a.systemIdentifier, b.systemIdentifier) ||
    isOther(a.timeline, b.timeline) ||
    isOther(a.databaseOid, b.databaseOid) ||
    isOther(a.tableOid, b.tableOid)
  );
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
    `this database may be a restored one or a copy of one (its newest heartbeat${atMs === null ? "" : `, of ${new Date(atMs).toISOString()},`} is from another one or was lost), and what is pending may have been sent already`,
  operator: () => "an operator holds this database",
};
