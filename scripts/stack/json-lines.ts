import { formatWithOptions, stripVTControlCharacters } from "node:util";
import { processEnv } from "#config.ts";
import { createLog } from "#server/log.ts";

/**
 * Preloaded into the web process: what Next.js and Node.js write as text becomes lines of the log, so that each line is
 * one JSON object, whatever words of a caller are in it.
 */
const LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"];
const LENGTH_MAX = 2_000;

const { LOG_LEVEL = "" } = processEnv();
// A wrong level is told of when the settings are read.
const log = createLog(LEVELS.includes(LOG_LEVEL) ? LOG_LEVEL : "info");

type Level = "error" | "warn" | "info" | "debug";

function record(level: Level, text: string): void {
  const message = stripVTControlCharacters(text).trim();
  if (message !== "") log[level](message.slice(0, LENGTH_MAX));
}

const said =
  (level: Level) =>
  (...words: unknown[]) =>
    record(level, formatWithOptions({ colors: false }, ...words));
Object.assign(console, {
  ...{ error: said("error"), trace: said("error"), warn: said("warn") },
  ...{ log: said("info"), info: said("info"), debug: said("debug") },
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

// Node.js writes its warnings past the streams.
process.removeAllListeners("warning");
process.on("warning", (warning) => log.warn({ err: warning }, "warning of Node.js"));
