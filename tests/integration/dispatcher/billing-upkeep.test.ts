import pino from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { BillingUpkeep } from "#dispatcher/billing/billing-upkeep.ts";
import { Metrics } from "#dispatcher/observability/metrics.ts";
import { FLEET_SHARD } from "#domain/shard-share.ts";
import { createDispatchHarness, type DispatchHarness } from "#tests/helpers/dispatch-harness.ts";
import { startStripe, type TestStripe } from "#tests/helpers/stripe.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";

let stripe: TestStripe;
let harness: DispatchHarness;
const opened: BillingUpkeep[] = [];
const lines: string[] = [];
const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });

beforeAll(async () => {
  stripe = await startStripe();
  harness = await createDispatchHarness(stripe.settings);
});
afterAll(async () => {
  await harness.close();
  await stripe.close();
});
beforeEach(async () => {
  stripe.reset();
  lines.length = 0;
  await harness.sql`DELETE FROM customer_deletions`;
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

/** The upkeep of a dispatcher that holds the fleet's shard, or does not. */
function upkeep({ holds = true, config = harness.config } = {}) {
  const metrics = new Metrics();
  const shards = { holds: (shard: number) => holds && shard === FLEET_SHARD };
  const made = new BillingUpkeep({ config, shards, clock: { monotonic: () => performance.now() }, log, metrics });
  opened.push(made);
  const counted = async (result: string) =>
    Number(new RegExp(`stopwatch_billing_upkeep_total\\{result="${result}"\\} (\\d+)`).exec(await metrics.text())?.[1]);
  return { run: () => made.runOnce(), counted };
}

async function queueCustomer(): Promise<string> {
  const id = `cus_${crypto.randomUUID().replaceAll("-", "")}`;
  stripe.customers.set(id, { id, email: "gone@example.com" });
  await harness.sql`INSERT INTO customer_deletions (customer_id, next_try_at) VALUES (${id}, now() - interval '1 s')`;
  return id;
}
const isQueueEmpty = async () => (await harness.sql`SELECT 1 FROM customer_deletions`).length === 0;

describe("the upkeep of billing", () => {
  it("is done by the dispatcher that holds the fleet's shard, and by no other", async () => {
    const id = await queueCustomer();
    const other = upkeep({ holds: false });
    await other.run();
    expect(stripe.asked).toEqual([]);
    const holder = upkeep();
    await holder.run();
    expect(stripe.customers.get(id)?.deleted).toBe(true);
    expect(await isQueueEmpty()).toBe(true);
    expect([await holder.counted("deleted"), await other.counted("deleted")]).toEqual([1, 0]);
  });

  it("reads the subscriptions whose check is due", async () => {
    const account = await harness.account();
    await harness.sql`
      INSERT INTO subscriptions (account_id, customer_id, next_check_at)
      VALUES (${account.id}, 'cus_known', now() - interval '1 s')`;
    stripe.customers.set("cus_known", { id: "cus_known", email: "a@example.com" });
    const holder = upkeep();
    await holder.run();
    expect(await holder.counted("checked")).toBe(1);
    expect(stripe.asked.map(({ path }) => path)).toContain("/v1/subscriptions");
  });

  it("names a failure in log and metric, without the customer's address, and is repeated", async () => {
    const id = await queueCustomer();
    stripe.conduct.isDown = true;
    const holder = upkeep();
    await holder.run();
    expect(await holder.counted("failed")).toBe(1);
    expect(lines.join()).toContain(id);
    expect(lines.join()).toContain("the billing provider could not be asked");
    expect(lines.join()).not.toContain("@example.com");
    stripe.conduct.isDown = false;
    await harness.sql`UPDATE customer_deletions SET next_try_at = now() - interval '1 s'`;
    await holder.run();
    expect(await isQueueEmpty()).toBe(true);
  });

  it("does nothing where no provider is configured", async () => {
    await queueCustomer();
    await upkeep({ config: { ...harness.config, stripe: undefined } }).run();
    expect(stripe.asked).toEqual([]);
    expect(await isQueueEmpty()).toBe(false);
  });

  it("is part of every dispatcher that runs", async () => {
    const id = await queueCustomer();
    const dispatcher = await harness.dispatcher();
    await waitFor("the customer is deleted", () => stripe.customers.get(id)?.deleted === true, 20_000);
    await dispatcher.stop();
  });
});
