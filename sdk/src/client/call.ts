import { StopwatchError } from "../error.ts";
import { bounded } from "./bounded.ts";
import { checkNames, checkNumbers } from "./invalid.ts";
import { parseAnswer } from "./parse-answer.ts";
import { writeQuery } from "./write-query.ts";

/** The last argument of every method. */
export type CallOptions = {
  /** Ends the call, which rejects with the signal's own reason. */
  signal?: AbortSignal | undefined;
  /** Bounds the whole call, tries and waits together, in milliseconds. */
  timeoutMs?: number | undefined;
  /** How many tries may follow a failed one. */
  maxRetries?: number | undefined;
};

/** The argument of `onRetry`. */
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

/** The options of a client. */
export type ClientOptions = {
  /** Bounds a whole call, tries and waits together, in milliseconds. 30,000 unless given. */
  timeoutMs?: number | undefined;
  /** Bounds one try, in milliseconds. 10,000 unless given. */
  attemptTimeoutMs?: number | undefined;
  /** How many tries may follow a failed one. 3 unless given. */
  maxRetries?: number | undefined;
  /** In place of the global `fetch`: for a proxy, a service binding, or `fakeStopwatch()` in tests. */
  fetch?: FetchLike | undefined;
  /** Called before each retry. */
  onRetry?: ((retry: Retry) => void) | undefined;
};

/** Facts about a call besides its result. */
export type Trace = {
  /** A try got no answer, or one that does not tell whether the call was carried out. */
  isLost?: boolean;
  /** The service's clock at the last answer, epoch ms, to the second. */
  serverMs?: number;
};

/** Details of some calls, besides method and path. */
export type CallDetails<T> = {
  query?: object | undefined;
  /** JSON. */
  body?: string | undefined;
  /** Repeat the call only if it was certainly not carried out. */
  isUnsafe?: boolean;
  trace?: Trace;
  /** The wait before the next poll, ms; undefined when polling ends. `serverMs` is the service's time, epoch ms. */
  nextLook?: (value: T, serverMs: number) => number | undefined;
  /** Whether a schedule is as the call wanted it. The call ran between the two times of the service, epoch ms. */
  isAsked?: (value: T, fromMs: number, toMs: number) => boolean | Promise<boolean>;
};

/** Calls the API, with retries. Resolves to the body of the answer, undefined when it has none. */
export type Call = <T>(method: string, path: string, options?: CallOptions, details?: CallDetails<T>) => Promise<T>;

export function createCall(
  apiKey: string,
  baseUrl: string,
  { timeoutMs: totalMs = 30_000, attemptTimeoutMs = 10_000, maxRetries: retries = 3, fetch, onRetry }: ClientOptions,
): Call {
  return async function call<T>(
    method: string,
    path: string,
    options: CallOptions = {},
    details: CallDetails<T> = {},
  ): Promise<T> {
    const { body, nextLook, isAsked, trace = {} } = details;
    const { signal, timeoutMs = totalMs, maxRetries = nextLook ? Infinity : retries } = options;
    checkNames(options, "signal timeoutMs maxRetries");
    checkNumbers({ timeoutMs, attemptTimeoutMs, maxRetries });
    const url = baseUrl + path + writeQuery(details.query);
    const headers = {
      // The public figures need no key.
      ...(!/^.v1.status\//.test(path) && { Authorization: `Bearer ${apiKey}` }),
      ...(body && { "Content-Type": "application/json" }),
      // A body holds its own key.
      ...(method === "POST" && !body && { "Idempotency-Key": crypto.randomUUID() }),
    };
    const startMs = performance.now();
    const leftMs = () => startMs + timeoutMs - performance.now();

    /** The body of the answer, or the error of the try. Rejects only with the signal's reason. */
    const tryOnce = async (attempts: number): Promise<unknown> => {
      const send = async (signal: AbortSignal) => {
        const response = await ((fetch ?? globalThis.fetch) as FetchLike)(url, {
          method,
          headers,
          body: body as string,
          redirect: "manual",
          signal,
        });
        return [response, await response.text()] as const;
      };
      try {
        const answer = await bounded(send, Math.min(attemptTimeoutMs, leftMs()), signal);
        // Create the error here, after the await, so that its stack leads to the caller.
        return answer
          ? await parseAnswer(...answer, baseUrl, attempts, trace)
          : new StopwatchError("TIMEOUT", `${baseUrl} has not answered`, { attempts });
      } catch (thrown) {
        if (signal?.aborted) throw signal.reason;
        const { causeOf } = await import("../on-demand.ts");
        const cause = causeOf(thrown, apiKey + (body ?? ""));
        return new StopwatchError("NETWORK", `${baseUrl} cannot be reached`, { attempts, cause });
      }
    };

    for (let attempt = 1; ; attempt++) {
      const answer = await tryOnce(attempt);
      let waitMs: number | undefined;
      if (answer instanceof StopwatchError) {
        const { findChanged, waitAfter } = await import("../on-demand.ts");
        const { status } = answer;
        if (trace.isLost && isAsked && (status === 400 || status === 409)) {
          const found = await findChanged(
            () => call<T>("GET", path.replace("/fire", ""), { ...options, timeoutMs: leftMs() }, { trace }),
            isAsked,
            () => performance.now() - startMs,
            trace,
          );
          if (signal?.aborted) throw signal.reason;
          if (found) return found;
        }
        waitMs = waitAfter(answer, attempt, details.isUnsafe, trace);
        if (attempt > maxRetries || waitMs >= leftMs()) throw answer;
        onRetry?.({ attempt, waitMs, error: answer });
      } else {
        waitMs = nextLook?.(answer as T, trace.serverMs as number);
        if (waitMs === undefined) return answer as T;
        if (waitMs >= leftMs()) throw new StopwatchError("TIMEOUT", `${path} has not ended`);
        attempt = 0;
      }
      await bounded(() => new Promise(() => {}), waitMs, signal);
    }
  };
}
