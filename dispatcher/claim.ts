import type { Connection as Database } from "#db/client.ts";
import { DatabaseUnavailable } from "#db/client.ts";
import { type ClaimedSchedule, claimSchedules, releaseSchedules } from "#db/queries/claim-schedules.ts";
import { CLAIM_AHEAD_MAX_MS } from "#domain/timing.ts";
import type { ConnectFailure } from "./connection.ts";
import { createMinHeap } from "./min-heap.ts";
import { leavesBefore, type Planned } from "./planned.ts";
import type { Shards } from "./shards.ts";

/** A claim that was won: what the row held, and when its lease and deadline count from (monotonic ms). */
export type Won = {
  planned: Planned;
  claimed: ClaimedSchedule;
  startedAtMs: number;
  claimMs: number;
  failure: ConnectFailure | null;
};

/** A claim may be made so long ahead of its instant, ms: a little less than the database allows, since clocks differ. */
export const CLAIM_AHEAD_MS = CLAIM_AHEAD_MAX_MS - 10;

const ROWS_MAX = 500;
/** A claim that returns more may lie half-sent in a stopped process with its rows locked. */
const BYTES_MAX = 256 * 1024;
const ROW_BYTES = 1_024;
const IN_FLIGHT_MAX = 2;
const PREPARED_BYTES_MAX = 32 * 1024 * 1024;
/** After so many statements the steps of their versions begin again: long after any answer can still be out. */
const STEPS = 2 ** 20;
const DEADLINE_MS = 3_000;
/** A statement whose answer was lost ends within this by the session's own statement_timeout, ms. */
const STATEMENT_LIFE_MS = 6_000;

/**
 * Claims what is about to leave, once it may: many rows in one statement, bounded in rows and bytes. What was won goes to
 * `onWon`; what was not (cancelled, moved, claimed by somebody else, shard lost) to `onLost`. When the answer was lost,
 * nobody knows: those go to `onUnknown` and are released as soon as the database answers again.
 */
