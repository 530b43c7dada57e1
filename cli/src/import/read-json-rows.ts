import type { Delivery, DeliveryOptions } from "../../../sdk/src/types.ts";
import { describeUnknown, findColumn } from "./fields.ts";
import type { Item } from "./find-problems.ts";
import { findJsonFault } from "./json-fault.ts";
import type { ReadRow, RowOptions } from "./row.ts";
import { UnreadableInput } from "./unreadable-input.ts";

/**
 * The rows of JSON lines, one object a line, with the API's names of the fields. Empty lines are skipped. A line that
 * `export` wrote is taken with the names of a schedule that is read. Throws `UnreadableInput` for an array.
 */
export function* readJsonRows(text: string, options: RowOptions): Generator<ReadRow> {
  if (/^\s*\[/.test(text))
    throw new UnreadableInput(1, 1, "this is an array: write one object a line, as jq -c '.[]' does");
  let line = 0;
  for (const source of lines(text)) {
    line++;
    if (source.trim() === "") continue;
    const fault = findJsonFault(source);
    if (fault) yield { line, item: {}, problems: [{ line, ...fault }] };
    else yield readObject(line, JSON.parse(source), options);
  }
}

function* lines(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from);
    yield text.slice(from, end < 0 ? text.length : end);
    from = end < 0 ? text.length : end + 1;
  }
}

function readObject(line: number, value: unknown, { map, withoutPayloads }: RowOptions): ReadRow {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const message = "must be an object: one schedule a line, without brackets around all of them";
    return { line, item: {}, problems: [{ line, message }] };
  }
  const isExported = "id" in value && /^sch_/.test(String(value.id));
  const item: Item = isExported ? fromExport(value) : {};
  const problems: string[] = [];
  let headers: object | undefined;
  let options: object | undefined;
  for (const [name, content] of Object.entries(value)) {
    const column = findColumn(name, map);
    // What is null in a schedule that is read is not given in one that is created.
    if (column === "ignored" || (isExported && (column === undefined || content === null))) continue;
    if (column === undefined) problems.push(describeUnknown("field", name));
    else if ("header" in column) headers = { ...headers, [column.header]: content };
    else if ("option" in column) options = { ...options, [column.option]: content };
    else item[column.field] = isExported && name === "delivery" ? optionsOf(content) : content;
  }
  if (headers) item.headers = { ...(item.headers as object), ...headers };
  if (options) item.delivery = { ...(item.delivery as object), ...options };
  if (isExported && "has_payload" in value && value.has_payload && item.payload === undefined && !withoutPayloads) {
    problems.push(WITHOUT_PAYLOAD);
  }
  return { line, item, problems: problems.map((message) => ({ line, message })) };
}

/** What a schedule that was read says of one that is created. A field that the line has besides, such as a new time, counts more. */
function fromExport(schedule: {
  target_url?: unknown;
  fire_at?: unknown;
  early_fire?: unknown;
  [name: string]: unknown;
}): Item {
  const isMoved = "fireAt" in schedule || "fireIn" in schedule || "fireAtLocal" in schedule;
  return {
    targetUrl: schedule.target_url,
    ...(!isMoved && { fireAt: schedule.fire_at }),
    earlyFire: schedule.early_fire,
  };
}

function optionsOf(delivery: Delivery & DeliveryOptions): DeliveryOptions {
  const { timeout_ms, retry_delays_ms, give_up_statuses, expires_at, ...given } = delivery;
  return {
    ...{ timeoutMs: timeout_ms, retryDelaysMs: retry_delays_ms },
    ...{ giveUpStatuses: give_up_statuses, expiresAt: expires_at },
    ...given,
  };
}

const WITHOUT_PAYLOAD =
  "this schedule had a payload, which is never returned, so no export has it: add it as payload, or create such schedules without one by --without-payloads";
