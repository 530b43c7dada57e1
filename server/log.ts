import pino, { type DestinationStream, type Logger } from "pino";
import { describeError } from "#domain/describe-error.ts";

export type { Logger } from "pino";

const BUFFER_BYTES_MAX = 1024 * 1024;

/**
 * The web process's log: JSON lines on standard output unless there is another `destination`, without payloads, header values, keys or query strings. Writing
 * holds nobody up; lines that nobody takes any more are dropped.
 */
export function createLog(level: string, destination: DestinationStream = standardOutput()): Logger {
  return pino(
    { level, base: { part: "web" }, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: describeError } },
    destination,
  );
}

function standardOutput(): DestinationStream {
  const output = pino.destination({ sync: false, maxLength: BUFFER_BYTES_MAX });
  output.on("error", () => {});
  return output;
}
