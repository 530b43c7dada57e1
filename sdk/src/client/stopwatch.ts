import { readEnvironment } from "../development.ts";
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
import { type Call, type CallOptions, type ClientOptions, createCall } from "./call.ts";
import { checkNames, invalid } from "./invalid.ts";
import { isDevelopment } from "./is-development.ts";
import { createOperations, type Operations } from "./operations.ts";
import { createPager, type Pager } from "./pager.ts";
import { createRecurrences, type Recurrences } from "./recurrences.ts";
import { createSchedules, type Schedules } from "./schedules.ts";
import { writeJson } from "./write-body.ts";

export type StopwatchOptions = ClientOptions & {
  /** The address of the installation. Default: STOPWATCH_URL, otherwise the installation that served this package. */
  baseUrl?: string | URL | undefined;
};

type Globals = { window?: { document?: unknown }; navigator?: { userAgent: string } };

export interface Logs {
  /** Attempts across all schedules, the newest first, within the plan's retention window. */
  list(filter?: LogFilter, options?: CallOptions): Pager<LoggedAttempt, LogPage>;
}

/** The secrets that deliveries are signed with. */
export interface Secrets {
  /** The current secret and the next one, of the key's environment. */
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
  declare readonly baseUrl: string;
  /** The environment of the key. */
  declare readonly env: Environment;
  declare readonly schedules: Schedules;
  declare readonly recurrences: Recurrences;
  declare readonly operations: Operations;
  declare readonly logs: Logs;
  declare readonly signingSecrets: Secrets;
  readonly #call: Call;

  /**
   * Without a key it takes STOPWATCH_API_KEY. Throws INVALID_KEY for a malformed key, and INVALID_ARGUMENT without an
   * address, for an unknown option, or in a browser window, in which everybody could read the key. Where STOPWATCH_DEV is 1
   * it needs no key, and calls the development fake unless `baseUrl` is given; in production that throws INVALID_ARGUMENT.
   */
  constructor(apiKey: string | undefined = readEnvironment("STOPWATCH_API_KEY"), options: StopwatchOptions = {}) {
    const { window, navigator } = globalThis as Globals;
    if (window?.document && !/jsdom|happyd/i.test(navigator?.userAgent as string))
      throw invalid("apiKey", "must not be used in a browser");
    checkNames(options, "baseUrl timeoutMs attemptTimeoutMs maxRetries fetch onRetry");
    const isDev = options.baseUrl === undefined && isDevelopment();
    const env = isDev ? "test" : environmentOf(apiKey);
    this.baseUrl = isDev ? "https://stopwatch.invalid" : findBaseUrl(options.baseUrl);
    this.env = env;
    this.#call = createCall(
      apiKey as string,
      this.baseUrl,
      isDev
        ? { ...options, fetch: async (...request) => (await import("../on-demand.ts")).fetchFake(...request) }
        : options,
    );
    const call = this.#call;
    // Not enumerable, so that the client prints as its address and environment.
    Object.defineProperties(this, {
      schedules: { value: createSchedules(call) },
      recurrences: { value: createRecurrences(call) },
      operations: { value: createOperations(call) },
      logs: {
        value: { list: (filter, options) => createPager(call, "/v1/logs", filter, options) } satisfies Logs,
      },
      signingSecrets: {
        value: {
          get: (options) => call("GET", "/v1/signing-secrets", options),
          rotate: (options) => call("POST", "/v1/signing-secrets/rotate", options),
        } satisfies Secrets,
      },
    });
  }

  /** Figures of the key's environment over a period or a time range. */
  overview(filter?: OverviewFilter, options?: CallOptions): Promise<Overview> {
    return this.#call("GET", "/v1/overview", options, { query: filter });
  }

  /** Schedules created this month (UTC), against the quota, and the plan's limits. */
  usage(options?: CallOptions): Promise<Usage> {
    return this.#call("GET", "/v1/usage", options);
  }

  /** Whose key it is, and on which plan. */
  me(options?: CallOptions): Promise<Profile> {
    return this.#call("GET", "/v1/me", options);
  }

  /** How punctual the whole service was in the last 24 hours. Public: sent without the key. */
  punctuality(options?: CallOptions): Promise<Punctuality> {
    return this.#call("GET", "/v1/status/punctuality", options);
  }

  /**
   * Any call, such as one that a newer service adds. Resolves to the body of the answer, undefined when it has none. A
   * POST or PATCH whose body has no `idempotencyKey` is sent again only after a 429.
   */
  async request<T = unknown>(
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    { query, body }: { query?: object | undefined; body?: unknown } = {},
    options?: CallOptions,
  ): Promise<T> {
    if (!/^\/[^?#]*$/.test(path)) throw invalid("path", 'must be a path such as "/v1/usage"');
    return this.#call(method, path, options, {
      query,
      body: body === undefined ? body : writeJson("body", body),
      isUnsafe: /^P[OA]/.test(method) && !(body as { idempotencyKey?: unknown } | undefined)?.idempotencyKey,
    });
  }
}
