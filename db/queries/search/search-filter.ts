import { parseCode } from "#domain/answer-code.ts";
import type { Filters } from "#domain/filter-values.ts";
import type { LateRange } from "#domain/late-range.ts";
import type { ScheduleStatus } from "#domain/states.ts";
import type { Tenant } from "../accounts/tenant.ts";
import { type Query, substringPattern } from "./query.ts";

/**
 * Makes a part of a statement. Lists have the tag of drizzle, and operations that of the driver, because a dispatcher does
 * without drizzle: what a filter finds is the same in both.
 */
export type Tag<Part> = (text: TemplateStringsArray, ...values: (Part | string | number | null)[]) => Part;

/** The condition that all of `conditions` hold; those that are not given are left out. */
export function all<Part>(tag: Tag<Part>, conditions: (Part | false | undefined)[]): Part {
  const [first, ...others] = conditions.filter((one): one is Part => one !== false && one !== undefined);
  if (first === undefined) return tag`true`;
  return tag`(${others.reduce((before, one) => tag`${before} AND ${one}`, first)})`;
}

/** The condition on a row of `schedule_requests`: what a filter says of the request. */
export function isOfRequest<Part>(
  tag: Tag<Part>,
  tenant: Tenant,
  { q, host, operationId, idempotencyKey, recurrence }: Filters & { q?: Query | undefined },
): Part {
  return all(tag, [
    q && tag`(target_url ILIKE ${substringPattern(q)} OR schedule_id = ${q.scheduleId}::uuid)`,
    host !== undefined && hasHost(tag, tag`target_url`, host),
    operationId !== undefined && tag`operation_id = ${operationId}::uuid`,
    idempotencyKey !== undefined && tag`idempotency_key = ${idempotencyKey}`,
    recurrence !== undefined && isOfRecurrence(tag, tenant, recurrence),
  ]);
}

/** Whether `isOfRequest` asks for anything. */
export function looksAtRequest(wanted: Filters & { q?: Query | undefined }): boolean {
  const { q, host, operationId, idempotencyKey, recurrence } = wanted;
  return (q ?? host ?? operationId ?? idempotencyKey ?? recurrence) !== undefined;
}

/** The condition that a request is of an occurrence of the recurrence that has a key. */
export function isOfRecurrence<Part>(tag: Tag<Part>, { accountId, env }: Tenant, key: string): Part {
  return tag`recurrence_id = (
    SELECT o.id FROM recurrences o WHERE o.account_id = ${accountId}::uuid AND o.env = ${env} AND o.key = ${key} LIMIT 1)`;
}

/** The columns of `schedules` that change, or what was in them at an earlier instant. */
export type ScheduleState<Part> = {
  status: Part;
  offsetMs: Part;
  statusCode: Part;
  /** It was attempted, and the last attempt had no answer. */
  isUnanswered: Part;
};

export type DueRange = { from?: Date | undefined; to?: Date | undefined };

/** The condition on a row of `schedules`: what a filter says of its state, its time and its host. */
export function isOfState<Part>(
  tag: Tag<Part>,
  state: ScheduleState<Part>,
  { statuses, late, code, host, ...range }: Filters & DueRange & { statuses?: ScheduleStatus[] | undefined },
): Part {
  return all(tag, [
    statuses && isOneOf(tag, state.status, statuses),
    isDueIn(tag, range),
    late && isLate(tag, state.offsetMs, late),
    code !== undefined && hasCode(tag, code, state.statusCode, state.isUnanswered),
    host !== undefined && hasHost(tag, tag`origin`, host),
  ]);
}

/** The condition that `fire_at` is in a range. */
export function isDueIn<Part>(tag: Tag<Part>, { from, to }: DueRange): Part {
  return all(tag, [
    from && tag`fire_at >= ${from.toISOString()}::timestamptz`,
    to && tag`fire_at < ${to.toISOString()}::timestamptz`,
  ]);
}

/** The condition that a URL has this host. The expression is that of the index of hosts. */
export function hasHost<Part>(tag: Tag<Part>, url: Part, host: string): Part {
  return tag`split_part(${url}, '/', 3) = ${host}`;
}

/** The condition that whole milliseconds of lateness are in the range; those that are null are not. */
export function isLate<Part>(tag: Tag<Part>, ms: Part, { fromMs, toMs }: LateRange): Part {
  return all(tag, [
    fromMs !== null && tag`${ms} >= ${fromMs}::bigint`,
    toMs !== null && tag`${ms} < ${toMs + 1}::bigint`,
  ]);
}

/** The condition that a status code is what `code` finds; `isUnanswered` is that of an attempt without an answer. */
export function hasCode<Part>(tag: Tag<Part>, code: string, statusCode: Part, isUnanswered: Part): Part {
  const range = parseCode(code);
  if (range === undefined) throw new Error(`${code} is no code to filter by`);
  return range === null ? isUnanswered : tag`${statusCode} BETWEEN ${range.from}::integer AND ${range.to}::integer`;
}

function isOneOf<Part>(tag: Tag<Part>, word: Part, [first, ...others]: readonly string[]): Part {
  if (first === undefined) return tag`false`;
  return tag`${word} IN (${others.reduce((before, one) => tag`${before}, ${one}`, tag`${first}`)})`;
}
