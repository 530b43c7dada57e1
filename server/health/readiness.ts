import { DatabaseUnavailable } from "#db/client.ts";
import { hasLivingDispatcher } from "#db/queries/readiness.ts";
import type { Reply } from "../http/reply.ts";
import { DATABASE_BUDGET_MS, services } from "../services.ts";

/** 200 when the database answers and a dispatcher lives, otherwise 503; `checks` says which of the two is missing. */
export async function readiness(): Promise<Reply> {
  const { installation, connection } = services();
  try {
    await installation();
    const isAlive = await connection.run(DATABASE_BUDGET_MS, ({ db }) => hasLivingDispatcher(db));
    return report({ database: "ok", queue: isAlive ? "ok" : "unavailable" });
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    return report({ database: "unavailable", queue: "unavailable" });
  }
}

type Check = "ok" | "unavailable";

function report(checks: { database: Check; queue: Check }): Reply {
  const isReady = checks.database === "ok" && checks.queue === "ok";
  return { status: isReady ? 200 : 503, body: { status: isReady ? "ok" : "unavailable", checks } };
}
