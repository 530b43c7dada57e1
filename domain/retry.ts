import { utcMs } from "./instant.ts";

export type RetryStrategy = "exponential" | "linear" | "fixed";

/** The retries of a schedule. `retryDelaysMs`, one for each retry, stand in place of backoff and strategy. */
export type RetryPolicy = {
  retryAttempts: number;
  retryBackoffMs: number;
  retryStrategy: RetryStrategy;
  retryDelaysMs?: readonly number[];
};

export interface RetryRule {
  strategy: RetryStrategy;
  baseMs: number;
  /** Waits that the owner has given for this schedule, ms; the one of retry n has no jitter. */
  delaysMs?: readonly number[] | undefined;
  /** The retry's number, from 1. */
  n: number;
  /** Returns a number in [0, 1), for the jitter. */
  random: () => number;
}

/**
 * Whole milliseconds to wait before retry n: fixed `base`, linear `base·n`, exponential `base·2^(n-1)`, capped at one
 * hour, and then 0 to 25 % of it more as jitter. A given delay is waited as it is.
 */
export function retryWaitMs({ strategy, baseMs, delaysMs, n, random }: RetryRule): number {
  const delayMs = delaysMs?.[n - 1];
  if (delayMs !== undefined) return delayMs;
  const factor = { fixed: 1, linear: n, exponential: 2 ** (n - 1) }[strategy];
  const waitMs = Math.min(baseMs * factor, WAIT_MAX_MS);
  return Math.floor(waitMs * (1 + JITTER_MAX * random()));
}

/** One retry as it is planned; all times in ms. */
export type PlannedRetry = {
  n: number;
  /** Minimum and maximum wait after the failure before it. */
  waitMs: number;
  waitMsMax: number;
  /** Earliest start, counted from the first attempt: when every attempt fails at once and every wait is minimal. */
  earliestMs: number;
  /** The latest start of the same, when every wait has the longest jitter. */
  latestMs: number;
};

/** The first `count` retries of a strategy when every attempt fails, without `Retry-After`. */
export function plannedRetries({ strategy, baseMs }: Pick<RetryRule, "strategy" | "baseMs">, count: number) {
  const retries: PlannedRetry[] = [];
  let [earliestMs, latestMs] = [0, 0];
  for (let n = 1; n <= count; n++) {
    const waitMs = retryWaitMs({ strategy, baseMs, n, random: () => 0 });
    const waitMsMax = retryWaitMs({ strategy, baseMs, n, random: () => 1 });
    earliestMs += waitMs;
    latestMs += waitMsMax;
    retries.push({ n, waitMs, waitMsMax, earliestMs, latestMs });
  }
  return retries;
}

/**
 * When retry n is due after a failure at `nowMs`, epoch ms: after `retryWaitMs`, or for status 429 or 503 after the
 * longest valid `Retry-After` if that is longer, but at most two hours more than the wait.
 */
export function nextRetryAtMs({
  nowMs,
  statusCode,
  retryAfter = [],
  ...rule
}: RetryRule & { nowMs: number; statusCode: number | null; retryAfter?: readonly string[] | undefined }): number {
  const waitMs = retryWaitMs(rule);
  const honoursRetryAfter = statusCode === 429 || statusCode === 503;
  const waits = honoursRetryAfter ? retryAfter.map((header) => parseRetryAfterMs(header, nowMs) ?? 0) : [];
  const retryAfterMs = Math.max(0, ...waits);
  return Math.ceil(nowMs + Math.min(Math.max(waitMs, retryAfterMs), waitMs + RETRY_AFTER_EXTRA_MAX_MS));
}

/**
 * The wait of a `Retry-After` header, ms (RFC 9110, 10.2.3): whole seconds, or an HTTP-date in one of its three formats
 * (5.6.7); a past date is 0. Null when absent or malformed. A very long run of digits gives Infinity.
 */
export function parseRetryAfterMs(header: string | undefined, nowMs: number): number | null {
  const text = header?.replace(/^[ \t]+|[ \t]+$/g, "") ?? "";
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const dateMs = parseHttpDate(text, nowMs);
  return dateMs === null ? null : Math.max(0, dateMs - nowMs);
}

const WAIT_MAX_MS = 3_600_000;
/** The longest jitter, as a fraction of the wait. */
export const JITTER_MAX = 0.25;
const RETRY_AFTER_EXTRA_MAX_MS = 7_200_000;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const MONTH = `(?<month>${MONTHS.join("|")})`;
const TIME = "(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)";
const DAY_NAME = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const LONG_DAY_NAME = "(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)";
const HTTP_DATES = [
  new RegExp(`^${DAY_NAME}, (?<day>\\d\\d) ${MONTH} (?<year>\\d{4}) ${TIME} GMT$`),
  new RegExp(`^${LONG_DAY_NAME}, (?<day>\\d\\d)-${MONTH}-(?<year>\\d\\d) ${TIME} GMT$`),
  new RegExp(`^${DAY_NAME} ${MONTH} (?<day>\\d\\d| \\d) ${TIME} (?<year>\\d{4})$`),
];

function parseHttpDate(text: string, nowMs: number): number | null {
  const groups = HTTP_DATES.map((form) => form.exec(text)?.groups).find((match) => match !== undefined);
  if (groups === undefined) return null;
  const { year = "", month = "", day, hour, minute, second } = groups;
  const fullYear = year.length === 2 ? expandYear(Number(year), nowMs) : Number(year);
  // The grammar allows a leap second, which utcMs does not know: read 60 as 59.
  const wholeSecond = second === "60" ? 59 : Number(second);
  return utcMs(fullYear, MONTHS.indexOf(month) + 1, Number(day), Number(hour), Number(minute), wholeSecond);
}

// RFC 9110, 5.6.7: a two-digit year that seems more than 50 years ahead is the last past year with these digits.
function expandYear(twoDigits: number, nowMs: number): number {
  const nowYear = new Date(nowMs).getUTCFullYear();
  const year = nowYear - (nowYear % 100) + twoDigits;
  return year > nowYear + 50 ? year - 100 : year;
}
