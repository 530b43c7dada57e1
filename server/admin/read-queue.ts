import { type QueueFigures, readQueueFigures } from "#db/queries/fleet/queue-figures.ts";
import { countDeadSchedules } from "#db/queries/schedules/count-dead.ts";
import type { Admin } from "./admin.ts";

/**
 * What waits in the whole service: due, firing, scheduled, waiting for a retry, the age of the oldest that is due; and what
 * became dead within 24 hours. Large counts are estimated, and say so.
 */
export async function readQueue(admin: Admin): Promise<QueueFigures & { dead: number; isDeadCapped: boolean }> {
  return admin.query(async ({ sql }) => {
    const [queue, { dead, isCapped }] = await Promise.all([readQueueFigures(sql), countDeadSchedules(sql)]);
    return { ...queue, dead, isDeadCapped: isCapped };
  });
}
