import { LogsInput } from "#contract/inputs/logs-input.ts";
import { invalid, validate } from "#contract/inputs/validate.ts";
import { environmentOf } from "#domain/environment.ts";
import { Unauthorized } from "#domain/errors.ts";
import { parseInstant } from "#domain/instant.ts";
import { ok, type Reply } from "../http/reply.ts";
import { readPageCtx } from "../page-ctx.ts";
import { countSince } from "./count-since.ts";

/**
 * The reply to the log's page, which asks every few seconds how many attempts match its filters since `since` (null for
 * more than 10,000). Takes the filter parameters of GET /v1/logs.
 */
export async function answerNewer({ url, headers }: Pick<Request, "url" | "headers">): Promise<Reply> {
  const { since = "", env, ...filters } = Object.fromEntries(new URL(url).searchParams);
  const ctx = await readPageCtx(headers, { env: environmentOf(env), isRefresh: true });
  if (ctx === null) throw new Unauthorized();
  const sinceMs = parseInstant(since);
  if (sinceMs === null) throw invalid([{ path: "since", message: "must be an instant" }]);
  const { limit: _limit, offset: _offset, after: _after, sort: _sort, ...filter } = validate(LogsInput, filters);
  return ok({ count: await countSince(ctx, filter, new Date(sinceMs)) });
}
