import { type Database, DatabaseUnavailable } from "#db/client.ts";
import { InstallationError } from "#db/installation-error.ts";
import { probeWrite } from "#db/queries/fleet/probe-write.ts";
import { assertSettingsFit } from "#db/queries/fleet/server-settings.ts";
import { cacheFor } from "#domain/cache-for.ts";
import type { Readiness } from "./observability/health.ts";

const MAX_AGE_MS = 1_000;
const DEADLINE_MS = 4_000;

/**
 * Returns how to learn whether this dispatcher can deliver: there is no hold, and the database takes writes. It is degraded
 * while its machine lacks something to connect with (`ownFault`). It asks the database at most once a second, however many
 * callers there are.
 */
export function createReadiness(deps: {
  database: Database;
  held: () => string | null;
  ownFault: () => string | null;
  monotonic: () => number;
}): () => Promise<Readiness> {
  const { database, held, ownFault, monotonic } = deps;
  const probe = cacheFor(MAX_AGE_MS, () => faultOfWrite(database), monotonic);
  return async () => {
    const reason = held() ?? (await probe());
    if (reason !== null) return { status: "unavailable", reason };
    const fault = ownFault();
    return fault === null ? { status: "ok" } : { status: "degraded", reason: fault };
  };
}

async function faultOfWrite(database: Database): Promise<string | null> {
  try {
    await database.run(DEADLINE_MS, async ({ sql }) => {
      await assertSettingsFit(sql);
      await probeWrite(sql);
    });
    return null;
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return error.reason;
    if (error instanceof InstallationError) return error.message;
    return `The database refused a test write: ${error instanceof Error ? error.message : error}`;
  }
}
