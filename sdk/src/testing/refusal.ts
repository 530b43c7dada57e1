import type { ErrorDetail, ServiceErrorCode } from "../error.ts";

/** What the service would refuse. `details` belong to VALIDATION alone. */
export class Refusal extends Error {
  readonly code: ServiceErrorCode;
  readonly headers: { readonly [name: string]: string };
  readonly details: readonly ErrorDetail[] | undefined;

  constructor(
    code: ServiceErrorCode,
    message: string,
    headers: { [name: string]: string } = {},
    details?: readonly ErrorDetail[],
  ) {
    super(message);
    this.code = code;
    this.headers = headers;
    this.details = details;
  }
}

/** VALIDATION, with the first 20 details. Its message has the first three. */
export function refuse(details: readonly ErrorDetail[]): Refusal {
  const shown = details.slice(0, 20).map(({ path, message }) => ({ path: printable(path), message }));
  const texts = shown.slice(0, 3).map(({ path, message }) => `${path} ${message}`.trim());
  return new Refusal("VALIDATION", texts.join("; ") + (details.length > 3 ? "; and more" : ""), {}, shown);
}

/** VALIDATION about one field. */
export function refuseField(path: string, message: string): Refusal {
  return refuse([{ path, message }]);
}

/** Whether a text has no half of a surrogate pair. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

export const STATUSES: { readonly [Code in ServiceErrorCode]: number } = {
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
};

// A path has names that the caller sent.
function printable(path: string): string {
  return path.slice(0, 300).replace(/\p{Surrogate}/gu, "\uFFFD");
}
