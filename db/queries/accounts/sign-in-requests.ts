import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { Db } from "../../orm.ts";
import { signInRequests } from "../../schema/index.ts";

/** `max` requests are allowed for `key` (a keyed hash) within any hour. */
export type RequestLimit = { key: string; max: number };

/**
 * Stores that a magic link was asked for, under each key, and returns 0. When one of the keys has reached its limit
 * within the last hour, by the database's clock, stores nothing and returns after how many seconds a request is allowed
 * again. Calls that share a key wait for each other, so the limit is exact over any number of processes.
 */
export async function noteSignInRequest(db: Db, limits: readonly RequestLimit[]): Promise<number> {
  return db.transaction(async (tx) => {
    for (const { key } of limits.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
      await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`);
    }
    const waits = await Promise.all(
      limits.map(async ({ key, max }) => {
        const within = await tx
          .select({
            waitS: sql<number>`ceil(extract(epoch FROM ${signInRequests.askedAt} - ${anHourAgo}))::integer`,
          })
          .from(signInRequests)
          .where(and(eq(signInRequests.key, key), gt(signInRequests.askedAt, anHourAgo)))
          .orderBy(asc(signInRequests.askedAt));
        return within.length < max ? 0 : Math.max(1, within[within.length - max]?.waitS ?? 1);
      }),
    );
    const waitS = Math.max(0, ...waits);
    if (waitS === 0) {
      await tx.insert(signInRequests).values(limits.map(({ key }) => ({ key, askedAt: sql`clock_timestamp()` })));
    }
    return waitS;
  });
}

const anHourAgo = sql`(clock_timestamp() - interval '1 hour')`;
