import { writeSync } from "node:fs";
import { ConfigError, readConfig, refuseTlsOverride } from "#config.ts";
import { noticesOf } from "#db/check-server.ts";
import { DatabaseUnavailable } from "#db/client.ts";
import { InstallationError } from "#db/installation-error.ts";
import { installHttpGuard } from "./edge/http-guard.ts";
import { recordSocketAddresses } from "./http/socket-address.ts";
import { type Services, startServices } from "./services.ts";

const RETRY_MS = 1_000;

/**
 * Starts the web process: reads the settings and checks schema version and key ring against the database. Exits with code
 * 1 and a message when an operator has to fix something. If the database is unavailable, checks again every second in the
 * background; until then requests get 503.
 */
export async function start(): Promise<void> {
  installHttpGuard();
  recordSocketAddresses();
  const services = startOrExit();
  const { config, log } = services;
  if (refuseTlsOverride()) log.warn("NODE_TLS_REJECT_UNAUTHORIZED is ignored: certificates are verified");
  const ignored = config.ignoredDatabaseParameters;
  if (ignored.length > 0) log.info({ ignored }, "parameters of the database's address that have no effect here");
  for (const { name, meant } of config.misspelt) log.warn({ name, meant }, "this is no setting; is another one meant?");
  if (config.deliveryAllow) log.warn({ allow: config.deliveryAllow }, "DELIVERY_ALLOW permits these targets");
  const away = await checkOrExit(services);
  if (away) void waitForDatabase(services, away);
}

async function waitForDatabase(services: Services, first: DatabaseUnavailable): Promise<void> {
  const { log } = services;
  let said: string | undefined;
  for (let away: DatabaseUnavailable | null = first; away !== null; away = await checkOrExit(services)) {
    const { fault, reason } = away;
    if (reason !== said)
      log.warn({ fault, reason }, "the database is unavailable: responding with 503 until it is back");
    said = reason;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  log.info("the database is available again");
}

/** Returns null when it was checked, and otherwise why it could not be. */
async function checkOrExit(services: Services): Promise<DatabaseUnavailable | null> {
  try {
    const { server } = await services.installation();
    for (const notice of noticesOf(server)) services.log.warn(notice);
    return null;
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return error;
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
  // Directly to the file descriptor: the operator needs plain text, and the streams write JSON lines.
  writeSync(process.stderr.fd, `Stopwatch cannot start:\n${isExpected ? error.message : (error as Error).stack}\n`);
  process.exit(1);
}
