import type { DeliveryOutcome } from "#domain/settle-attempt.ts";
import { ATTEMPT_DEADLINE_MS } from "#domain/timing.ts";
import { tooLateText, unansweredText } from "#domain/unanswered-text.ts";
import { ConnectionGone, ListenerFailed, RefusedBytes } from "../delivery/connection.ts";
import { isResourceCode } from "../runtime/resource-codes.ts";
import type { AnswerHead } from "./answer-head.ts";

/** The attempt has run out of time. */
export class DeadlinePassed extends Error {
  readonly code = "STOPWATCH_DEADLINE";
}

type Problem = NonNullable<AnswerHead["problem"]>;

const PROBLEM_CODES: Record<Problem, string> = {
  "switched protocols": "STOPWATCH_SWITCHED_PROTOCOLS",
  "no status": "STOPWATCH_NO_STATUS",
  "too long": "UND_ERR_HEADERS_OVERFLOW",
  endless: "STOPWATCH_ENDLESS_ANSWER",
};

/** The answer cannot be followed any further. */
export class AnswerProblem extends Error {
  readonly code: string;

  constructor(problem: Problem) {
    super(problem);
    this.code = PROBLEM_CODES[problem];
  }
}

/**
 * Whether the connection was closed, or this machine was out of files, sockets or memory, before the request was written.
 * Another connection may then carry the attempt; a pool that cannot open one waits for the machine.
 */
export function mayRetryOnAnother(error: Error): boolean {
  const code = codeOf(error);
  return (
    error instanceof ConnectionGone ||
    /^(UND_ERR_SOCKET|UND_ERR_DESTROYED|UND_ERR_CLOSED|ECONNRESET|ECONNABORTED|EPIPE)$/.test(code ?? "") ||
    /^(ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENETRESET|EPERM)$/.test(code ?? "") ||
    isResourceCode(code)
  );
}

/**
 * The outcome of an attempt that got no answer, for which it had `timeoutMs`. Its text never contains an address or a library's
 * own error name.
 */
export function failed(error: Error, timeoutMs = ATTEMPT_DEADLINE_MS): DeliveryOutcome {
  if (error instanceof ListenerFailed || error instanceof RefusedBytes) {
    return { kind: "unreachable", error: error.message };
  }
  const code = codeOf(error);
  if (code === "STOPWATCH_DEADLINE") {
    return { kind: "unreachable", error: tooLateText(timeoutMs) };
  }
  return { kind: "unreachable", error: unansweredText(code) };
}

const codeOf = (error: Error) => (error as { code?: string }).code ?? error.name;