export function createClaimer(deps: {
  database: Database;
  dispatcherId: string;
  shards: Shards;
  monotonic: () => number;
  /** Now by the database's clock, ms. */
  now: () => number;
  /** `openWindow` is to be called at this instant, by the database's clock, ms. */
  onEarly: (atMs: number) => void;
  onWon: (won: Won[]) => void;
  onLost: (planned: Planned[]) => void;
  onUnknown: (planned: Planned[]) => void;
  /** A mistake of this program, which it cannot go on with. */
  onError: (error: unknown) => void;
  /** Released schedules, back where they came from. */
  onReleased: (ids: string[]) => void;
}) {
  const wanted: { planned: Planned; failure: ConnectFailure | null }[] = [];
  /** It is their turn, and too early for a claim. */
  const early = createMinHeap<Planned>(leavesBefore);
  let inFlight = 0;
  let scheduled = false;
  let heldBytes = 0;
  /** Claimed without a request, or perhaps claimed: to be put back. `version` is the one of the claim. */
  let toRelease: { id: string; version: number; untilMs: number }[] = [];
  let releasing = false;
  let lastStep = 0;
  let rowMs = 0.03;
  let statementMs = 3;

  const schedule = () => {
    if (scheduled || inFlight >= IN_FLIGHT_MAX || wanted.length === 0) return;
    scheduled = true;
    // One turn of the loop later, so that everything that became due together goes together.
    setImmediate(() => {
      scheduled = false;
      flush();
    });
  };

  const takeBatch = () => {
    let bytes = 0;
    let rows = 0;
    for (const { planned } of wanted) {
      const more = planned.bytes + ROW_BYTES;
      if (rows === ROWS_MAX || (rows > 0 && bytes + more > BYTES_MAX)) break;
      if (heldBytes > 0 && heldBytes + bytes + more > PREPARED_BYTES_MAX) break;
      bytes += more;
      rows++;
    }
    heldBytes += bytes;
    return wanted.splice(0, rows);
  };

  const flush = () => {
    while (inFlight < IN_FLIGHT_MAX && wanted.length > 0) {
      const batch = takeBatch();
      if (batch.length === 0) return;
      inFlight++;
      claim(batch)
        .catch(deps.onError)
        .finally(() => {
          inFlight--;
          schedule();
        });
    }
  };

  const claim = async (batch: typeof wanted) => {
    const startedAtMs = deps.monotonic();
    const step = (lastStep % STEPS) + 1;
    lastStep = step;
    const mine = batch.filter(({ planned }) => deps.shards.holds(planned.shard));
    const strangers = batch.filter(({ planned }) => !deps.shards.holds(planned.shard));
    if (strangers.length > 0) lose(strangers, deps.onLost);
    if (mine.length === 0) return;
    const epochs = deps.shards.epochsOf(mine.map(({ planned }) => planned.shard));
    let rows: ClaimedSchedule[];
    try {
      rows = await deps.database.run(DEADLINE_MS, ({ sql }) =>
        claimSchedules(
          sql,
          deps.dispatcherId,
          epochs,
          mine.map(({ planned }) => planned),
          step,
        ),
      );
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      // Its statement may still be running there: it is looked for until it cannot be any more.
      const untilMs = deps.monotonic() + STATEMENT_LIFE_MS;
      toRelease.push(...mine.map(({ planned }) => ({ id: planned.id, version: planned.version + step, untilMs })));
      lose(mine, deps.onUnknown);
      return;
    }
    const claimMs = deps.monotonic() - startedAtMs;
    learn(Math.min(claimMs, 250), mine.length);
    const byId = new Map(rows.map((row) => [row.id, row]));
    const won: Won[] = [];
    const lost: typeof wanted = [];
    for (const one of mine) {
      const claimed = byId.get(one.planned.id);
      if (claimed) won.push({ planned: one.planned, claimed, startedAtMs, claimMs, failure: one.failure });
      else lost.push(one);
    }
    if (lost.length > 0) lose(lost, deps.onLost);
    if (won.length > 0) deps.onWon(won);
  };

  /** What a statement costs at all, and what each row adds: the first from small batches, the second from large ones. */
  const learn = (ms: number, rows: number) => {
    if (rows < 50) statementMs += (ms - statementMs) * 0.1;
    else rowMs += (ms / rows - rowMs) * 0.1;
  };

  const lose = (batch: typeof wanted, tell: (planned: Planned[]) => void) => {
    for (const { planned } of batch) heldBytes -= planned.bytes + ROW_BYTES;
    tell(batch.map(({ planned }) => planned));
  };

  const opensAtMs = (planned: Planned) => planned.sendAtMs - CLAIM_AHEAD_MS;

  return {
    /**
     * Claims `planned` with the next statement once it may be claimed; `failure` is the connection it could not have, to
     * be recorded.
     */
    add(planned: Planned, failure: ConnectFailure | null) {
      if (failure === null && opensAtMs(planned) > deps.now()) {
        early.push(planned);
        if (early.peek() === planned) deps.onEarly(opensAtMs(planned));
        return;
      }
      wanted.push({ planned, failure });
      schedule();
    },

    /** Claims those that were too early and no longer are; returns when the next one may be, by the database's clock, ms. */
    openWindow(): number {
      for (let next = early.peek(); next; next = early.peek()) {
        if (opensAtMs(next) > deps.now()) return opensAtMs(next);
        early.pop();
        wanted.push({ planned: next, failure: null });
        schedule();
      }
      return Number.POSITIVE_INFINITY;
    },

    /** Takes back everything that is too early for a claim. */
    takeEarly: (): Planned[] => early.drop(() => false),

    /** A claim whose request has left, or never will: its bytes no longer count. */
    settled(planned: Planned) {
      heldBytes -= planned.bytes + ROW_BYTES;
      schedule();
    },

    /** Puts a claimed schedule back that sent nothing. */
    release(won: Won) {
      toRelease.push({ id: won.claimed.id, version: won.claimed.version, untilMs: 0 });
    },

    /** Sends the releases that are outstanding, at most `ROWS_MAX` at once; returns how many rows were put back. */
    async runOnce(): Promise<number> {
      if (releasing || toRelease.length === 0) return 0;
      releasing = true;
      const batch = toRelease.splice(0, ROWS_MAX);
      try {
        const released = await deps.database.run(DEADLINE_MS, ({ sql }) =>
          releaseSchedules(sql, deps.dispatcherId, batch),
        );
        const found = new Set(released.map(({ id }) => id));
        toRelease = toRelease.concat(batch.filter((one) => !found.has(one.id) && deps.monotonic() < one.untilMs));
        deps.onReleased(batch.map(({ id }) => id));
        return released.length;
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) throw error;
        toRelease = batch.concat(toRelease);
        return 0;
      } finally {
        releasing = false;
      }
    },

    /** How long before its instant one of `rows` that leave together should be claimed, ms. */
    leadMs: (rows: number) => 5 + 2 * statementMs + 1.5 * rows * rowMs,
    outstanding: () => wanted.length + early.size + inFlight,
    unreleased: () => toRelease.length + (releasing ? 1 : 0),
  };
}
