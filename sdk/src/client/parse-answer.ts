import { StopwatchError } from "../error.ts";
import type { Trace } from "./call.ts";

type Head = { status: number; headers: { get(name: string): string | null } };

/** The body of a success, undefined when it has none (204), or the error that any other answer stands for. */
export async function parseAnswer(
  head: Head,
  text: string,
  baseUrl: string,
  attempts: number,
  trace: Trace,
): Promise<object | undefined | StopwatchError> {
  const { status, headers } = head;
  const dateMs = Date.parse(headers.get("date") as string);
  const serverMs = dateMs || Date.now();
  trace.serverMs = serverMs;
  if (status === 204) return undefined;
  let body: object | null | undefined;
  try {
    body = JSON.parse(text);
  } catch {
    // Not JSON.
  }
  if (/^2/.test(`${status}`) && body && typeof body === "object") return body;
  const { explainAnswer } = await import("../on-demand.ts");
  return new StopwatchError(...explainAnswer(head, body, baseUrl, attempts, dateMs, serverMs));
}
