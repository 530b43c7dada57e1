import { DatabaseUnavailable } from "#db/client.ts";
import type { DatabaseFault } from "#domain/database-fault.ts";
import { type Finding, failure, slow } from "./check.ts";
import { CALL_MS_MAX } from "./context.ts";

/** What an operator can do where the fault's own description says nothing. */
const TODO: Partial<Record<DatabaseFault, string>> = {
  unreachable: "Start the server, or correct host and port in the address, and what is between it and this machine.",
  conflict: "Look at what locks rows for long.",
};

/** The finding of a check that threw `error`. `clear` takes secrets out of the texts of the driver. */
export function describeFailure(error: unknown, clear: (text: string) => string): Finding {
  if (error instanceof DatabaseUnavailable && error.fault === "timeout") return slow(CALL_MS_MAX);
  if (error instanceof DatabaseUnavailable) {
    const reason = messageOf(error.cause);
    const text = reason ? `${withoutStop(error.publicMessage)} (${clear(reason)})` : error.publicMessage;
    return failure(text, TODO[error.fault]);
  }
  const { name, code } = error as { name?: string; code?: string };
  const text = clear(messageOf(error) ?? String(error));
  if (name === "InstallationError" || name === "SetupError") return failure(text);
  return failure(code ? `${text} (${code})` : text, "Unexpected: see the documentation, or report it.");
}

/** Why `fetch` got no answer. */
export function whyNoAnswer(error: unknown): string {
  return messageOf((error as Error).cause) ?? messageOf(error) ?? "no answer";
}

/** Errors of several addresses of one host have no message of their own. */
function messageOf(error: unknown): string | undefined {
  if (error instanceof AggregateError && error.message === "") return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : undefined;
}

const withoutStop = (text: string) => text.replace(/\.$/, "");
