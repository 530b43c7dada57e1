import { type AttemptRow, listAttemptsOfSchedule } from "#db/queries/attempts/list-of-schedule.ts";
import { findSchedule, type ScheduleRow } from "#db/queries/schedules/find.ts";
import { decodeId } from "#domain/ids.ts";
import { DATABASE_BUDGET_MS, getServices } from "../services.ts";
import { findTrialTenant } from "./account.ts";

/** A trial. `attempt`: once it has ended. `inMs`: until it is due, by this process's clock. */
export type Trial = Pick<ScheduleRow, "status" | "fireAt" | "offsetMs"> & {
  isOver: boolean;
  attempt: AttemptRow | undefined;
  inMs: number;
};

/** One trial by its public id; undefined for any other schedule. */
export async function readTrial(publicId: string): Promise<Trial | undefined> {
  const id = decodeId("sch", publicId);
  if (id === null) return undefined;
  const services = getServices();
  await services.installation();
  const tenant = await findTrialTenant();
  if (tenant === undefined) return undefined;
  return services.anonymous.run(DATABASE_BUDGET_MS, async ({ db }) => {
    const schedule = await findSchedule(db, tenant, id);
    if (schedule === undefined) return undefined;
    const isOver = schedule.status !== "scheduled" && schedule.status !== "firing";
    const { retentionDays } = services.config.plans.free;
    const attempts = isOver ? await listAttemptsOfSchedule(db, tenant, id, retentionDays) : [];
    const { status, fireAt, offsetMs } = schedule;
    return { status, fireAt, offsetMs, isOver, attempt: attempts.at(-1), inMs: fireAt.getTime() - Date.now() };
  });
}
