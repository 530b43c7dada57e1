import { and, desc, eq, gt, sql } from "drizzle-orm";
import type { Db, DbOrTx } from "../../orm.ts";
import { signInRequests } from "../../schema/index.ts";

/** `max` requests are allowed for `key` (a keyed hash, or the name of a limit) within any hour. */
export type RequestLimit = { key: string; max: number };

/**
 * Stores that a magic link was asked for, under each key of `limits`, and returns 0. When one of the keys, or of those that
 * are only `checked`, has reached its limit within the last hour, by the database's clock, stores nothing and returns after
 * how many seconds a request is allowed again. Calls that share a key of `limits` wait for each other, so these limits are
 * exact over any number of processes.
 */
export async function noteSignInRequest(
  db: Db,
  limits: readonly RequestLimit[],
  checked: readonly RequestLimit[] = [],
): Promise<number> {
  return db.transaction(async (tx) => {
    for (const { key } of limits.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
      await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`);
    }
    const waits = await Promise.all([...limits, ...checked].map((limit) => secondsToWait(tx, limit)));
    const waitS = Math.max(0, ...waits);
    if (waitS === 0) {
      await tx.insert(signInRequests).values(limits.map(({ key }) => ({ key, askedAt: sql`clock_timestamp()` })));
    }
    return waitS;
  });
}

/** A key is at its limit while its `max`-th latest request is less than an hour old. */
async function secondsToWait(tx: DbOrTx, { key, max }: RequestLimit): Promise<number> {
  const [counted] = await tx
    .select({ waitS: sql<number>`ceil(extract(epoch FROM ${signInRequests.askedAt} - ${anHourAgo}))::integer` })
    .from(signInRequests)
    .where(and(eq(signInRequests.key, key), gt(signInRequests.askedAt, anHourAgo)))
    .orderBy(desc(signInRequests.askedAt))
    .offset(max - 1)
    .limit(1);
  return counted === undefined ? 0 : Math.max(1, counted.waitS);
}

const anHourAgo = sql`(clock_timestamp() - interval '1 hour')`;
