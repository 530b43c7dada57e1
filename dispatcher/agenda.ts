import type { DueSchedule } from "#db/queries/due-schedules.ts";
import { CLAIM_AHEAD_MS } from "./claim.ts";
import { createMinHeap } from "./min-heap.ts";
import type { Planned } from "./planned.ts";

const CONNECT_AHEAD_MS = 2_000;
const LOAD_BUCKET_MS = 25;
/** What falls due within this of something that is claimed now goes with it. */
const COALESCE_MS = 80;
/** A lane near its limit claims only this long before it may send, so that the slot is not held for nothing. */
const LATE_LEAD_MS = 8;
/** What taking up one schedule costs: a crowd begins so much earlier that all are in their lanes when claiming may begin. */
const TAKE_UP_MS = 0.05;
const TAKE_UP_MAX_MS = 250;
const AHEAD_MAX_MS = CLAIM_AHEAD_MS + TAKE_UP_MAX_MS;
/** So many are taken up in one turn of the loop: the first of a crowd are claimed while the next are taken up. */
const TURN_MAX = 250;

/**
 * Everything this process knows to fall due, in order, each schedule once. It says when each is to be looked at: two
 * seconds ahead for its connection, and ahead of its instant by what its turn and claiming take, which grows with how much
 * else is due then.
 */
export function createAgenda(deps: {
  leadMs: (rows: number) => number;
  isNearLimit: (lane: string) => boolean;
  earlyMs: (origin: string) => number;
  onApproach: (planned: Planned) => void;
  onClaim: (planned: Planned) => void;
}) {
  const known = new Map<string, Planned>();
  const approaching = createMinHeap<Planned>((a, b) => a.wakeAtMs < b.wakeAtMs);
  const near = createMinHeap<Planned>((a, b) => a.wakeAtMs < b.wakeAtMs);
  const load = new Map<number, number>();

  const bucketOf = (ms: number) => Math.floor(ms / LOAD_BUCKET_MS);
  const rowsUntil = (fromMs: number, untilMs: number) => {
    let rows = 0;
    for (let bucket = bucketOf(fromMs); bucket <= bucketOf(untilMs); bucket++) rows += load.get(bucket) ?? 0;
    return rows;
  };

  const leadOf = (rows: number) =>
    Math.min(deps.leadMs(rows), CLAIM_AHEAD_MS) + Math.min(rows * TAKE_UP_MS, TAKE_UP_MAX_MS);

  const enterNear = (planned: Planned, atMs: number) => {
    planned.wakeAtMs = atMs;
    near.push(planned);
  };

  return {
    /** Takes in a schedule; says whether it is new, or newer than what was known of it. */
    add(due: DueSchedule, nowMs: number): Planned | null {
      const before = known.get(due.id);
      if (before && before.version >= due.version) return null;
      if (before) this.remove(before);
      const earlyMs = due.early ? deps.earlyMs(due.origin) : 0;
      const sendAtMs = due.dueAtMs - earlyMs;
      const planned: Planned = {
        ...due,
        lane: laneKey(due),
        place: `${due.accountId} ${due.origin}`,
        sendAtMs,
        earlyMs,
        wakeAtMs: sendAtMs - CONNECT_AHEAD_MS,
        fresh: due.isRetry,
        admitted: false,
        placed: false,
        gone: false,
        waitMs: 0,
        leaveLane: null,
      };
      known.set(due.id, planned);
      const bucket = bucketOf(sendAtMs);
      load.set(bucket, (load.get(bucket) ?? 0) + 1);
      if (planned.wakeAtMs > nowMs) approaching.push(planned);
      else {
        deps.onApproach(planned);
        enterNear(planned, sendAtMs - AHEAD_MAX_MS);
      }
      return planned;
    },

    /** Puts a known schedule back, to be looked at again at `atMs`. */
    later(planned: Planned, atMs: number) {
      if (!planned.gone) enterNear(planned, atMs);
    },

    /** Forgets a schedule: claimed and done, or no longer this process's. */
    remove(planned: Planned) {
      if (planned.gone) return;
      planned.gone = true;
      if (known.get(planned.id) === planned) known.delete(planned.id);
    },

    /** Looks at what is to be looked at now; returns when to come again, by the database's clock, ms. */
    runOnce(nowMs: number): number {
      for (let next = approaching.peek(); next && next.wakeAtMs <= nowMs; next = approaching.peek()) {
        approaching.pop();
        if (next.gone) continue;
        deps.onApproach(next);
        enterNear(next, next.sendAtMs - AHEAD_MAX_MS);
      }
      let leadMs: number | undefined;
      let claimed = 0;
      const early: Planned[] = [];
      for (let next = near.peek(); next; next = near.peek()) {
        if (next.wakeAtMs > nowMs + (claimed > 0 ? COALESCE_MS : 0)) break;
        near.pop();
        if (next.gone) continue;
        leadMs ??= leadOf(rowsUntil(nowMs, nowMs + AHEAD_MAX_MS));
        const aheadMs = next.sendAtMs - nowMs;
        const wantedMs = deps.isNearLimit(next.lane) ? LATE_LEAD_MS : leadMs + (claimed > 0 ? COALESCE_MS : 0);
        if (aheadMs > Math.min(wantedMs, AHEAD_MAX_MS)) {
          next.wakeAtMs = Math.max(next.sendAtMs - Math.min(wantedMs, leadMs), nowMs + 1);
          early.push(next);
          continue;
        }
        deps.onClaim(next);
        if (++claimed === TURN_MAX) break;
      }
      for (const planned of early) near.push(planned);
      return Math.min(
        approaching.peek()?.wakeAtMs ?? Number.POSITIVE_INFINITY,
        near.peek()?.wakeAtMs ?? Number.POSITIVE_INFINITY,
      );
    },

    /** Everything known of the given shards. */
    ofShards(shards: number[]): Planned[] {
      const lost = new Set(shards);
      return [...known.values()].filter((planned) => lost.has(planned.shard));
    },
    forgetLoad(beforeMs: number) {
      for (const bucket of load.keys()) if (bucket < bucketOf(beforeMs)) load.delete(bucket);
    },
    get: (id: string) => known.get(id),
    size: () => known.size,
  };
}

export const laneKey = (due: { accountId: string; env: string }) => `${due.accountId}:${due.env}`;
