import type { SchedulePage } from "#db/queries/list-schedules.ts";
import type { Ctx } from "../context.ts";
import { OFFSET_MAX } from "../list-parameters.ts";
import type { CreatedSchedule } from "../schedules/create.ts";
import type { ListInput } from "../schedules/list-input.ts";
import { presentCreated, presentSchedule } from "../schedules/present.ts";
import { pageLinks } from "./page-links.ts";
import { ok, type Reply } from "./reply.ts";

/** 201 for a new schedule; 200 for a known idempotency key, with headers that say so and whether the request differs. */
export function createdReply(created: CreatedSchedule): Reply {
  if (created.outcome === "created") return { status: 201, body: presentCreated(created) };
  return ok(presentCreated(created), {
    "Idempotent-Replayed": "true",
    ...(created.mismatch && { "Idempotency-Mismatch": "true" }),
  });
}

/** One page of schedules, with `Link` to its neighbours. */
export function pageReply(ctx: Ctx, requestUrl: string, { limit, offset }: ListInput, page: SchedulePage): Reply {
  const link = pageLinks(ctx.config.baseUrl, requestUrl, {
    limit,
    offset,
    offsetMax: OFFSET_MAX,
    hasMore: page.hasMore,
  });
  const body = {
    items: page.rows.map(presentSchedule),
    total: page.total,
    ...(page.totalCapped && { total_capped: true }),
    limit,
    offset,
  };
  return ok(body, link === undefined ? {} : { Link: link });
}
