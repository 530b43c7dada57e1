import { DatabaseUnavailable } from "#db/client.ts";
import { hasLivingDispatcher } from "#db/queries/fleet/readiness.ts";
import { DATABASE_BUDGET_MS, getServices } from "../services.ts";

export type Readiness = { status: Check; checks: { database: Check; queue: Check } };

type Check = "ok" | "unavailable";

/** Whether schedules can be stored and delivered: the database responds, and a dispatcher is alive. */
export async function readReadiness(): Promise<Readiness> {
  const { installation, connection } = getServices();
  try {
    await installation();
    const isAlive = await connection.run(DATABASE_BUDGET_MS, ({ db }) => hasLivingDispatcher(db));
    const queue = isAlive ? "ok" : "unavailable";
    return { status: queue, checks: { database: "ok", queue } };
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    return { status: "unavailable", checks: { database: "unavailable", queue: "unavailable" } };
  }
}
