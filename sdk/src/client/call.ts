import { StopwatchError } from "../error.ts";
import { bounded, pause, TIME_OVER } from "./bounded.ts";
import { causeOf } from "./cause-of.ts";
import { checkNumber } from "./invalid.ts";
import { parseAnswer } from "./parse-answer.ts";
import { type Query, writeQuery } from "./write-query.ts";

/** What every method takes last. */
export type CallOptions = {
  /** Ends the call, which rejects with the signal's own reason. */
  signal?: AbortSignal | undefined;
  /** Bounds the whole call, tries and waits together, in milliseconds. */
  timeoutMs?: number | undefined;
  /** How many tries may follow a failed one. */
  maxRetries?: number | undefined;
};

/** What `onRetry` is told. */
export type Retry = {
  /** Which try failed, from 1. */
  attempt: number;
  /** The wait before the next try, in milliseconds. */
  waitMs: number;
  /** How the try failed. */
  error: StopwatchError;
};

/** The part of `fetch` that is used. */
export type FetchLike = (
  url: string,
  init: {
    method: string;
    headers: { [name: string]: string };
    body?: string;
    redirect: "manual";
    signal: AbortSignal;
  },
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}>;

export type Settings = {
  baseUrl: string;
  apiKey: string;
  timeoutMs: number;
  attemptTimeoutMs: number;
  maxRetries: number;
  fetch: FetchLike | undefined;
  onRetry: ((retry: Retry) => void) | undefined;
};

export type ApiRequest = {
  method: string;
  path: string;
  query?: Query | undefined;
  /** JSON. */
  body?: string | undefined;
  idempotencyKey?: string;
  /** Sent without the API key. */
  isPublic?: boolean;
  /** Sent again only where it was certainly not carried out. */
  isUnsafe?: boolean;
};

/** What becomes known of a call besides its result. Times are those of `performance.now()`, but for `serverMs`. */
export type Trace = {
  startMs?: number;
  /** When `timeoutMs` is over. */
  endMs?: number;
  /** A try was not answered, or by something that leaves open whether it was carried out. */
  isLost?: boolean;
  /** The service's clock at the last answer, epoch ms, to the second. */
  serverMs?: number;
};

/** Calls the API, with retries. Resolves to the body of the answer, undefined when it has none. */
export type Call = <T>(request: ApiRequest, options?: CallOptions, trace?: Trace) => Promise<T>;

const RETRIED = [undefined, 408, 429, 500, 502, 503, 504];

export function createCall(settings: Settings): Call {
  return async <T>(request: ApiRequest, options: CallOptions = {}, trace: Trace = {}): Promise<T> => {
    const { signal, timeoutMs = settings.timeoutMs, maxRetries = settings.maxRetries } = options;
    checkNumber("timeoutMs", timeoutMs, 1);
    checkNumber("maxRetries", maxRetries, 0);
    const url = settings.baseUrl + request.path + writeQuery(request.query);
    trace.startMs = performance.now();
    trace.endMs = trace.startMs + timeoutMs;
    for (let attempt = 1; ; attempt++) {
      try {
        return (await tryOnce(settings, request, url, { signal, attempt, trace, endMs: trace.endMs })) as T;
      } catch (thrown) {
        if (signal?.aborted) throw thrown;
        const error = thrown as StopwatchError;
        const { status, retryAfterMs = 0 } = error;
        if (!(status && status >= 300 && status < 500 && status !== 408)) trace.isLost = true;
        const waitMs = Math.max(retryAfterMs, Math.min(8_000, 500 * 2 ** (attempt - 1)) * (1 - Math.random() / 2));
        const isRetried = request.isUnsafe ? status === 429 : RETRIED.includes(status);
        if (!isRetried || attempt > maxRetries || performance.now() + waitMs >= trace.endMs) throw error;
        settings.onRetry?.({ attempt, waitMs, error });
        await pause(waitMs, signal);
      }
    }
  };
}

type Try = { signal: AbortSignal | undefined; attempt: number; trace: Trace; endMs: number };

/** One try. Throws a StopwatchError, or the signal's reason. */
async function tryOnce(
  { apiKey, baseUrl, fetch, attemptTimeoutMs }: Settings,
  { method, body, idempotencyKey, isPublic }: ApiRequest,
  url: string,
  { signal, attempt, trace, endMs }: Try,
): Promise<unknown> {
  const headers = {
    Accept: "application/json",
    ...(!isPublic && { Authorization: `Bearer ${apiKey}` }),
    ...(body !== undefined && { "Content-Type": "application/json" }),
    ...(idempotencyKey !== undefined && { "Idempotency-Key": idempotencyKey }),
  };
  const init = { method, headers, ...(body !== undefined && { body }), redirect: "manual" as const };
  try {
    const answer = await bounded(
      async (signal) => {
        const response = await ((fetch ?? globalThis.fetch) as FetchLike)(url, { ...init, signal });
        return { status: response.status, headers: response.headers, text: await response.text() };
      },
      Math.min(attemptTimeoutMs, endMs - performance.now()),
      signal,
    );
    return parseAnswer(answer, baseUrl, attempt, trace);
  } catch (thrown) {
    if (signal?.aborted || thrown instanceof StopwatchError) throw thrown;
    if (thrown === TIME_OVER)
      throw new StopwatchError("TIMEOUT", `${baseUrl} has not answered in time`, { attempts: attempt });
    const cause = causeOf(thrown, apiKey + body);
    throw new StopwatchError("NETWORK", `${baseUrl} cannot be reached`, { attempts: attempt, cause });
  }
}
