import { copiedOptions, type DeliveryOptions } from "./delivery-options.ts";
import type { Filters } from "./filter-values.ts";
import { FILTER_NAMES, FILTERS, hasFilters } from "./filters.ts";
import type { GivenTime } from "./fire-time.ts";
import type { HeaderPairs } from "./headers.ts";
import { writeLateRange } from "./late-range.ts";
import { writeLocalTime } from "./local-time.ts";
import type { OperationAction, OperationFilter } from "./operations.ts";

/** What a request says of how it is sent. Whoever passes requests on passes these on as one. */
export type RequestOptions = {
  /** Null means the account's setting. */
  earlyFire: boolean | null;
  /** Null without any. */
  delivery: DeliveryOptions | null;
};

/** Options of which some may be left out. */
export type GivenOptions = { [Name in keyof RequestOptions]?: RequestOptions[Name] | undefined };

/** The options of what has more fields, such as an input or a row. */
export function optionsOf({ earlyFire = null, delivery = null }: GivenOptions): RequestOptions {
  return { earlyFire, delivery };
}

/** The options of a copy. Whether it fires early is not kept. */
export function optionsOfCopy(original: GivenOptions): RequestOptions {
  const options = optionsOf(original);
  return { ...options, earlyFire: null, delivery: copiedOptions(options.delivery) };
}

/** A create request before defaults of the account are applied; null for omitted fields. */
export type OriginalRequest = GivenOptions & {
  targetUrl: string;
  method: string;
  /** Null for now. */
  time: GivenTime | null;
  headers: HeaderPairs;
  payload: string | null;
};

/** A request that recurs, before defaults of the account are applied; null for omitted fields. */
export type OriginalRecurrence = Omit<OriginalRequest, "time"> & {
  cron: string;
  zone: string;
  onClockChange: string;
  overlap: string;
  catchUp: string;
  spreadMs: number;
  endsAtMs: number | null;
  name: string | null;
};

/** A replay or clone of the schedule `of` (UUID); null for omitted fields. */
export type OriginalRepeat = {
  of: string;
  time: GivenTime | null;
  payload: string | null;
  headers: HeaderPairs | null;
  /** Another target than the original's, as it would be delivered, or as it was given when it is refused. */
  targetUrl: string | null;
  /** In place of the original's; null for none. */
  delivery?: DeliveryOptions | null | undefined;
};

/**
 * What makes a request the same as another one. Target (`deliveredUrl`; null when it is refused), headers and payload count as
 * they would be delivered: without order and case of header names, and without the spaces around their values; an empty
 * payload equals none. An instant counts as such, a duration as such, a local time with its zone and rule. A request without
 * delivery options has the fields that it had before there were any.
 */
export function requestFields(request: OriginalRequest, deliveredUrl: string | null): string[] {
  const { targetUrl, method, time, headers, payload } = request;
  const { earlyFire, delivery } = optionsOf(request);
  const url = deliveredUrl ?? targetUrl;
  const format = delivery === null ? [FORMAT] : [`${FORMAT} with options`, deliveryText(delivery)];
  return [...format, url, method, timeText(time), String(earlyFire), payload ?? "", ...headerFields(headers)];
}

/** As `requestFields`, for a replay or clone. */
export function repeatFields({ of, time, payload, headers, targetUrl, delivery }: OriginalRepeat): string[] {
  const kind = payload === null ? "replay" : "clone";
  const whose = headers === null ? "same headers" : "own headers";
  const format = delivery === undefined ? [REPEAT_FORMAT] : [`${REPEAT_FORMAT} with options`, deliveryText(delivery)];
  const fields = [...format, of, timeText(time), kind, payload ?? "", whose, ...headerFields(headers ?? [])];
  return targetUrl === null ? fields : [...fields, "target", targetUrl];
}

/** As `requestFields`, for a recurrence. */
export function recurrenceFields(recurrence: OriginalRecurrence, deliveredUrl: string | null): string[] {
  const { cron, zone, onClockChange, overlap, catchUp, spreadMs, endsAtMs, name } = recurrence;
  const rule = [cron, zone, onClockChange, overlap, catchUp, String(spreadMs), String(endsAtMs), name ?? ""];
  return [RECURRENCE_FORMAT, ...rule, ...requestFields({ ...recurrence, time: null }, deliveredUrl)];
}

/** An operation on many schedules: those of a filter, or chosen ones (UUIDs). */
export type OriginalOperation = {
  action: OperationAction;
  filter: OperationFilter | null;
  scheduleIds: readonly string[] | null;
};

/** As `requestFields`, for an operation. */
export function operationFields({ action, filter, scheduleIds }: OriginalOperation): string[] {
  const { statuses = null, q = null, fromMs = null, toMs = null } = filter ?? {};
  const isNarrower = filter !== null && hasFilters(filter);
  const kind = filter === null ? "chosen" : isNarrower ? "narrower filter" : "filter";
  const scope = [String(statuses?.toSorted()), q?.text ?? "", String(fromMs), String(toMs)];
  const ids = scheduleIds === null ? [] : scheduleIds.toSorted();
  return [OPERATION_FORMAT, action, kind, ...scope, ...ids, ...(isNarrower ? narrowerFields(filter) : [])];
}

function narrowerFields(filters: Filters): string[] {
  // An operation without a filter that came later has the fields that it had before.
  const names = FILTER_NAMES.filter((name) => name !== "recurrence" || filters.recurrence !== undefined);
  return names.map((name) => {
    const value = filters[FILTERS[name].field];
    return typeof value === "object" ? writeLateRange(value) : String(value);
  });
}

const OPERATION_FORMAT = "operation-hash-1";
const FORMAT = "request-hash-1";
const RECURRENCE_FORMAT = "recurrence-hash-1";
const REPEAT_FORMAT = "repeat-hash-1";

function deliveryText(options: DeliveryOptions | null): string {
  const { timeoutMs, retryDelaysMs, giveUpStatuses, expiresAtMs, expiresInMs } = options ?? {};
  return JSON.stringify([timeoutMs, retryDelaysMs, giveUpStatuses, expiresAtMs, expiresInMs]);
}

function timeText(time: GivenTime | null): string {
  if (time === null) return "null";
  if ("atMs" in time) return String(time.atMs);
  if ("inMs" in time) return `in ${time.inMs}`;
  const { local, ms, zone, onClockChange } = time;
  return `local ${writeLocalTime(local)} ${ms} ${zone} ${onClockChange}`;
}

// The spaces and tabs around a header's value are no part of it (RFC 9110, 5.5).
function headerFields(headers: HeaderPairs): string[] {
  return headers
    .map(([name, value]) => [name.toLowerCase(), value.trim()] as const)
    .sort(byNameThenValue)
    .flat();
}

function byNameThenValue(a: readonly [string, string], b: readonly [string, string]): number {
  return compare(a[0], b[0]) || compare(a[1], b[1]);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
