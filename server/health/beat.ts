import { readFleet } from "#db/queries/fleet/dispatchers.ts";
import { cacheFor } from "#domain/cache-for.ts";
import { DATABASE_BUDGET_MS, perServices, type Services } from "../services.ts";

/** `ageMs`: since any dispatcher last beat, ms; null when none did within an hour. `isAlive`: whether that is recent enough. */
export type LastBeat = { ageMs: number | null; isAlive: boolean };

const CACHE_MS = 1_000;

/** The latest beat of the fleet, at most a second old however many pages ask. Throws DatabaseUnavailable. */
export const readLastBeat = (): Promise<LastBeat> => reader()();

/** Whether any dispatcher is running; null while the database does not answer. */
export const readIsRunning = (): Promise<boolean | null> =>
  readLastBeat().then(
    ({ isAlive }) => isAlive,
    () => null,
  );

const reader = perServices((services) => cacheFor(CACHE_MS, () => readNow(services)));

async function readNow({ database }: Services): Promise<LastBeat> {
  const fleet = await database.run(DATABASE_BUDGET_MS, ({ sql }) => readFleet(sql));
  const ages = fleet.map(({ beatAgeMs }) => beatAgeMs);
  return { ageMs: ages.length > 0 ? Math.min(...ages) : null, isAlive: fleet.some(({ isAlive }) => isAlive) };
}
