import { DatabaseUnavailable } from "#db/client.ts";
import { hasLivingDispatcher } from "#db/queries/fleet/readiness.ts";
import { DATABASE_BUDGET_MS, getServices } from "../services.ts";

export type Readiness = { status: Check; checks: { database: Check; queue: Check } };

type Check = "ok" | "unavailable";

/** Whether this process can do its work: the database answers, and a dispatcher lives that will deliver. */
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
