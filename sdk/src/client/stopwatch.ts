import type {
  Environment,
  LogFilter,
  LoggedAttempt,
  LogPage,
  Overview,
  OverviewFilter,
  Profile,
  Punctuality,
  RotatedSigningSecrets,
  SigningSecrets,
  Usage,
} from "../types.ts";
import { environmentOf } from "./api-key.ts";
import { findBaseUrl } from "./base-url.ts";
import { type Call, type CallOptions, createCall, type FetchLike, type Retry } from "./call.ts";
import { checkNumber, invalid } from "./invalid.ts";
import { createOperations, type Operations } from "./operations.ts";
import { createPager, type Pager, pageQuery } from "./pager.ts";
import { createSchedules, type Schedules } from "./schedules.ts";
import { writeJson } from "./write-body.ts";
import type { Query } from "./write-query.ts";

export type StopwatchOptions = {
  /** The address of the installation. STOPWATCH_URL, else the installation that served this package, unless given. */
  baseUrl?: string | URL | undefined;
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

export interface Logs {
  /** Attempts across all schedules, the newest first, within the plan's retention window. */
  list(filter?: LogFilter, options?: CallOptions): Pager<LoggedAttempt, LogPage>;
}

/** The secrets that deliveries are signed with. */
export interface Secrets {
  get(options?: CallOptions): Promise<SigningSecrets>;
  /** Makes the next secret the current one. For 24 hours deliveries are signed with the former one too. */
  rotate(options?: CallOptions): Promise<RotatedSigningSecrets>;
}

/**
 * A client of a Stopwatch installation, for servers. Every method returns a promise that rejects with a StopwatchError,
 * or with the signal's reason.
 */
export class Stopwatch {
  /** The address of the installation. */
  readonly baseUrl: string;
  /** The environment of the key. */
  readonly env: Environment;
  declare readonly schedules: Schedules;
  declare readonly operations: Operations;
  declare readonly logs: Logs;
  declare readonly signingSecrets: Secrets;
  readonly #call: Call;

  /**
   * Throws INVALID_KEY for a key that is none, and INVALID_ARGUMENT without an address, and in the window of a browser
   * (where there is `window.document`): there the key would be everybody's.
   */
  constructor(apiKey: string | undefined, options: StopwatchOptions = {}) {
    const { baseUrl, timeoutMs = 30_000, attemptTimeoutMs = 10_000, maxRetries = 3, fetch, onRetry } = options;
    if ((globalThis as { window?: { document?: unknown } }).window?.document)
      throw invalid("apiKey", "must not be used in a browser: call Stopwatch from your server");
    this.env = environmentOf(apiKey);
    this.baseUrl = findBaseUrl(baseUrl);
    checkNumber("timeoutMs", timeoutMs, 1);
    checkNumber("attemptTimeoutMs", attemptTimeoutMs, 1);
    checkNumber("maxRetries", maxRetries, 0);
    const settings = {
      baseUrl: this.baseUrl,
      apiKey: apiKey as string,
      timeoutMs,
      attemptTimeoutMs,
      maxRetries,
      fetch,
      onRetry,
    };
    const call = createCall(settings);
    this.#call = call;
    const parts = {
      schedules: createSchedules(call, timeoutMs),
      operations: createOperations(call, timeoutMs),
      logs: createLogs(call),
      signingSecrets: createSecrets(call),
    };
    // Not enumerable, so that the client prints as its address and environment.
    for (const [name, value] of Object.entries(parts)) Object.defineProperty(this, name, { value, writable: true });
  }

  /** Figures of the key's environment over a period. */
  async overview(filter?: OverviewFilter, options?: CallOptions): Promise<Overview> {
    return this.#call({ method: "GET", path: "/v1/overview", query: filter }, options);
  }

  /** Schedules created this month (UTC), against the quota, and the plan's limits. */
  async usage(options?: CallOptions): Promise<Usage> {
    return this.#call({ method: "GET", path: "/v1/usage" }, options);
  }

  /** Whose key it is, and on which plan. */
  async me(options?: CallOptions): Promise<Profile> {
    return this.#call({ method: "GET", path: "/v1/me" }, options);
  }

  /** How punctual the whole service was in the last 24 hours. Public: sent without the key. */
  async punctuality(options?: CallOptions): Promise<Punctuality> {
    return this.#call({ method: "GET", path: "/v1/status/punctuality", isPublic: true }, options);
  }

  /**
   * Any call, such as one that a newer service adds. Resolves to the body of the answer, undefined when it has none. A
   * POST or PATCH whose body has no `idempotencyKey` is sent again only after a 429.
   */
  async request<T = unknown>(
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    { query, body }: { query?: Query | undefined; body?: unknown } = {},
    options?: CallOptions,
  ): Promise<T> {
    if (!/^\/[^?#]*$/.test(path))
      throw invalid("path", 'must begin with a slash and have no query, such as "/v1/usage"');
    const isUnsafe = /^P[OA]/.test(method) && !(body as { idempotencyKey?: unknown } | undefined)?.idempotencyKey;
    const json = body === undefined ? undefined : writeJson("body", body);
    return this.#call({ method, path, query, body: json, isUnsafe }, options);
  }
}

function createLogs(call: Call): Logs {
  return {
    list: (filter, options) =>
      createPager((after) => call({ method: "GET", path: "/v1/logs", query: pageQuery(filter, after) }, options)),
  };
}

function createSecrets(call: Call): Secrets {
  const path = "/v1/signing-secrets";
  return {
    get: async (options) => call({ method: "GET", path }, options),
    rotate: async (options) =>
      call({ method: "POST", path: `${path}/rotate`, idempotencyKey: crypto.randomUUID() }, options),
  };
}
