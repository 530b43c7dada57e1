import { listSchedules, type SchedulePage } from "#db/queries/search/list-schedules.ts";
import { decodeId } from "#domain/ids.ts";
import type { Ctx } from "../context.ts";
import type { ListInput } from "./list-input.ts";

/** One page of the caller's schedules. */
export async function listOwnSchedules(ctx: Ctx, { q, status, ...rest }: ListInput): Promise<SchedulePage> {
  const search = {
    ...rest,
    statuses: status,
    q: q === undefined ? undefined : { text: q, scheduleId: decodeId("sch", q) },
  };
  return ctx.query(({ db }) => listSchedules(db, ctx.tenant, search));
}
