import { type QueueFigures, readQueueFigures } from "#db/queries/fleet/queue-figures.ts";
import { countDeadSchedules } from "#db/queries/schedules/count-dead.ts";
import type { Admin } from "./admin.ts";

/**
 * The queue of the whole service: schedules that are due, firing, scheduled or waiting for a retry, the age of the oldest
 * due one, and schedules that died within 24 hours. Large counts are estimates and marked as such.
 */
export async function readQueue(admin: Admin): Promise<QueueFigures & { dead: number; isDeadCapped: boolean }> {
  return admin.query(async ({ sql }) => {
    const [queue, { dead, isCapped }] = await Promise.all([readQueueFigures(sql), countDeadSchedules(sql)]);
    return { ...queue, dead, isDeadCapped: isCapped };
  });
}
