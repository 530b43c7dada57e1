import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import { readConfig } from "#config.ts";
import { migrate } from "#db/migrate.ts";
import { generateEncryptionKey } from "#domain/cipher.ts";
import { createAuthority } from "#scripts/lab/certificates.ts";
import { preciseNow } from "#scripts/lab/clock.ts";
import { type DatabaseProxy, startProxy } from "#scripts/lab/proxy.ts";
import { startDnsServer } from "../helpers/dns-server.ts";
import { startHostilePeers } from "../helpers/hostile-peers/start.ts";
import { createRandom } from "../helpers/random.ts";
import { prepareDatabase, RETRY_POLICY } from "./accounts.ts";
import { createAttackers } from "./attackers.ts";
import { createClient } from "./client.ts";
import { startCluster } from "./cluster.ts";
import type { ConnectionBounds } from "./evidence.ts";
import { createFleet } from "./fleet.ts";
import { createInjector } from "./inject.ts";
import { allowedOrigins, HOSTILE_KINDS, type HostileKind } from "./origins.ts";
import type { RunOptions } from "./plan.ts";
import { watchProcessSockets } from "./process-sockets.ts";
import { startReceiverProcess } from "./receiver-process.ts";
import { createRecurrenceOwner } from "./recurrences.ts";
import { insertRules, minuteOfRules } from "./rules-at-one-minute.ts";

/** One origin may have a quarter of a dispatcher's connections (`dispatcher/connections/limits.ts`). */
export const BOUNDS: ConnectionBounds = { perAccountAndOrigin: 48, perAccount: 80, perOrigin: 100, total: 400 };

const NO_SUCH_NAME = 3;

export type Harness = Awaited<ReturnType<typeof startHarness>>;

/**
 * Starts everything that a run needs, with its files in `folder`: the receiver, PostgreSQL, a proxy and a dispatcher
 * per slot, the client, and what injects faults. Everything that is started adds its end to `cleanUps`, also when this
 * function rejects. Call them in reverse order.
 */
export async function startHarness(options: RunOptions, folder: string, logDir: string, cleanUps: (() => unknown)[]) {
  const receiver = await startReceiverProcess();
  cleanUps.push(receiver.stop);
  const caFile = join(folder, "receiver-ca.pem");
  const authority = await createAuthority();
  await writeFile(caFile, `${receiver.ca}\n${authority.ca}`);
  const peers = await startHostilePeers(await authority.issue({}), HOSTILE_KINDS);
  cleanUps.push(peers.close);
  const ports = { ...receiver.ports, ...(peers.ports as Record<HostileKind, number>) };

  // One proxy per dispatcher, one for the crash loop, and a last one for the client, which is never cut off. The client
  // has one because a restart may change the server's port.
  const proxies: DatabaseProxy[] = [];
  const cluster = await startCluster(join(folder, "data"), (port) => {
    for (const proxy of proxies) proxy.aim(port);
  });
  cleanUps.push(cluster.stop);
  for (let n = 0; n <= options.dispatchers + 1; n++) proxies.push(await startProxy(cluster.port()));
  cleanUps.push(() => Promise.all(proxies.map((proxy) => proxy.close())));
  await migrate(cluster.url());
  const through = (proxy: DatabaseProxy) => {
    const url = new URL(cluster.url());
    url.port = String(proxy.port);
    return url.href;
  };

  const names = await startSilentNameServer();
  cleanUps.push(names.close);
  const settings = {
    ENCRYPTION_KEYS: `k1:${generateEncryptionKey()}`,
    PLANS: JSON.stringify({ indie: { retryBackoffMs: RETRY_POLICY.retryBackoffMs } }),
    DELIVERY_ALLOW: allowedOrigins(ports),
    DELIVERY_CA_FILE: caFile,
    DELIVERY_CONNECTIONS_PER_ORIGIN: String(BOUNDS.perAccountAndOrigin),
    DELIVERY_CONNECTIONS_PER_ACCOUNT: String(BOUNDS.perAccount),
    DELIVERY_CONNECTIONS_MAX: String(BOUNDS.total),
    LOOPBACK_NAME_SERVER: names.address,
  };
  const config = readConfig({ ...settings, DATABASE_URL: through(proxies.at(-1) as DatabaseProxy) });
  const accounts = await prepareDatabase(config, options);
  const slots = proxies.slice(0, -1).map((proxy) => ({ proxy, databaseUrl: through(proxy) }));
  const fleet = createFleet({ slots, settings, logDir });
  cleanUps.push(fleet.killAll);
  for (let slot = 0; slot < options.dispatchers; slot++) fleet.start(slot);
  const sockets = watchProcessSockets({ ports: receiver.ports, pids: fleet.pids });
  cleanUps.push(sockets.stop);

  const client = createClient({ config, accounts: accounts.ordinary, ports });
  cleanUps.push(client.close);
  const owner = createRecurrenceOwner({ config, accounts: accounts.ordinary, ports, database: client.database });
  const injector = createInjector({ fleet, cluster, random: createRandom(options.seed + 1) });
  cleanUps.push(injector.stop);
  const attackers = createAttackers({
    client,
    fleet,
    receiver,
    silenceNames: names.silence,
    accounts: accounts.adverse,
    extraSlot: options.dispatchers,
    injected: injector.injected,
  });
  const startRules = async () => {
    if (options.rules === 0) return;
    const [count, sql] = [options.rules, postgres(cluster.url(), { max: 1, onnotice: () => {} })];
    const atMs = minuteOfRules(options.seconds, preciseNow());
    await insertRules(sql, { count, atMs, accounts: accounts.ofRules, ports });
    await sql.end();
  };
  return {
    receiver,
    cluster,
    fleet,
    client,
    owner,
    injector,
    attackers,
    sockets,
    startRules,
    control: accounts.control,
  };
}

/** A name server that answers no question while it is silent, and answers every other with "no such name". */
async function startSilentNameServer() {
  let silent = false;
  const answers = new Proxy({}, { get: () => (silent ? "silence" : { code: NO_SUCH_NAME }) });
  const { address, close } = await startDnsServer(answers);
  const silence = (wanted: boolean) => {
    silent = wanted;
  };
  return { address, close, silence };
}
