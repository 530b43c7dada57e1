import pino, { type DestinationStream, type Logger } from "pino";
import { describeError } from "#domain/describe-error.ts";

export type { Logger } from "pino";

const BUFFER_BYTES_MAX = 1024 * 1024;

/**
 * The log of the web process: JSON lines to `destination`, standard output by default. Never contains payloads, header
 * values, keys or query strings. Writing does not block; when the reader is too slow or gone, lines are dropped.
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
