import { writeSync } from "node:fs";
import { ConfigError, readConfig, refuseTlsOverride } from "#config.ts";
import { DatabaseUnavailable } from "#db/client.ts";
import { InstallationError } from "#db/queries/fleet/instance-secrets.ts";
import { tendBilling } from "./billing/upkeep.ts";
import { installHttpGuard } from "./edge/http-guard.ts";
import { noteSocketAddresses } from "./edge/socket-address.ts";
import { type Services, startServices } from "./services.ts";

const RETRY_MS = 1_000;

/**
 * Starts the web process: reads the settings and checks that schema and key ring fit the database. Ends the process
 * with code 1 and a message when something has to be mended by a person. A database that is away is waited for in the
 * background; until then requests are answered 503, and each part of the process checks for itself before it serves.
 */
export async function start(): Promise<void> {
  installHttpGuard();
  noteSocketAddresses();
  const services = startOrExit();
  const { config, log } = services;
  if (refuseTlsOverride()) log.warn("NODE_TLS_REJECT_UNAUTHORIZED is ignored: certificates are verified");
  if (config.deliveryAllow) log.warn({ allow: config.deliveryAllow }, "DELIVERY_ALLOW lets these targets pass");
  if (config.stripe) tendBilling(config, log);
  if ((await checkOrExit(services)) === "checked") return services.close();
  log.warn("the database is away: answering 503 until it is back");
  void waitForDatabase(services);
}

async function waitForDatabase(services: Services): Promise<void> {
  do await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  while ((await checkOrExit(services)) === "away");
  services.log.info("the database is back");
  await services.close();
}

async function checkOrExit(services: Services): Promise<"checked" | "away"> {
  try {
    await services.installation();
    return "checked";
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return "away";
    return refuse(error);
  }
}

function startOrExit(): Services {
  try {
    return startServices(readConfig());
  } catch (error) {
    return refuse(error);
  }
}

function refuse(error: unknown): never {
  const isExpected = error instanceof ConfigError || error instanceof InstallationError;
  // Past the streams, which write JSON lines: these are words for whoever started it.
  writeSync(process.stderr.fd, `Stopwatch cannot start:\n${isExpected ? error.message : (error as Error).stack}\n`);
  process.exit(1);
}
