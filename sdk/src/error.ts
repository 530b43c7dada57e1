import { INSTALLATION_URL } from "./installation.ts";

/** A field that the service or this package refused, and why. */
export type ErrorDetail = { path: string; message: string };

/** Why a delivery was refused. */
export type SignatureProblem =
  | "missing_header"
  | "malformed_header"
  | "too_old"
  | "too_new"
  | "no_match"
  | "body_parsed"
  | "body_used"
  | "malformed_secret";

/** Codes of the service's own answers. A newer service may send others: they are passed on as they are. */
export type ServiceErrorCode =
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

/** Codes of mistakes and failures that this package finds itself. */
export type LocalErrorCode =
  | "INVALID_KEY"
  | "INVALID_ARGUMENT"
  | "INVALID_SIGNATURE"
  | "NETWORK"
  | "TIMEOUT"
  | "BAD_RESPONSE";

export type ErrorCode = ServiceErrorCode | LocalErrorCode | (string & {});

export type StopwatchErrorOptions = {
  /** The HTTP status of the answer, where there was one. */
  status?: number | undefined;
  /** The `X-Request-Id` of the answer: name it when you ask for help. */
  requestId?: string | undefined;
  details?: readonly ErrorDetail[] | undefined;
  /** How long to wait before another try, in milliseconds, where the service says so. */
  retryAfterMs?: number | undefined;
  /** How many tries were made. */
  attempts?: number | undefined;
  /** Of INVALID_SIGNATURE. */
  reason?: SignatureProblem | undefined;
  /** The page that says what to do. */
  doc_url?: string | undefined;
  cause?: unknown;
};

/** The one class of error that this package throws. It never holds a key, a payload or a header's value. */
export class StopwatchError extends Error {
  declare readonly code: ErrorCode;
  declare readonly status: number | undefined;
  declare readonly requestId: string | undefined;
  declare readonly details: readonly ErrorDetail[];
  declare readonly retryAfterMs: number | undefined;
  declare readonly attempts: number;
  declare readonly reason: SignatureProblem | undefined;
  /** The page that says what to do. */
  declare readonly doc_url: string;
  override readonly name = "StopwatchError";

  constructor(code: ErrorCode, message: string, options: StopwatchErrorOptions = {}) {
    super(message, options);
    Object.assign(this, { code, details: [], attempts: 0, doc_url: `${INSTALLATION_URL ?? ""}/docs/sdk` }, options);
  }

  /** Whether a value is an error of this package (of any copy of it), and of this code where one is given. */
  static is(error: unknown, code?: ErrorCode): error is StopwatchError {
    const known = error as Partial<StopwatchError> | null | undefined;
    return known?.name === "StopwatchError" && (code ?? known.code) === known.code;
  }
}
