// Guards: dispatcher/admission/**, dispatcher/connections/**, dispatcher/sending/**

import { promises as dns } from "node:dns";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { CONNECT_DEADLINE_MS } from "#domain/timing.ts";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import type { TestAccount } from "../../helpers/accounts.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { startDnsServer } from "../../helpers/dns-server.ts";
import { enterLanes } from "../../helpers/lanes.ts";
import { expectOnTime } from "../../helpers/on-time.ts";
import { countStalls } from "../../helpers/stalls.ts";
import { waitFor } from "../../helpers/wait-for.ts";

/** The most connections an origin gets while the dispatcher is busy and reads answers late. */
const BUSY_ORIGIN_CONNECTIONS = 256;

let receiver: Receiver;
let harness: DispatchHarness;
const ends: (() => unknown)[] = [];

async function start(settings: Record<string, string> = {}): Promise<void> {
  receiver = await startReceiver();
  const folder = mkdtempSync(join(tmpdir(), "stopwatch-"));
  ends.push(() => rmSync(folder, { recursive: true }));
  const caFile = join(folder, "ca.pem");
  writeFileSync(caFile, receiver.ca);
  harness = await createDispatchHarness({ DELIVERY_ALLOW: receiver.origin, DELIVERY_CA_FILE: caFile, ...settings });
}
afterEach(async () => {
  // Ends hanging requests, so that the dispatcher does not wait for them.
  await receiver.close();
  await harness.close();
  for (const end of ends.splice(0)) await end();
});

/**
 * Stores `rows` schedules of each account, the first due in `dueInMs` and the others `everyMs` apart, to each of
 * `origins` in turn.
 */
async function schedule(
  accounts: TestAccount[],
  origins: string[],
  { rows, dueInMs, everyMs = 0 }: { rows: number; dueInMs: number; everyMs?: number },
): Promise<void> {
  await harness.sql`
    WITH made AS (
      INSERT INTO schedules (id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes, sealed_bytes, origin)
      SELECT gen_random_uuid(), a.id, 'live', a.shard, false, at, at, 0, 0, (${origins}::text[])[n % ${origins.length} + 1]
      FROM accounts a, generate_series(1, ${rows}) n,
        date_trunc('milliseconds', now() + (${dueInMs} + n * ${everyMs}::float8) * interval '1 millisecond') at
      WHERE a.id = ANY (${accounts.map(({ id }) => id)}) RETURNING id, account_id, origin)
    INSERT INTO schedule_requests (schedule_id, account_id, env, target_url, method, request_hash)
    SELECT id, account_id, 'live', origin || '/', 'POST', '\\x00' FROM made`;
  await enterLanes(harness.sql);
}

const delivered = async (accounts: TestAccount[]): Promise<number> => {
  const [row] = await harness.sql`
    SELECT count(*)::int AS n FROM schedules
    WHERE account_id = ANY (${accounts.map(({ id }) => id)}) AND status = 'succeeded'`;
  return row?.n;
};

describe("a fast target", () => {
  it("gets at most 256 connections for a burst, however busy the dispatcher is with the burst", async () => {
    await start();
    const accounts = await Promise.all(
      Array.from({ length: 20 }, () => harness.account({ settings: { cps_limit: 500 } })),
    );
    await schedule(accounts, [receiver.origin], { rows: 150, dueInMs: 3_000 });
    await harness.dispatcher();
    let most = 0;
    await waitFor(
      "all have arrived",
      () => {
        most = Math.max(most, receiver.connections());
        return receiver.requests.length >= 150 * accounts.length;
      },
      60_000,
    );
    expect(most).toBeLessThanOrEqual(BUSY_ORIGIN_CONNECTIONS);
  });
});

describe("host names that are never resolved", () => {
  it.each([1, 5])("of %i accounts delay no other account", async (n) => {
    const [connections, hosts] = [64, 300];
    await start({ DELIVERY_CONNECTIONS_MAX: String(connections) });
    const names = Array.from({ length: hosts }, (_, host) => `host-${host}.example.com`);
    const server = await startDnsServer(Object.fromEntries(names.map((name) => [name, "silence"])));
    ends.push(server.close, () => vi.restoreAllMocks());
    const resolve4 = dns.Resolver.prototype.resolve4 as (name: string) => Promise<never>;
    // The first lookup of a resolver. Its name servers cannot be changed afterwards.
    vi.spyOn(dns.Resolver.prototype, "resolve4").mockImplementation(function (this: dns.Resolver, name: string) {
      this.setServers([server.address]);
      return resolve4.call(this, name);
    } as never);
    const hanging = await Promise.all(Array.from({ length: n }, () => harness.account()));
    const well = await harness.account();
    const origins = names.map((name) => `https://${name}`);
    await schedule(hanging, origins, { rows: hosts, dueInMs: 1_500 });
    await schedule([well], [receiver.origin], { rows: 30, dueInMs: 3_000, everyMs: 50 });
    await harness.dispatcher();
    const stalled = countStalls();
    await waitFor("the others are delivered", async () => (await delivered([well])) === 30, 50_000);
    const stalledMs = stalled();
    const [latest] = await harness.sql`SELECT max(offset_ms)::int AS late FROM schedules WHERE account_id = ${well.id}`;
    expect(server.asked.length).toBeGreaterThan(0);
    expectOnTime(latest?.late, CONNECT_DEADLINE_MS / 5, stalledMs);
  });
});
