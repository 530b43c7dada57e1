import { DatabaseUnavailable } from "#db/client.ts";
import { hasLivingDispatcher } from "#db/queries/fleet/readiness.ts";
import { cacheFor } from "../cache-for.ts";
import { DATABASE_BUDGET_MS, perServices, type Services } from "../services.ts";

export type Readiness = { status: Check; checks: { database: Check; queue: Check } };

type Check = "ok" | "unavailable";

/** The database is queried at most once in this time, ms, however many callers there are. */
const MAX_AGE_MS = 1_000;

/** Whether schedules can be stored and delivered: the database responds, and a dispatcher is alive; at most one second old. */
export const readReadiness = (): Promise<Readiness> => reader()();

const reader = perServices((services) => cacheFor(MAX_AGE_MS, () => readNow(services)));

async function readNow({ installation, database }: Services): Promise<Readiness> {
  try {
    await installation();
    const isAlive = await database.run(DATABASE_BUDGET_MS, ({ db }) => hasLivingDispatcher(db));
    const queue = isAlive ? "ok" : "unavailable";
    return { status: queue, checks: { database: "ok", queue } };
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    return { status: "unavailable", checks: { database: "unavailable", queue: "unavailable" } };
  }
}
