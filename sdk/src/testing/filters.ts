import { parseCode } from "../../../domain/answer-code.ts";
import type { NamedFilters } from "../../../domain/filters.ts";
import { encodeId } from "../../../domain/ids.ts";
import type { LateRange } from "../../../domain/late-range.ts";
import type { Account, Stored } from "./account.ts";

/** Whether a status code (null: no answer) is what `code` finds. */
export function hasCode(code: string | undefined, statusCode: number | null): boolean {
  const range = code === undefined ? undefined : parseCode(code);
  if (range === undefined) return true;
  return range === null
    ? statusCode === null
    : statusCode !== null && statusCode >= range.from && statusCode <= range.to;
}

/** Whether a lateness, ms, is in the range, rounded down. */
export function isLate(range: LateRange | undefined, ms: number | null): boolean {
  if (!range || ms === null) return !range;
  return Math.floor(ms) >= (range.fromMs ?? -Infinity) && Math.floor(ms) <= (range.toMs ?? Infinity);
}

/** Whether the request of a schedule has this host, idempotency key, operation and recurrence. */
export function isOfRequest(
  account: Account,
  stored: Stored,
  { host, idempotency_key: key, operation, recurrence }: NamedFilters,
): boolean {
  return (
    (host === undefined || new URL(stored.targetUrl).host === host) &&
    (key === undefined || account.keys.get(key) === stored) &&
    (operation === undefined || stored.operationId === encodeId("op", operation)) &&
    (recurrence === undefined || stored.recurrence === recurrence)
  );
}
