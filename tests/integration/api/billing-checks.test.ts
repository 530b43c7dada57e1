import pino from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import { checkSubscriptions } from "#billing/check-subscriptions.ts";
import { billingOf } from "#server/billing/provider.ts";
import { getServices } from "#server/services.ts";
import type { TestStripe, TestSubscription } from "../../helpers/stripe.ts";
import { nowS } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { type Api, call, type TestCaller, type TestSession } from "./api.ts";
import { withStripe } from "./with-stripe.ts";

let stripe: TestStripe;
let api: Api;
let caller: TestCaller;
let session: TestSession;
const warnings: string[] = [];

withStripe({}, (made) => {
  ({ stripe, api, caller, session } = made);
});
beforeEach(async () => {
  await api.sql`DELETE FROM subscriptions`;
  warnings.length = 0;
});

const ENDED = () => ({ status: "canceled", ended_at: nowS() - 1 });
const subscription = async () => (await api.call("GET", "/v1/me", session)).body.subscription;
const log = pino({ level: "warn" }, { write: (line: string) => void warnings.push(line) });
const check = async () =>
  checkSubscriptions(await billingOf(api.config), (work) => getServices().database.run(5_000, work), log);

async function row() {
  const [found] = await api.sql`
    SELECT *, extract(epoch FROM next_check_at - now())::float8 AS next_check_in_s
    FROM subscriptions WHERE account_id = ${caller.accountId}`;
  return found as Record<string, never> & { customer_id: string; version: number; next_check_in_s: number };
}

/** The caller's subscription. Stripe sends no event of what happens to it. */
async function subscribed(change: Partial<TestSubscription> = {}) {
  expect(await api.call("POST", "/v1/billing/checkout", session)).toMatchObject({ status: 200 });
  return stripe.pay((await row()).customer_id, change);
}

/** As if the time until the next check had passed. */
const timePasses = () => api.sql`UPDATE subscriptions SET next_check_at = now() - interval '1 second'`;

describe("without any event", () => {
  it("the next check gives the plan after a payment, and removes it after the subscription's end", async () => {
    const made = await subscribed();
    await timePasses();
    expect(await check()).toBe(1);
    expect(await subscription()).toMatchObject({ plan: "indie", status: "active" });
    Object.assign(made, ENDED());
    expect(await check()).toBe(0);
    expect(await subscription()).toMatchObject({ plan: "indie" });
    await timePasses();
    expect(await check()).toBe(1);
    expect(await subscription()).toMatchObject({ plan: "free", status: "canceled" });
  });

  it("a subscription is checked ten minutes after each checkout, and once a day from then on", async () => {
    for (let checkouts = 0; checkouts < 2; checkouts++) {
      await api.call("POST", "/v1/billing/checkout", session);
      expect((await row()).next_check_in_s).toBeGreaterThan(500);
      expect((await row()).next_check_in_s).toBeLessThanOrEqual(600);
      expect(await check()).toBe(0);
      await timePasses();
      expect(await check()).toBe(1);
      expect((await row()).next_check_in_s).toBeGreaterThan(86_000);
    }
  });

  it("a customer who was deleted at Stripe loses the plan", async () => {
    const made = await subscribed();
    await timePasses();
    await check();
    stripe.customers.set(made.customer, { id: made.customer, email: "", deleted: true });
    Object.assign(made, ENDED());
    await timePasses();
    await check();
    expect(await subscription()).toMatchObject({ plan: "free" });
  });
});

describe("a check", () => {
  it("changes nothing for a customer that Stripe does not know, and logs that", async () => {
    const made = await subscribed();
    await timePasses();
    await check();
    stripe.customers.delete(made.customer);
    await timePasses();
    await check();
    expect(await subscription()).toMatchObject({ plan: "indie", status: "active" });
    expect(warnings.join()).toContain("does not know this customer");
  });

  it("that fails changes nothing, ends the round, and is tried again within ten minutes", async () => {
    await subscribed();
    await timePasses();
    stripe.conduct.isDown = true;
    expect(await check()).toBe(0);
    expect(await subscription()).toMatchObject({ plan: "free", status: "none" });
    expect((await row()).next_check_in_s).toBeGreaterThan(500);
    expect((await row()).next_check_in_s).toBeLessThanOrEqual(600);
  });

  it("that read Stripe before a change never overwrites an event that read Stripe after it", async () => {
    const made = await subscribed();
    await timePasses();
    const held = Promise.withResolvers<void>();
    let first = true;
    stripe.conduct.beforeAnswer = async ({ path }) => {
      if (path !== "/v1/subscriptions" || !first) return;
      first = false;
      await held.promise;
    };
    const checking = check();
    await waitFor("the check has asked", () => !first);
    Object.assign(made, ENDED());
    const { body, headers } = stripe.event("customer.subscription.deleted", made);
    expect(await call("POST", "/v1/billing/events", null, body, headers)).toMatchObject({ status: 200 });
    held.resolve();
    await checking;
    expect(await subscription()).toMatchObject({ plan: "free", status: "canceled" });
  });

  it("is made once, however many processes look for it", async () => {
    await subscribed();
    await timePasses();
    stripe.asked.length = 0;
    const read = await Promise.all([check(), check(), check()]);
    expect(read.reduce((sum, one) => sum + one)).toBe(1);
    expect(stripe.asked.filter(({ path }) => path === "/v1/subscriptions")).toHaveLength(1);
  });
});
