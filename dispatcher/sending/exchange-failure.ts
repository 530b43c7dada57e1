import type { DeliveryOutcome } from "#domain/settle-attempt.ts";
import { ATTEMPT_DEADLINE_MS } from "#domain/timing.ts";
import { ConnectionGone } from "../delivery/connection.ts";

/** The attempt has run out of time. */
export class DeadlinePassed extends Error {
  readonly code = "STOPWATCH_DEADLINE";
}

/** Errors of a connection that was gone before the request: another connection may carry the same attempt. */
export function mayRetryOnAnother(error: Error): boolean {
  const code = codeOf(error);
  return (
    error instanceof ConnectionGone ||
    /^(UND_ERR_SOCKET|UND_ERR_DESTROYED|UND_ERR_CLOSED|ECONNRESET|EPIPE)$/.test(code ?? "")
  );
}

/**
 * What is stored of an attempt without an answer: a phrase, and the code where it is the system's; never an address, or
 * what a library calls it.
 */
export function failed(error: Error): DeliveryOutcome {
  const code = codeOf(error);
  if (code === "STOPWATCH_DEADLINE") {
    return { kind: "unreachable", error: `no answer within ${ATTEMPT_DEADLINE_MS / 1000} s` };
  }
  const phrase = PHRASES.find(([pattern]) => pattern.test(code))?.[1] ?? "the request failed";
  return { kind: "unreachable", error: SYSTEM_CODE.test(code) ? `${phrase} (${code})` : phrase };
}

/** Such as ECONNRESET. */
const SYSTEM_CODE = /^E[A-Z0-9]+$/;

const PHRASES: [RegExp, string][] = [
  [/^UND_ERR_SOCKET$/, "the connection was closed without an answer"],
  [/^(ECONNRESET|EPIPE)$/, "the connection was reset"],
  [/^UND_ERR_HEADERS_OVERFLOW$/, "the answer's headers are too long"],
  [/^(HPE_|HTTPParserError$)/, "the answer is not HTTP"],
  [/^UND_ERR_INVALID_ARG$/, "the stored request cannot be sent"],
];

/** Bytes of an answer that hold its status code: "HTTP/1.1 200 ". */
export const STATUS_LINE_BYTES = 13;

/** Whether an answer broke off or contradicts itself: its status line, which undici tells of too late, still counts. */
export const brokeOff = (error: Error): boolean =>
  /^(HPE_|HTTPParserError$|UND_ERR_SOCKET$|UND_ERR_RES_CONTENT_LENGTH_MISMATCH$|ECONNRESET$|EPIPE$)/.test(
    codeOf(error),
  );

/** The status code at the start of an answer; 0 when there is none, or an informational one. */
export const statusOf = (start: string): number => Number(/^HTTP\/1\.[01] ([2-9]\d\d)[ \r\n]/.exec(start)?.[1] ?? 0);

const codeOf = (error: Error) => (error as { code?: string }).code ?? error.name;
