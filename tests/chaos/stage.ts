import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import { type Config, readConfig } from "#config.ts";
import { migrate } from "#db/migrate.ts";
import { generateEncryptionKey } from "#domain/cipher.ts";
import { createTestAccount } from "../helpers/accounts.ts";
import { createClient } from "./client.ts";
import { startCluster } from "./cluster.ts";
import { createFleet } from "./fleet.ts";
import { createInjector } from "./inject.ts";
import { ACCOUNTS, type PlanOptions } from "./plan.ts";
import { type DatabaseProxy, startProxy } from "./proxy.ts";
import { createRandom } from "./random.ts";
import { startReceiverProcess } from "./receiver-process.ts";
import { keepClaimLog } from "./snapshot.ts";

export const RETRY_POLICY = { retryAttempts: 2, retryBackoffMs: 1_000 };

export type Stage = Awaited<ReturnType<typeof setStage>>;

/**
 * Starts everything a run needs, with its files in `folder`: receiver, PostgreSQL, a proxy and a dispatcher per slot, the
 * client, and what injects faults. Whatever is started adds to `cleanUps` how it ends, which are to be called in
 * reverse order, also when this rejects.
 */
export async function setStage(options: PlanOptions, folder: string, logDir: string, cleanUps: (() => unknown)[]) {
  const receiver = await startReceiverProcess();
  cleanUps.push(receiver.stop);
  const caFile = join(folder, "receiver-ca.pem");
  await writeFile(caFile, receiver.ca);

  // One per dispatcher, and the last, which is never cut off, for the client: a restart may change the server's port.
  const proxies: DatabaseProxy[] = [];
  const cluster = await startCluster(join(folder, "data"), (port) => {
    for (const proxy of proxies) proxy.aim(port);
  });
  cleanUps.push(cluster.stop);
  for (let n = 0; n <= options.dispatchers; n++) proxies.push(await startProxy(cluster.port()));
  cleanUps.push(() => Promise.all(proxies.map((proxy) => proxy.close())));
  await migrate(cluster.url());
  const through = (proxy: DatabaseProxy) => {
    const url = new URL(cluster.url());
    url.port = String(proxy.port);
    return url.href;
  };

  const settings = {
    ENCRYPTION_KEYS: `k1:${generateEncryptionKey()}`,
    PLANS: JSON.stringify({ indie: { retryBackoffMs: RETRY_POLICY.retryBackoffMs } }),
    DELIVERY_ALLOW: receiver.ports.map((port) => `localhost:${port}`).join(","),
    DELIVERY_CA_FILE: caFile,
  };
  const config = readConfig({ ...settings, DATABASE_URL: through(proxies.at(-1) as DatabaseProxy) });
  const accounts = await prepareDatabase(config);
  const slots = proxies.slice(0, -1).map((proxy) => ({ proxy, databaseUrl: through(proxy) }));
  const fleet = createFleet({ slots, settings, logDir });
  cleanUps.push(fleet.killAll);
  for (const index of slots.keys()) fleet.start(index);

  const [well, unwell] = receiver.ports.map((port) => `https://localhost:${port}`) as [string, string];
  const client = createClient({ config, accounts, origins: { well, unwell } });
  cleanUps.push(client.close);
  const injector = createInjector({ fleet, cluster, random: createRandom(options.seed + 1) });
  cleanUps.push(injector.stop);
  return { receiver, cluster, fleet, client, injector };
}

/** Accounts with few, fast retries, every fourth of which fires early; and the log of claims. */
async function prepareDatabase({ databaseUrl, keyRing }: Config) {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  await keepClaimLog(sql);
  const accounts: { id: string; earlyFire: boolean }[] = [];
  for (let n = 0; n < ACCOUNTS; n++) {
    const earlyFire = n % 4 === 0;
    const settings = { retry_attempts: RETRY_POLICY.retryAttempts, early_fire: earlyFire };
    accounts.push({ id: (await createTestAccount(sql, keyRing, { settings })).id, earlyFire });
  }
  await sql.end();
  return accounts;
}
