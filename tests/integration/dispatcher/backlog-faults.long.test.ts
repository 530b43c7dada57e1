// Guards: dispatcher/claiming/**, dispatcher/rates/**, dispatcher/admission/**, dispatcher/connections/**
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { insertSchedules } from "../../helpers/overdue.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const ACCOUNTS = 4;
const EACH = 400;
const CPS = 100;
/** Schedules of one account to one target. */
const CONNECTIONS = 64;
/** The most schedules that are claimed together. Within these, the order of one account may differ. */
const MIXED_MAX = CPS;
/** How long the slow target holds a request. A request that waited for it would be later than this. */
const SLOW_MS = 20_000;

let receiver: Receiver;
let slow: Receiver;
let harness: DispatchHarness;

beforeAll(async () => {
  [receiver, slow] = await Promise.all([startReceiver({ tls: false }), startReceiver({ tls: false })]);
  harness = await createDispatchHarness({
    DELIVERY_ALLOW: `${receiver.origin},${slow.origin}`,
    DELIVERY_CONNECTIONS_PER_ORIGIN: String(CONNECTIONS),
  });
});
afterAll(async () => {
  await harness.close();
  await Promise.all([receiver.close(), slow.close()]);
});

/** The schedules that were due during the ten minutes without a dispatcher. */
async function overdue(accountId: string, target: Receiver): Promise<void> {
  const span = { rows: EACH, fromMs: -600_000, everyMs: 600_000 / EACH };
  await insertSchedules(harness.sql, [accountId], new URL("/", target.origin), span);
}

describe("after ten minutes without a dispatcher", () => {
  it("the oldest schedules go first, each account keeps its rate, and a slow target delays only its own account", async () => {
    const accounts: string[] = [];
    for (let n = 0; n < ACCOUNTS; n++) accounts.push((await harness.account({ settings: { cps_limit: CPS } })).id);
    const hanging = await harness.account({ settings: { cps_limit: CPS } });
    for (const id of accounts) await overdue(id, receiver);
    await overdue(hanging.id, slow);
    slow.respond((_request, response) => setTimeout(() => response.end("ok"), SLOW_MS));

    await harness.dispatcher();
    const startedAt = performance.now();
    await waitFor("the healthy ones are delivered", () => receiver.requests.length >= ACCOUNTS * EACH, 30_000);
    expect(performance.now() - startedAt).toBeLessThan(SLOW_MS);
    expect(receiver.connections()).toBeLessThanOrEqual(ACCOUNTS * CONNECTIONS);
    expect(slow.connections()).toBeLessThanOrEqual(CONNECTIONS);

    await waitFor("they are recorded", async () => {
      const [row] = await harness.sql`
        SELECT count(*)::int AS n FROM schedules WHERE status = 'succeeded' AND account_id = ANY (${accounts})`;
      return row?.n === ACCOUNTS * EACH;
    });
    for (const id of [...accounts, hanging.id]) {
      const rows = await harness.sql`
        SELECT a.attempted_at, s.fire_at FROM attempts a JOIN schedules s ON s.id = a.schedule_id
        WHERE a.account_id = ${id} ORDER BY a.attempted_at, s.fire_at`;
      const times = rows.map((row) => (row.attempted_at as Date).getTime());
      // Both ends are rounded down to the millisecond.
      for (const [n, at] of times.entries())
        expect((times[n + CPS] ?? Number.POSITIVE_INFINITY) - at, `from the ${n}th on`).toBeGreaterThanOrEqual(999);
      const order = rows.map((row) => (row.fire_at as Date).getTime());
      const sorted = [...order].sort((a, b) => a - b);
      for (const [n, at] of order.entries())
        expect(Math.abs(sorted.indexOf(at) - n), `the ${n}th`).toBeLessThanOrEqual(MIXED_MAX);
    }
    const twice = await harness.sql`SELECT FROM schedules WHERE attempts > 1`;
    expect(twice).toHaveLength(0);
  });
});
