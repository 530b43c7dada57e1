import { type SQL, sql } from "drizzle-orm";
import { parseCode } from "#domain/answer-code.ts";
import type { Filters } from "#domain/filter-values.ts";
import type { LateRange } from "#domain/late-range.ts";
import { type Query, substringPattern } from "./passes.ts";

/** The host of a URL in a column, as the index of hosts has it. */
export const hostOf = (url: SQL): SQL => sql`split_part(${url}, '/', 3)`;

/** The condition that whole milliseconds of lateness are in the range; those that are null are not. */
export function isLate(ms: SQL, { fromMs, toMs }: LateRange): SQL {
  return all([fromMs !== null && sql`${ms} >= ${fromMs}::bigint`, toMs !== null && sql`${ms} < ${toMs + 1}::bigint`]);
}

/** The condition that a status code is what `code` finds; `isUnanswered` is that of an attempt without an answer. */
export function hasCode(code: string, statusCode: SQL, isUnanswered: SQL): SQL {
  const range = parseCode(code);
  if (range === undefined) throw new Error(`${code} is no code to filter by`);
  return range === null ? isUnanswered : sql`${statusCode} BETWEEN ${range.from}::integer AND ${range.to}::integer`;
}

/** The condition that all of `conditions` hold; those that are not given are left out. */
export function all(conditions: (SQL | false | undefined)[]): SQL {
  const given = conditions.filter((one) => one !== false && one !== undefined);
  return given.length === 0 ? sql`true` : sql`(${sql.join(given, sql` AND `)})`;
}

/** The condition on a row of `schedule_requests`: what a filter says of the request. */
export function isOfRequest({ q, host, operationId, idempotencyKey }: Filters & { q?: Query | undefined }): SQL {
  return all([
    q && sql`(target_url ILIKE ${substringPattern(q)} OR schedule_id = ${q.scheduleId}::uuid)`,
    host !== undefined && sql`${hostOf(sql`target_url`)} = ${host}`,
    operationId !== undefined && sql`operation_id = ${operationId}::uuid`,
    idempotencyKey !== undefined && sql`idempotency_key = ${idempotencyKey}`,
  ]);
}
