import type { Account, Stored } from "./account.ts";
import { isWellFormed } from "./refusal.ts";
import { parseUrl } from "./targets.ts";

/** Filters that schedules, the log and operations have in common. */
export type Filters = {
  late?: LateRange | undefined;
  host?: string | undefined;
  code?: string | undefined;
  idempotency_key?: string | undefined;
  operation?: string | undefined;
};

/** Whole milliseconds, both ends included. */
export type LateRange = { from: number; to: number; text: string };

/** Reads a range of lateness such as `250..`; null for any other text. */
export function readLate(text: string): LateRange | null {
  const [, from, to] = /^(0|-?[1-9]\d{0,11})?\.\.(0|-?[1-9]\d{0,11})?$/.exec(text) ?? [];
  const range = { from: Number(from ?? -Infinity), to: Number(to ?? Infinity), text };
  return (from ?? to) === undefined || range.from > range.to ? null : range;
}

/** Reads a whole host with an optional port, as target URLs have it; null for any other text. */
export function readHost(text: string): string | null {
  const [, typed] = /^(\[[0-9a-f:.]+\]|[^/?#\\\s@%:[\]]+)(?::[1-9]\d{0,4})?$/i.exec(text) ?? [];
  const url = typed === undefined || !isWellFormed(text) ? null : parseUrl(`https://${text}`);
  if (url?.pathname !== "/") return null;
  // The parser completes half an IPv4 address.
  const isAsWritten = /[[\u0080-\uffff]/.test(text) || typed?.replace(/\.$/, "").toLowerCase() === url.hostname;
  return isAsWritten ? url.host : null;
}

/** Reads a status code, a class of them or `none`; null for any other text. */
export function readCode(text: string): string | null {
  return /^([1-9]\d\d|[2-5]xx|none)$/.test(text) ? text : null;
}

/** Whether a status code (null: no answer) is what `code` finds. */
export function hasCode(code: string | undefined, statusCode: number | null): boolean {
  if (code === undefined) return true;
  const text = statusCode === null ? "none" : `${statusCode}`;
  return code === text || (code.endsWith("xx") && text !== "none" && code.charAt(0) === text.charAt(0));
}

/** Whether a lateness, ms, is in the range, rounded down. */
export function isLate(range: LateRange | undefined, ms: number | null): boolean {
  return !range || (ms !== null && Math.floor(ms) >= range.from && Math.floor(ms) <= range.to);
}

/** Whether the request of a schedule has this host, idempotency key and operation. */
export function isOfRequest(
  account: Account,
  stored: Stored,
  { host, idempotency_key: key, operation }: Filters,
): boolean {
  return (
    (host === undefined || new URL(stored.targetUrl).host === host) &&
    (key === undefined || account.keys.get(key) === stored) &&
    (operation === undefined || stored.operationId === operation)
  );
}
