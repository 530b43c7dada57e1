import { NamedError } from "./named-error.ts";

export type ErrorCode =
  | "VALIDATION"
  | "UNAUTHORIZED"
  | "QUOTA_EXCEEDED"
  | "FORBIDDEN"
  | "NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "CONFLICT"
  | "PAYLOAD_TOO_LARGE"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "RATE_LIMITED"
  | "INTERNAL"
  | "UNAVAILABLE";

export type ErrorDetail = { path: string; message: string };

/** The HTTP status of each error code. */
export const ERROR_STATUS = {
  VALIDATION: 400,
  UNAUTHORIZED: 401,
  QUOTA_EXCEEDED: 402,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const satisfies Record<ErrorCode, number>;

/** The page of an installation that says what to do about an error. */
export const errorPage = (baseUrl: string, code: ErrorCode): string => `${baseUrl}/docs/errors#${code.toLowerCase()}`;

export type AppErrorOptions = {
  cause?: unknown;
  details?: ErrorDetail[];
  headers?: Record<string, string>;
  /** Values of `Set-Cookie`. */
  cookies?: readonly string[];
  /** Overrides the code's HTTP status where a more specific one exists. */
  status?: number;
};

/**
 * An error that is reported to the caller: `code`, `message` and `details` (VALIDATION) in the body, `headers` (such as
 * `Allow`, `Retry-After`) and `cookies` in the response. `cause` is only logged.
 */
export class AppError extends NamedError {
  readonly code: ErrorCode;
  readonly details: ErrorDetail[] | undefined;
  readonly headers: Record<string, string> | undefined;
  readonly cookies: readonly string[];
  readonly status: number;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    const { cause, details, headers, cookies = [], status } = options;
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.details = details;
    this.headers = headers;
    this.cookies = cookies;
    this.status = status ?? ERROR_STATUS[code];
  }

  get publicMessage(): string {
    return this.message;
  }
}

/** UNAUTHORIZED, with the challenge that a 401 has to have (RFC 9110, 15.5.2). The default message fits every invalid credential. */
export class Unauthorized extends AppError {
  constructor(
    message = "A valid API key (Authorization: Bearer <API_KEY>) or a session is required.",
    options: Pick<AppErrorOptions, "cookies"> = {},
  ) {
    super("UNAUTHORIZED", message, { ...options, headers: { "WWW-Authenticate": "Bearer" } });
  }
}

/** FORBIDDEN: the session may do this only within a day of its sign-in. */
export class SignInTooOld extends AppError {
  constructor() {
    super("FORBIDDEN", "You signed in more than a day ago. For this, sign in again and repeat the request.");
  }
}

/** RATE_LIMITED: the limit for 24 hours is reached. `waitS` is the number of seconds until the next call is allowed. */
export class DailyLimitReached extends AppError {
  constructor(message: string, waitS: number) {
    super("RATE_LIMITED", `${message} Try again in ${inWords(waitS)}.`, { headers: { "Retry-After": String(waitS) } });
  }
}

function inWords(waitS: number): string {
  return waitS > 7_200 ? `${Math.ceil(waitS / 3_600)} hours` : `${Math.ceil(waitS / 60)} min`;
}
