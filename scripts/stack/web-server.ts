import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { parseArgs } from "node:util";
import type { startServer } from "next/dist/server/lib/start-server.js";
import { processEnv } from "#config.ts";
import { STOP_SIGNALS } from "#domain/stop-signals.ts";
import { noteServing } from "./served.ts";

/**
 * The process that serves the built web part. It does what the `server.js` of Next.js' standalone output does, from any
 * folder that has `.next`: the configuration is that of the build, so neither `next.config.ts` nor what builds is loaded.
 */
const { values } = parseArgs({ options: { hostname: { type: "string" }, port: { type: "string" } } });
const { config } = JSON.parse(readFileSync(".next/required-server-files.json", "utf8"));

const env = processEnv();
env.NODE_ENV = "production";
env.NEXT_TELEMETRY_DISABLED = "1";
env.NEXT_PRIVATE_START_TIME = String(Date.now());
env.__NEXT_PRIVATE_STANDALONE_CONFIG = JSON.stringify(config);

// Next.js itself stops in order at SIGTERM and SIGINT alone.
for (const signal of STOP_SIGNALS.filter((name) => name !== "SIGTERM" && name !== "SIGINT")) {
  process.on(signal, () => process.kill(process.pid, "SIGTERM"));
}

await noteServing();

// Not imported: it would be loaded before the lines above.
const require = createRequire(import.meta.url);
require("next");
const next = require("next/dist/server/lib/start-server.js") as { startServer: typeof startServer };
await next.startServer({
  dir: process.cwd(),
  isDev: false,
  hostname: values.hostname,
  port: Number(values.port),
  allowRetry: false,
});
