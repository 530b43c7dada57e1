import { DatabaseUnavailable } from "#db/client.ts";
import { InstallationError } from "#db/installation-error.ts";
import { readSnapshotHolder } from "#db/queries/fleet/held-snapshot.ts";
import { probeWrite } from "#db/queries/fleet/probe-write.ts";
import { hasLivingDispatcher } from "#db/queries/fleet/readiness.ts";
import { assertSettingsFit } from "#db/queries/fleet/server-settings.ts";
import { cacheFor } from "#domain/cache-for.ts";
import { describeHolder, isHeldLong } from "#domain/held-snapshot.ts";
import { DATABASE_BUDGET_MS, perServices, type Services } from "../services.ts";

/** `reason`: why the status is not ok, a sentence for operators, with what to do. */
export type Readiness = { status: Check | "degraded"; checks: { database: Check; queue: Check }; reason?: string };

type Check = "ok" | "unavailable";

/** The database is asked at most once in this time, ms, however many callers there are. */
const MAX_AGE_MS = 1_000;

/** Whether schedules can be stored and delivered: the database takes writes, and a dispatcher is alive; at most one second old. */
export const readReadiness = (): Promise<Readiness> => reader()();

const reader = perServices((services) => cacheFor(MAX_AGE_MS, () => readNow(services)));

async function readNow(services: Services): Promise<Readiness> {
  const { database, log, isPooled } = services;
  const [written, alive, holder] = await Promise.all([
    orFault(services, () =>
      database.run(DATABASE_BUDGET_MS, async ({ sql }) => {
        await assertSettingsFit(sql, { isPooled });
        await probeWrite(sql);
      }),
    ),
    orFault(services, () => database.run(DATABASE_BUDGET_MS, ({ sql }) => hasLivingDispatcher(sql))),
    orFault(services, () => database.run(DATABASE_BUDGET_MS, ({ sql }) => readSnapshotHolder(sql))),
  ]);
  const queue = alive === true ? "ok" : "unavailable";
  const failed = [written, alive].find((one) => one instanceof Error);
  if (failed !== undefined) {
    const [fault, reason] =
      failed instanceof DatabaseUnavailable ? [failed.fault, failed.reason] : ["settings", failed.message];
    log.warn({ fault, reason, err: failed }, "not ready");
    return { status: "unavailable", checks: { database: "unavailable", queue }, reason };
  }
  if (queue === "ok") {
    const checks = { database: "ok", queue } as const;
    if (holder === null || holder instanceof Error || !isHeldLong(holder)) return { status: "ok", checks };
    return { status: "degraded", checks, reason: describeHolder(holder) };
  }
  return { status: "unavailable", checks: { database: "ok", queue }, reason: NO_DISPATCHER };
}

const NO_DISPATCHER = "No dispatcher has had a heartbeat within 15 s: start one, or look into its log.";

type Fault = DatabaseUnavailable | InstallationError;

async function orFault<T>({ installation }: Services, work: () => Promise<T>): Promise<T | Fault> {
  try {
    await installation();
    return await work();
  } catch (error) {
    if (error instanceof DatabaseUnavailable || error instanceof InstallationError) return error;
    throw error;
  }
}
