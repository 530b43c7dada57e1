import type { Connection as Database } from "#db/client.ts";
import {
  after,
  BEFORE_ALL,
  type DuePlace,
  type DueSchedule,
  readDueById,
  readDueOfAccount,
  readDueOfShards,
} from "#db/queries/due-schedules.ts";
import { PREFETCH_HORIZON_MS } from "#domain/timing.ts";

/** Rows of one reading, over all shards; one of many rows would lie in memory as a whole. */
const ROWS_MAX = 8_000;
const ROWS_PER_SHARD_MAX = 2_000;
const DEADLINE_MS = 3_000;
/** A NOTIFY can be lost: so often everything up to the horizon is read again, ms. */
const SWEEP_EVERY_MS = 5_000;
const IDS_MAX = 500;

/** How far a shard was read, and how far it was swept; null while no sweep is under way. */
type Progress = { readTo: DuePlace; sweptTo: DuePlace | null; sweptAtMs: number };

/**
 * Reads what falls due within the horizon from the shards of this dispatcher: rows, no payloads, changing nothing. Each
 * shard remembers how far it was read, so that a row is read once; what was created or moved behind that comes by NOTIFY
 * (`announce`), and a slow sweep from the beginning is the safety net. A lane that has no room for more is refilled by
 * account once it has.
 */
export function createPrefetch(deps: {
  database: Database;
  owned: () => number[];
  /** Now by the database's clock, ms. */
  now: () => number;
  monotonic: () => number;
  plan: (due: DueSchedule[]) => void;
}) {
  const progress = new Map<number, Progress>();
  let announced = new Set<string>();
  const toRefill = new Map<string, { accountId: string; env: "live" | "test" }>();
  let hasMore = false;

  const read = async (shards: { id: number; from: DuePlace }[], untilMs: number) => {
    const limit = Math.min(Math.ceil(ROWS_MAX / shards.length), ROWS_PER_SHARD_MAX);
    const due = await deps.database.run(DEADLINE_MS, ({ sql }) => readDueOfShards(sql, shards, untilMs, limit));
    const reached = reachedBy(due, limit);
    if (reached.size > 0) hasMore = true;
    return { due, reached };
  };

  /** What is known of the shards; one that is taken out of `progress` meanwhile is read anew, whatever comes of it here. */
  const progressOf = (id: number): Progress => {
    const known = progress.get(id) ?? { readTo: BEFORE_ALL, sweptTo: null, sweptAtMs: deps.monotonic() };
    progress.set(id, known);
    return known;
  };

  const forward = async (): Promise<number> => {
    const untilMs = deps.now() + PREFETCH_HORIZON_MS;
    const owned = deps.owned();
    for (const id of progress.keys()) if (!owned.includes(id)) progress.delete(id);
    if (owned.length === 0) return 0;
    const shards = owned.map((id) => ({ id, known: progressOf(id) }));
    const { due, reached } = await read(
      shards.map(({ id, known }) => ({ id, from: known.readTo })),
      untilMs,
    );
    for (const { id, known } of shards) known.readTo = reached.get(id) ?? after(untilMs);
    deps.plan(due);
    return due.length;
  };

  const sweep = async (): Promise<number> => {
    const now = deps.monotonic();
    const shards = [...progress].filter(([, one]) => now - one.sweptAtMs >= SWEEP_EVERY_MS || one.sweptTo !== null);
    if (shards.length === 0) return 0;
    const { due, reached } = await read(
      shards.map(([id, one]) => ({ id, from: one.sweptTo ?? BEFORE_ALL })),
      deps.now() + PREFETCH_HORIZON_MS,
    );
    for (const [id, one] of shards) {
      one.sweptAtMs = now;
      one.sweptTo = reached.get(id) ?? null;
    }
    deps.plan(due);
    return due.length;
  };

  const named = async (): Promise<number> => {
    if (announced.size === 0) return 0;
    const ids = [...announced].slice(0, IDS_MAX);
    announced = new Set([...announced].slice(IDS_MAX));
    const untilMs = deps.now() + PREFETCH_HORIZON_MS + 2_000;
    try {
      const due = await deps.database.run(DEADLINE_MS, ({ sql }) => readDueById(sql, ids, untilMs));
      deps.plan(due);
      return due.length;
    } catch (error) {
      for (const id of ids) announced.add(id);
      throw error;
    }
  };

  const refill = async (): Promise<number> => {
    let read = 0;
    for (const [key, lane] of [...toRefill].slice(0, 16)) {
      toRefill.delete(key);
      const untilMs = deps.now() + PREFETCH_HORIZON_MS;
      const due = await deps.database.run(DEADLINE_MS, ({ sql }) =>
        readDueOfAccount(sql, lane.accountId, lane.env, untilMs, ROWS_PER_SHARD_MAX),
      );
      deps.plan(due);
      read += due.length;
    }
    return read;
  };

  return {
    /** One round of the ordinary reading; returns how many rows it read. */
    async runOnce(): Promise<number> {
      hasMore = false;
      return (await forward()) + (await sweep());
    },
    /** Whether the last round left rows that are due within the horizon: there were more than are read at once. */
    hasMore: () => hasMore,
    /** Reads what was announced, and refills lanes that have room again. */
    runUrgent: async (): Promise<number> => (await named()) + (await refill()),
    isUrgent: () => announced.size > 0 || toRefill.size > 0,

    /** A schedule was created or moved and falls due soon. */
    announce(id: string) {
      announced.add(id);
    },
    /** Many schedules of a shard were created: it is read again from the beginning. */
    announceShard(shard: number) {
      progress.delete(shard);
    },
    /** NOTIFYs may have been missed: everything is read again, also what a reading that is under way began with. */
    startOver() {
      progress.clear();
    },
    refill(key: string, lane: { accountId: string; env: "live" | "test" }) {
      toRefill.set(key, { accountId: lane.accountId, env: lane.env });
    },
  };
}

/** The place up to which each shard that filled its limit was read: the rest follows in the next round. */
function reachedBy(due: readonly DueSchedule[], limit: number): Map<number, DuePlace> {
  const counts = new Map<number, { n: number; last: DuePlace }>();
  for (const { shard, dueAtMs, id } of due) {
    counts.set(shard, { n: (counts.get(shard)?.n ?? 0) + 1, last: { ms: dueAtMs, id } });
  }
  const reached = new Map<number, DuePlace>();
  for (const [shard, { n, last }] of counts) if (n >= limit) reached.set(shard, last);
  return reached;
}
