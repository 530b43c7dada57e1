import type { CallToolResult } from "@modelcontextprotocol/server";
import { StopwatchError } from "../../../sdk/src/index.ts";

/**
 * What a tool answers when its call failed: the code and the message, the fields, what to do about it, and the id of the
 * request. `idempotencyKey`: the key of a call that may have been carried out.
 */
export function toolError(error: unknown, idempotencyKey?: string): CallToolResult {
  if (!StopwatchError.is(error)) throw error;
  const { code, message, details, requestId, retryAfterMs } = error;
  const isUncertain = idempotencyKey !== undefined && UNCERTAIN.has(code);
  const text = [
    `${code}: ${message}`,
    ...details
      .filter((detail) => !message.includes(detail.message))
      .map((detail) => `${detail.path}: ${detail.message}`),
    ADVICE.get(code),
    retryAfterMs !== undefined && `Wait ${Math.ceil(retryAfterMs / 1_000)} s before you call again.`,
    isUncertain &&
      `It may have been carried out. Call again with idempotencyKey "${idempotencyKey}": then it is done once.`,
    requestId && `Request id: ${requestId}`,
  ];
  return { isError: true, content: [{ type: "text", text: text.filter(Boolean).join("\n") }] };
}

/** After these nobody knows whether a call was carried out. */
const UNCERTAIN: ReadonlySet<string> = new Set(["NETWORK", "TIMEOUT", "BAD_RESPONSE", "UNAVAILABLE", "INTERNAL"]);

const UNREACHABLE =
  "Tell the user that the installation cannot be reached at this address; calling again at once seldom helps.";
const NO_KEY = "Do not call again: the user must give this server another key.";

const ADVICE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    VALIDATION: "Nothing was stored. Correct the named fields and call again; search_docs explains them.",
    INVALID_ARGUMENT: "Nothing was sent. Correct the named argument and call again.",
    UNAUTHORIZED: NO_KEY,
    INVALID_KEY: NO_KEY,
    FORBIDDEN: "Do not call again: this key may not do that.",
    NOT_FOUND: "There is no such schedule in the environment of this key. list_schedules finds ids.",
    CONFLICT: "The state of the schedule does not allow this. Read it with get_schedule.",
    QUOTA_EXCEEDED: "Do not call again: the quota of this month is used up. get_usage shows it. Tell the user.",
    PAYLOAD_TOO_LARGE: "Nothing was stored. Send less; get_usage shows the limit.",
    RATE_LIMITED: "Too many calls of this account.",
    UNAVAILABLE: "The service is busy or its database is away.",
    INTERNAL: "This is a fault of the service. Tell the user the request id.",
    NETWORK: UNREACHABLE,
    TIMEOUT: UNREACHABLE,
    BAD_RESPONSE: UNREACHABLE,
  }),
);
