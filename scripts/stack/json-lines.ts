import { formatWithOptions, stripVTControlCharacters } from "node:util";
import { processEnv } from "#config.ts";
import { createLog } from "#server/log.ts";

/**
 * Preloaded into the web process. Text that Next.js and Node.js write becomes lines of the log. So each line is one
 * JSON object, even if it repeats words of a caller.
 */
const LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"];
const LENGTH_MAX = 2_000;

const { LOG_LEVEL = "" } = processEnv();
// A wrong level is reported when the settings are read.
const log = createLog(LEVELS.includes(LOG_LEVEL) ? LOG_LEVEL : "info");

type Level = "error" | "warn" | "info" | "debug";

function record(level: Level, text: string): void {
  const message = stripVTControlCharacters(text).trim();
  if (message !== "") log[level](message.slice(0, LENGTH_MAX));
}

const logAs =
  (level: Level) =>
  (...words: unknown[]) =>
    record(level, formatWithOptions({ colors: false }, ...words));
Object.assign(console, {
  error: logAs("error"),
  trace: logAs("error"),
  warn: logAs("warn"),
  log: logAs("info"),
  info: logAs("info"),
  debug: logAs("debug"),
});

function takeOver(stream: NodeJS.WriteStream, level: Level): void {
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    record(level, typeof chunk === "string" ? chunk : Buffer.from(chunk).toString());
    const written = rest.at(-1);
    if (typeof written === "function") process.nextTick(written);
    return true;
  };
}
takeOver(process.stdout, "info");
takeOver(process.stderr, "warn");

// Node.js writes its warnings without these streams.
process.removeAllListeners("warning");
process.on("warning", (warning) => log.warn({ err: warning }, "warning of Node.js"));
