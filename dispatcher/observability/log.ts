import pino, { type Logger } from "pino";
import { describeError } from "#domain/describe-error.ts";

const FLUSH_EVERY_MS = 250;
const WRITE_BYTES = 4 * 1024;
/** Lines that find no room are dropped: a log that is not read must not stop deliveries or fill the memory. */
const BUFFER_BYTES_MAX = 1024 * 1024;

/**
 * The dispatcher's log: JSON lines, without payloads, header values, secrets or query strings. They are written beside
 * the sending, many at once, to standard output; what is left is written at the exit.
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
