import pino, { type Logger } from "pino";
import { describeError } from "#domain/describe-error.ts";

const FLUSH_EVERY_MS = 250;
const WRITE_BYTES = 4 * 1024;
/** Lines beyond this are dropped: a log that nobody reads must not stop deliveries or fill the memory. */
const BUFFER_BYTES_MAX = 1024 * 1024;

/**
 * The dispatcher's log: JSON lines, without payloads, header values, secrets or query strings. They are buffered and
 * written to standard output asynchronously; the rest is written at exit.
 */
export function createLog(level: string): Logger {
  const destination = pino.destination({
    sync: false,
    minLength: WRITE_BYTES,
    maxLength: BUFFER_BYTES_MAX,
    periodicFlush: FLUSH_EVERY_MS,
  });
  destination.on("error", () => {});
  return pino(
    {
      level,
      base: { part: "dispatcher" },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: describeError },
    },
    destination,
  );
}
