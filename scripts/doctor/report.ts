import type { Result } from "./run-checks.ts";

/** One line for a result: its status, the name of the check, what was found, and what to do. */
export function lineOf({ status, name, found, todo }: Result): string {
  const text = [found, ...(todo ? [todo] : [])].map(asSentence).join(" ");
  return `${status.padEnd(8)} ${name.padEnd(14)} ${text}`;
}

/** The status of all results together: the worst of them. */
export function overall(results: readonly Result[]): "ok" | "warning" | "failure" {
  const has = (status: Result["status"]) => results.some((result) => result.status === status);
  if (has("failure")) return "failure";
  return has("warning") ? "warning" : "ok";
}

export function summaryOf(results: readonly Result[]): string {
  const counted = (["ok", "warning", "failure", "skipped"] as const).map(
    (status) => `${results.filter((result) => result.status === status).length} ${status}`,
  );
  return `${results.length} checks: ${counted.join(", ")}.`;
}

/** On one line, which ends with a full stop. */
function asSentence(text: string): string {
  const line = text.replace(/\s*\n\s*/g, "; ").trim();
  return /[.!?]$/.test(line) ? line : `${line}.`;
}
