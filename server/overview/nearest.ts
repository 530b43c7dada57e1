import { type NearSchedule, readLatestFired, readNextDue } from "#db/queries/schedules/nearest.ts";
import { encodeId } from "#domain/ids.ts";
import type { Ctx } from "../context.ts";

const LATEST = 6;
const NEXT = 5;

/** With the public id. */
export type OwnNear = NearSchedule;

export type Nearest = { latest: OwnNear[]; next: OwnNear[] };

/** The last fired and the next due schedules of the caller's environment. */
export async function readNearest(ctx: Ctx): Promise<Nearest> {
  const { latest, next } = await ctx.query(async ({ sql }) => ({
    latest: await readLatestFired(sql, ctx.tenant, LATEST),
    next: await readNextDue(sql, ctx.tenant, NEXT),
  }));
  return { latest: latest.map(named), next: next.map(named) };
}

const named = (row: NearSchedule): OwnNear => ({ ...row, id: encodeId("sch", row.id) });
