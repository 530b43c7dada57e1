import type { z } from "zod";
import type { MetricsAnswer } from "#contract/health.ts";
import { readFleet } from "#db/queries/fleet/dispatchers.ts";
import { readSnapshotHolder } from "#db/queries/fleet/held-snapshot.ts";
import { readQueueFigures } from "#db/queries/fleet/queue-figures.ts";
import { cacheFor } from "#domain/cache-for.ts";
import { formatInstant } from "#domain/instant.ts";
import { presentPunctualitySummary, readPunctuality } from "../overview/punctuality.ts";
import { DATABASE_BUDGET_MS, perServices, type Services } from "../services.ts";

export type Metrics = z.infer<typeof MetricsAnswer>;

/** The database is queried at most once in this time, ms, however many callers there are. */
const MAX_AGE_MS = 1_000;

/** Metrics of the whole service: dispatchers, queue and punctuality; at most one second old. */
export const readMetrics = (): Promise<Metrics> => reader()();

const reader = perServices((services) => cacheFor(MAX_AGE_MS, () => readNow(services)));

async function readNow({ installation, database }: Services): Promise<Metrics> {
  await installation();
  const [fleet, queue, holder] = await database.run(DATABASE_BUDGET_MS, ({ sql }) =>
    Promise.all([readFleet(sql), readQueueFigures(sql), readSnapshotHolder(sql)]),
  );
  return {
    dispatchers: fleet.map(({ startedAtMs, beatAtMs, beatAgeMs, isAlive, skewMs, ...rest }) => ({
      ...rest,
      started_at: formatInstant(startedAtMs),
      beat_at: formatInstant(beatAtMs),
      beat_age_ms: beatAgeMs,
      alive: isAlive,
      skew_ms: skewMs,
    })),
    queue: {
      due: queue.due,
      firing: queue.firing,
      scheduled: queue.scheduled,
      failed: queue.failed,
      oldest_due_ms: queue.oldestDueMs,
      estimated: queue.isEstimated,
    },
    snapshot: {
      held_ms: holder === null ? 0 : holder.heldMs && Math.round(holder.heldMs),
      transactions: holder?.transactions ?? 0,
    },
    punctuality: presentPunctualitySummary(await readPunctuality()),
  };
}
