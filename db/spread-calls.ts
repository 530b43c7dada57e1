import type { Database } from "./client.ts";

/**
 * Several databases, of one connection each, as one. A call gets the one with the fewest calls, and of these the first. So
 * it does not wait behind a connection that is stuck, unless all are busy, and a call that passes its deadline ends no
 * connection of another one.
 */
export function spreadCalls(databases: readonly Database[]): Database {
  const calls = new Map(databases.map((one) => [one, 0]));
  const callsOf = (one: Database) => calls.get(one) ?? 0;
  return {
    async run(...call) {
      const one = databases.reduce((least, next) => (callsOf(next) < callsOf(least) ? next : least));
      calls.set(one, callsOf(one) + 1);
      try {
        return await one.run(...call);
      } finally {
        calls.set(one, callsOf(one) - 1);
      }
    },
    async close() {
      await Promise.all(databases.map((one) => one.close()));
    },
  };
}
