import { DATABASE_FAULTS, type DatabaseFault } from "#domain/database-fault.ts";

/**
 * How many calls of this process the database could not serve, by the kind of fault. On globalThis, since Next.js loads
 * this module in several bundles, each of which has connections.
 */
export function databaseErrorCounts(): Record<DatabaseFault, number> {
  const store = globalThis as { [COUNTS]?: Record<DatabaseFault, number> };
  store[COUNTS] ??= Object.fromEntries(DATABASE_FAULTS.map((fault) => [fault, 0])) as Record<DatabaseFault, number>;
  return store[COUNTS];
}

const COUNTS = Symbol.for("stopwatch.database-errors");
