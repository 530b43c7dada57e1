import type { Query } from "../context.ts";
import { DATABASE_BUDGET_MS, type Services } from "../services.ts";

const QUERY_MS_MIN = 500;

/**
 * What one call asks the database with, in the time that one call has: `ask` for what is short and for writes; `readFor`
 * for the lists and figures of an account, which may take long. These wait for a turn, and have connections of their own,
 * so that nobody else's call waits behind them.
 */
export function createCallQueries({ connection, reads, readTurns }: Services) {
  let leftMs = DATABASE_BUDGET_MS;

  const inTimeLeft = async <T>(query: (leftMs: () => number) => Promise<T>): Promise<T> => {
    const startedMs = performance.now();
    const left = () => Math.max(leftMs - (performance.now() - startedMs), QUERY_MS_MIN);
    try {
      return await query(left);
    } finally {
      leftMs -= performance.now() - startedMs;
    }
  };

  const ask: Query = (work) => inTimeLeft((left) => connection.run(left(), work));

  const readFor =
    (accountId: string): Query =>
    (work) =>
      inTimeLeft(async (left) => {
        const end = await readTurns.take(accountId, left());
        try {
          return await reads.run(left(), work);
        } finally {
          end();
        }
      });

  return { ask, readFor };
}
