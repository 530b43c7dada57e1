import { createRequire } from "node:module";
import { argv } from "node:process";
import { build } from "esbuild";
import { processEnv } from "#config.ts";

// Serves the worker of the current folder on PORT, as `wrangler dev` does. The argument is the folder of miniflare.
const { Miniflare } = createRequire(import.meta.url)(argv[2] as string);
const { PORT, STOPWATCH_SECRET, STOPWATCH_SECRET_NEXT } = processEnv();

const { outputFiles } = await build({
  entryPoints: ["worker.ts"],
  bundle: true,
  format: "esm",
  target: "es2022",
  external: ["cloudflare:workers"],
  write: false,
});
const worker = new Miniflare({
  modules: true,
  script: outputFiles[0]?.text,
  host: "127.0.0.1",
  port: Number(PORT),
  compatibilityDate: "2026-01-01",
  durableObjects: { DELIVERIES: { className: "Deliveries", useSQLite: true } },
  bindings: { STOPWATCH_SECRET, STOPWATCH_SECRET_NEXT },
});
await worker.ready;
