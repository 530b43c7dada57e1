import { type IncidentsRead, readIncidents } from "#db/queries/schedules/incidents.ts";
import { encodeId } from "#domain/ids.ts";
import type { IncidentGroup } from "#domain/incident.ts";
import type { Span } from "#domain/overview.ts";
import type { Ctx } from "../context.ts";

/** With the public ids of operations. */
export type Incidents = IncidentsRead;

/** Groups of the caller's dead and retrying schedules that had an attempt within a span, with public ids. */
export async function readOwnIncidents(ctx: Ctx, span: Span, limit: number): Promise<Incidents> {
  const range = { from: span.startsAt, to: new Date(span.startsAt.getTime() + span.steps * span.stepMs) };
  const { groups, ...whole } = await ctx.query(({ sql }) => readIncidents(sql, ctx.tenant, range, limit));
  return {
    ...whole,
    groups: groups.map((group) => ({ ...group, operationId: group.operationId && encodeId("op", group.operationId) })),
  };
}

/** A group as callers see it. `from` and `to` are as `/v1/schedules` takes them, whose `to` is an end that is not included. */
export function presentIncident({ code, from, to, ...group }: IncidentGroup) {
  return {
    host: group.host,
    code,
    class: code === null ? "none" : `${Math.floor(code / 100)}xx`,
    error: group.error,
    dead: group.dead,
    retrying: group.retrying,
    replays_delivered: group.delivered,
    replays_open: group.underWay,
    from: from.toISOString(),
    to: new Date(to.getTime() + 1).toISOString(),
    next_attempt_at: group.nextAttemptAt?.toISOString() ?? null,
    operation_id: group.operationId,
  };
}
