import { and, eq, gt, ne, sql } from "drizzle-orm";
import { AppError } from "#domain/errors.ts";
import { newId } from "#domain/ids.ts";
import { LISTENER_LEASE_MS, LISTENERS_MAX, type ListenerScope } from "#domain/listeners.ts";
import type { DbOrTx } from "../../orm.ts";
import { listeners } from "../../schema/index.ts";
import { lockName } from "../lock-name.ts";

/** One stream of a listener. When another stream resumes the listener, the epoch grows. */
export type Listener = { id: string; accountId: string; epoch: number };

export type WantedListener = {
  accountId: string;
  /** The API key (UUID) that opens it. */
  keyId: string;
  scope: ListenerScope;
  /** Prefixes of paths; none for every path. */
  paths: readonly string[];
};

/**
 * Opens a listener with a lease of 25 s by the database's clock. With `resume`, the id (UUID) of a listener of the
 * account, this stream takes that one over with its unanswered exchanges, and a former stream finds itself replaced.
 * An id that the account does not have opens a new listener. Throws CONFLICT when the account has five others.
 * Dispatchers see a listener of scope `all` within LISTENER_SEEN_WITHIN_MS; one of scope `reserved` at once.
 */
export async function openListener(db: DbOrTx, wanted: WantedListener, resume: string | null): Promise<Listener> {
  return db.transaction(async (tx) => {
    await lockName(tx, `listeners ${wanted.accountId}`);
    const { accountId, keyId, scope } = wanted;
    const isOther = resume === null ? undefined : ne(listeners.id, resume);
    const isAlive = and(eq(listeners.accountId, accountId), gt(listeners.leaseUntil, sql`clock_timestamp()`));
    if ((await tx.$count(listeners, and(isAlive, isOther))) >= LISTENERS_MAX) throw tooMany();
    const values = { accountId, keyId, scope, paths: [...wanted.paths], leaseUntil };
    const [row] = await tx
      .insert(listeners)
      .values({ id: resume ?? newId(Date.now()), ...values })
      .onConflictDoUpdate({
        target: listeners.id,
        set: { ...values, epoch: sql`${listeners.epoch} + 1` },
        setWhere: eq(listeners.accountId, accountId),
      })
      .returning({ id: listeners.id, epoch: listeners.epoch });
    // The id is that of another account's listener.
    if (!row) return openListener(tx, wanted, null);
    return { ...row, accountId };
  });
}

/** When a lease that begins now ends. */
export const leaseUntil = sql`clock_timestamp() + ${sql.raw(String(LISTENER_LEASE_MS))} * interval '1 millisecond'`;

function tooMany(): AppError {
  return new AppError(
    "CONFLICT",
    `This account has ${LISTENERS_MAX} listeners that are connected, and may not have more.`,
  );
}
