import type { Endpoint } from "#contract/endpoint.ts";
import { type HEADERS, headerRefs } from "#contract/headers.ts";
import { ERROR_STATUS, type ErrorCode, errorPage } from "#domain/errors.ts";

/** `components.responses`: the response of each error code, by code, of the installation at `baseUrl`. */
export function errorComponents(baseUrl: string) {
  return Object.fromEntries(
    CODES.map((code) => {
      const { when, message, headers = [] } = ERRORS[code];
      const details = code === "VALIDATION" ? { details: [{ path: "fireAt", message: "must be in the future" }] } : {};
      return [
        code,
        {
          description: when,
          headers: headerRefs(["X-Request-Id", "RateLimit-Policy", "RateLimit", ...headers]),
          content: {
            "application/json": {
              schema: { allOf: [{ $ref: "#/components/schemas/Error" }, ofCode(code)] },
              example: { error: { code, message, doc_url: errorPage(baseUrl, code), ...details } },
            },
          },
        },
      ];
    }),
  );
}

function ofCode(code: ErrorCode) {
  const description = "Which error it is.";
  return {
    type: "object",
    externalDocs: { description: "What to do.", url: errorPage("", code) },
    properties: {
      error: {
        type: "object",
        description,
        properties: { code: { const: code, description } },
        additionalProperties: true,
      },
    },
  };
}

/** The error responses of one endpoint: status → reference. */
export function errorResponses(endpoint: Endpoint) {
  const codes = CODES.filter((code) => mayRespond(endpoint, code));
  const answers: [number, ErrorCode][] = codes.map((code) => [ERROR_STATUS[code], code]);
  // 408: the body is sent too slowly.
  if (endpoint.method !== "GET") answers.push([408, "VALIDATION"]);
  return Object.fromEntries(answers.map(([status, code]) => [status, { $ref: `#/components/responses/${code}` }]));
}

const CODES = Object.keys(ERROR_STATUS) as ErrorCode[];

/** Whether an endpoint can respond with an error code: those in `errors`, and those that follow from its definition. */
function mayRespond({ auth, method, body, errors = [], responses }: Endpoint, code: ErrorCode): boolean {
  if (ERROR_STATUS[code] in responses) return false;
  switch (code) {
    case "VALIDATION":
    case "INTERNAL":
    case "METHOD_NOT_ALLOWED":
      return true;
    case "UNAUTHORIZED":
    case "RATE_LIMITED":
    case "UNAVAILABLE":
      return auth !== "none" || errors.includes(code);
    case "FORBIDDEN":
      return auth === "session" || auth === "testKey" || (auth === "any" && method !== "GET") || errors.includes(code);
    case "PAYLOAD_TOO_LARGE":
      return body !== undefined || errors.includes(code);
    case "UNSUPPORTED_MEDIA_TYPE":
      return method !== "GET";
    case "NOT_FOUND":
    case "CONFLICT":
    case "QUOTA_EXCEEDED":
      return errors.includes(code);
  }
}

const ERRORS: Record<ErrorCode, { when: string; message: string; headers?: (keyof typeof HEADERS)[] }> = {
  VALIDATION: {
    when: "The body, query or target is invalid; `details` name each path.",
    message: "fireAt must be in the future",
  },
  UNAUTHORIZED: {
    when: "The credential is missing, malformed, unknown, revoked or expired, or its account is deactivated.",
    message: "A valid API key (Authorization: Bearer <API_KEY>) or a session is required.",
    headers: ["WWW-Authenticate"],
  },
  QUOTA_EXCEEDED: {
    when: "The monthly quota and its grace are used up.",
    message: "The quota of this month, 2000 schedules and a tenth more, is used up.",
  },
  FORBIDDEN: {
    when: "The credential is not sufficient: an API key where a session is required, a session cookie sent from another site, or a session that was started more than a day ago where that is too long.",
    message: "This endpoint requires a signed-in session; an API key is not sufficient.",
  },
  NOT_FOUND: {
    when: "Nothing with this id exists in this account and environment.",
    message: "There is no such schedule.",
  },
  METHOD_NOT_ALLOWED: {
    when: "The path does not support this method.",
    message: "This path supports GET, HEAD, OPTIONS.",
    headers: ["Allow"],
  },
  CONFLICT: {
    when: "The resource's state does not allow it; the message names the state. For a schedule that is `firing`, `Retry-After` says when its attempt has ended at the latest.",
    message: "A schedule that is succeeded cannot be cancelled.",
    headers: ["Retry-After"],
  },
  PAYLOAD_TOO_LARGE: {
    when: "The payload exceeds the plan's limit, or the body exceeds the endpoint's limit.",
    message: "The body must be at most 2097152 bytes.",
  },
  UNSUPPORTED_MEDIA_TYPE: {
    when: "The body is not `application/json` in UTF-8.",
    message: "The body must be sent as Content-Type: application/json, in UTF-8.",
  },
  RATE_LIMITED: {
    when: "Too many requests within a minute; `Retry-After` says when to retry.",
    message: "This account is limited to 600 requests per minute. Try again in 12 s.",
    headers: ["Retry-After"],
  },
  INTERNAL: {
    when: "Something went wrong here; it was logged under the id in `X-Request-Id`.",
    message: "Something went wrong here. It was logged under the id in X-Request-Id.",
  },
  UNAVAILABLE: {
    when: "A required component is unavailable or not configured. The request may have been stored: to retry safely, send it again with the same `idempotencyKey`.",
    message: "The database is not available.",
    headers: ["Retry-After"],
  },
};
