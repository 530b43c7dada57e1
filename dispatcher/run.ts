import { ConfigError, readConfig, refuseTlsOverride } from "#config.ts";
import { InstallationError } from "#db/installation-error.ts";
import { describeListenProblem } from "#domain/listen-problem.ts";
import { STOP_SIGNALS } from "#domain/stop-signals.ts";
import manifest from "#package.json" with { type: "json" };
import { type Dispatcher, startDispatcher } from "./dispatcher.ts";
import { serveHealth } from "./observability/health.ts";
import { createLog } from "./observability/log.ts";
import { Metrics } from "./observability/metrics.ts";
import { untilReady } from "./ready.ts";

/**
 * The dispatcher process: `npm run dispatcher`. Stops in order at each of `STOP_SIGNALS`, and when the process that started it is
 * gone.
 */
async function main() {
  const config = readConfig();
  const log = createLog(config.logLevel);
  if (refuseTlsOverride()) log.warn("NODE_TLS_REJECT_UNAUTHORIZED is ignored: certificates are verified");
  const ignored = config.ignoredDatabaseParameters;
  if (ignored.length > 0) log.info({ ignored }, "parameters of the database's address that have no effect here");
  for (const { name, meant } of config.misspelt) log.warn({ name, meant }, "this is no setting; is another one meant?");
  const metrics = new Metrics();
  // A closed log pipe must not stop deliveries.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});

  let dispatcher: Dispatcher | undefined;
  let starting = "The dispatcher starts: it waits for its database.";
  let stopping = false;
  const stop = async (reason: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ reason }, "stopping");
    await dispatcher?.stop();
    log.info("stopped");
    process.exit(0);
  };
  for (const signal of STOP_SIGNALS) process.on(signal, () => stop(signal));
  process.on("disconnect", () => stop("the parent process ended"));
  // Only the process that started this one can send messages. The chaos run asks for an audit.
  process.on("message", async (message) => {
    if (message === "audit") process.send?.({ drift: (await dispatcher?.auditDeliveries()) ?? [] });
  });

  if (config.deliveryAllow)
    log.warn({ allow: config.deliveryAllow }, "DELIVERY_ALLOW permits these targets, whatever the address rules");
  await serveHealth({
    host: config.host,
    port: config.dispatcherPort,
    figures: () => dispatcher?.figures() ?? {},
    held: () => dispatcher?.held() ?? null,
    ready: async () => dispatcher?.ready() ?? { status: "unavailable", reason: starting },
    metricsToken: config.metricsToken,
    metrics,
    log,
  }).catch((error: NodeJS.ErrnoException) => {
    const where = { setting: "DISPATCHER_PORT", host: config.host, port: config.dispatcherPort };
    throw new InstallationError(describeListenProblem(where, error.code), { cause: error });
  });
  const session = await untilReady(config, log, (reason) => {
    starting = `The dispatcher starts, and waits for its database. ${reason}`;
  });
  dispatcher = await startDispatcher(config, { log, metrics, version: manifest.version, session });
  if (stopping) return dispatcher.stop().then(() => process.exit(0));
  if (dispatcher.held() === null) log.info({ id: dispatcher.id, ...dispatcher.figures() }, "delivering");
}

main().catch((error) => {
  const isExpected = error instanceof ConfigError || error instanceof InstallationError;
  process.stderr.write(`Stopwatch cannot start:\n${isExpected ? error.message : error.stack}\n`);
  process.exit(1);
});
