import { formatInstant } from "./instant.ts";
import type { PlanLimits } from "./plans.ts";
import type { RetryPolicy } from "./retry.ts";

/**
 * How one schedule is delivered where that is not by the account's settings, as it is stored. What is absent is by the
 * settings.
 */
export type DeliveryOptions = {
  /** The time for an answer, ms. */
  timeoutMs?: number;
  /** The wait before each retry, ms, in place of attempts, backoff and strategy; none: no retry. */
  retryDelaysMs?: readonly number[];
  /** Answers that end the schedule at once. */
  giveUpStatuses?: readonly GiveUpStatus[];
  /** No attempt begins after it, epoch ms. */
  expiresAtMs?: number;
  /** `expiresAtMs` less the first due time, ms, where that was given. A copy of the schedule has the same. */
  expiresInMs?: number;
};

/** A status code, or a range of them (`400-404`), both ends included. */
export type GiveUpStatus = number | string;

type Bounds = { min: number; max: number };

/** The bounds of `timeoutMs` and of each of `retryDelaysMs`, ms. What is beyond is set to the bound. */
export const TIMEOUT_MS: Bounds = { min: 1_000, max: 30_000 };
export const RETRY_DELAY_MS: Bounds = { min: 1_000, max: 7 * 86_400_000 };

export const GIVE_UP_STATUSES_MAX = 32;

/** What ends a schedule at once unless it says otherwise: 410 Gone. */
const GIVE_UP_STATUSES: readonly GiveUpStatus[] = [410];

/** Options without any are none. */
export function orNone(options: DeliveryOptions): DeliveryOptions | null {
  return Object.values(options).some((value) => value !== undefined) ? options : null;
}

/** The options of a copy: an expiry that was given as a duration counts from the copy's own due time. */
export function copiedOptions(options: DeliveryOptions | null): DeliveryOptions | null {
  if (options?.expiresInMs === undefined) return options;
  const { expiresAtMs, ...others } = options;
  return others;
}

/** Delivery options as answers have them; null for what is by the account's settings. */
export function presentDelivery(options: DeliveryOptions | null): PresentedDelivery | null {
  if (options === null) return null;
  const { timeoutMs = null, retryDelaysMs = null, giveUpStatuses = null, expiresAtMs } = options;
  return {
    timeout_ms: timeoutMs,
    retry_delays_ms: retryDelaysMs && [...retryDelaysMs],
    give_up_statuses: giveUpStatuses && [...giveUpStatuses],
    expires_at: expiresAtMs === undefined ? null : formatInstant(expiresAtMs),
  };
}

/** As `presentDelivery`, for each occurrence of a recurrence. */
export function presentOccurrenceDelivery(options: DeliveryOptions | null) {
  const presented = presentDelivery(options);
  if (presented === null) return null;
  const { expires_at, ...ofEach } = presented;
  return { ...ofEach, expires_in_ms: options?.expiresInMs ?? null };
}

type PresentedDelivery = {
  timeout_ms: number | null;
  retry_delays_ms: number[] | null;
  give_up_statuses: GiveUpStatus[] | null;
  expires_at: string | null;
};

/** The retries of a schedule: by its own delays, as many as the plan allows, or by the account's settings. */
export function retryPolicyOf(
  options: DeliveryOptions | null,
  { retryAttempts, retryBackoffMs, retryStrategy }: RetryPolicy,
  { retryAttemptsMax }: PlanLimits,
): RetryPolicy {
  const retryDelaysMs = options?.retryDelaysMs?.slice(0, retryAttemptsMax);
  if (retryDelaysMs === undefined) return { retryAttempts, retryBackoffMs, retryStrategy };
  return { retryAttempts: retryDelaysMs.length, retryBackoffMs, retryStrategy, retryDelaysMs };
}

/** Whether an answer with this status ends the schedule at once. */
export function isGivenUp(statusCode: number, statuses: readonly GiveUpStatus[] = GIVE_UP_STATUSES): boolean {
  return statuses.some((status) => {
    const range = rangeOf(status);
    return range !== null && range.from <= statusCode && statusCode <= range.to;
  });
}

/** Both ends of a status or a range of them, or null: only answers that are failures can end a schedule, 300 to 599. */
export function rangeOf(status: GiveUpStatus): { from: number; to: number } | null {
  const [, first = "", last = first] = /^([1-9]\d\d)(?:-([1-9]\d\d))?$/.exec(String(status)) ?? [];
  if (typeof status === "string" && !status.includes("-")) return null;
  const [from, to] = [Number(first), Number(last)];
  return from >= 300 && from <= to && to <= 599 ? { from, to } : null;
}
