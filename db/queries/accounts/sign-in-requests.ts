import { and, desc, eq, gt, sql } from "drizzle-orm";
import type { Db, DbOrTx } from "../../orm.ts";
import { signInRequests } from "../../schema/index.ts";
import { lockName } from "../lock-name.ts";

/** `max` requests are allowed for `key` (a keyed hash, or the name of a limit) within any `withinS` seconds, at most an hour. */
export type RequestLimit = { key: string; max: number; withinS?: number };

const HOUR_S = 3_600;

/** The limit that was reached, and after how many seconds a request is allowed again. */
export type ReachedLimit = { key: string; waitS: number };

/**
 * Stores a request for a magic link, or for a trial, under each key of `limits`, and returns null. When a key of `limits` or `checked`
 * has reached its limit, by the database's clock, stores nothing and returns the one with the
 * longest wait. Only calls that may be allowed wait for each other, if they share a key of `limits`. So these limits
 * are exact over any number of processes.
 */
export async function noteSignInRequest(
  db: Db,
  limits: readonly RequestLimit[],
  checked: readonly RequestLimit[] = [],
): Promise<ReachedLimit | null> {
  const reached = await findReached(db, [...limits, ...checked]);
  if (reached !== null) return reached;
  return db.transaction(async (tx) => {
    for (const { key } of limits.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
      await lockName(tx, key);
    }
    const reachedMeanwhile = await findReached(tx, [...limits, ...checked]);
    if (reachedMeanwhile !== null) return reachedMeanwhile;
    await tx.insert(signInRequests).values(limits.map(({ key }) => ({ key, askedAt: sql`clock_timestamp()` })));
    return null;
  });
}

async function findReached(db: DbOrTx, limits: readonly RequestLimit[]): Promise<ReachedLimit | null> {
  const waits = await Promise.all(
    limits.map(async (limit) => ({ key: limit.key, waitS: await secondsToWait(db, limit) })),
  );
  return waits.reduce<ReachedLimit | null>((most, one) => (one.waitS > (most?.waitS ?? 0) ? one : most), null);
}

/** A key is at its limit while its `max`-th latest request is less than `withinS` old. */
async function secondsToWait(tx: DbOrTx, { key, max, withinS = HOUR_S }: RequestLimit): Promise<number> {
  const since = sql`(clock_timestamp() - ${withinS}::integer * interval '1 second')`;
  const [counted] = await tx
    .select({ waitS: sql<number>`ceil(extract(epoch FROM ${signInRequests.askedAt} - ${since}))::integer` })
    .from(signInRequests)
    .where(and(eq(signInRequests.key, key), gt(signInRequests.askedAt, since)))
    .orderBy(desc(signInRequests.askedAt))
    .offset(max - 1)
    .limit(1);
  return counted === undefined ? 0 : Math.max(1, counted.waitS);
}
