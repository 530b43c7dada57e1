/** A short text for how an attempt ended, for the table in a notice. Never contains the target's response body. */
export function attemptAnswer(attempt: { outcome: string; statusCode: number | null; errorText: string }): string {
  const { outcome, statusCode, errorText } = attempt;
  switch (outcome) {
    case "delivered":
    case "rejected":
      return `${statusCode} ${REASONS[statusCode ?? 0] ?? ""}`.trim();
    // For these outcomes the error text is written by the dispatcher, not by the target.
    case "unreachable":
    case "blocked":
      return errorText.slice(0, TEXT_MAX) || outcome;
    default:
      return "interrupted, outcome unknown";
  }
}

const TEXT_MAX = 80;

/** Reason phrases of common status codes. */
const REASONS: Record<number, string> = {
  301: "Moved Permanently",
  302: "Found",
  307: "Temporary Redirect",
  308: "Permanent Redirect",
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  410: "Gone",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};
