// Guards: billing/**, server/billing/**, server/me/**, db/queries/accounts/customer-deletions.ts
import { beforeEach, describe, expect, it, vi } from "vitest";
import { deleteQueuedCustomers } from "#billing/delete-customers.ts";
import { takeCustomerDeletion } from "#db/queries/accounts/customer-deletions.ts";
import { billingOf } from "#server/billing/provider.ts";
import type { Query } from "#server/context.ts";
import type { TestStripe } from "../../helpers/stripe.ts";
import { pause } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import type { Api, TestCaller, TestSession } from "./api.ts";
import { withStripe } from "./with-stripe.ts";

let stripe: TestStripe;
let api: Api;
let caller: TestCaller;
let session: TestSession;

withStripe({}, (made) => {
  ({ stripe, api, caller, session } = made);
});
beforeEach(async () => {
  await api.sql`DELETE FROM customer_deletions`;
});

const remove = () => api.call("DELETE", "/v1/me", session);
const checkout = () => api.call("POST", "/v1/billing/checkout", session);
const query: Query = (work) => api.services.database.run(10_000, work);
/** The regular upkeep of billing, which a dispatcher does. */
const tend = async () => deleteQueuedCustomers(await billingOf(api.config), query);
const queue = () => api.sql`SELECT * FROM customer_deletions ORDER BY customer_id`;
const isQueueEmpty = async () => (await queue()).length === 0;
/** Makes the next try of every deletion due. */
const wait = () => api.sql`UPDATE customer_deletions SET next_try_at = now() - interval '1 second'`;

async function subscribed(): Promise<string> {
  await checkout();
  const [row] = await api.sql`SELECT customer_id FROM subscriptions WHERE account_id = ${caller.accountId}`;
  const made = stripe.pay(row?.customer_id);
  const { body, headers } = stripe.event("customer.subscription.created", made);
  expect(await api.call("POST", "/v1/billing/events", null, body, headers)).toMatchObject({ status: 200 });
  return made.customer;
}
const runningOf = (customer: string) =>
  [...stripe.subscriptions.values()].filter((one) => one.customer === customer && one.ended_at === null);
const triesOf = (customer: string) =>
  stripe.asked.filter(({ method, path }) => method === "DELETE" && path.endsWith(customer)).length;
const isGone = (customer: string) =>
  stripe.customers.get(customer)?.deleted === true && runningOf(customer).length === 0;

// Runs first, since the background work of deletions uses this queue, too.
describe("the queue of customers to delete", () => {
  it("tries each customer at growing intervals, but at least hourly", async () => {
    await api.sql`INSERT INTO customer_deletions (customer_id) VALUES ('cus_x')`;
    const waits: number[] = [];
    for (let tries = 0; tries < 12; tries++) {
      await wait();
      await query(({ db }) => takeCustomerDeletion(db));
      const [row] = await api.sql`SELECT extract(epoch FROM next_try_at - now())::float8 AS s FROM customer_deletions`;
      waits.push(Math.round(row?.s / 10) * 10);
    }
    expect(waits.slice(0, 4)).toEqual([30, 60, 120, 240]);
    expect(waits.at(-1)).toBe(3_600);
  });

  it("asks Stripe once for each customer when several processes work on it at once", async () => {
    const customers = Array.from({ length: 12 }, (_, n) => `cus_many${n}`);
    for (const id of customers) {
      stripe.customers.set(id, { id, email: "a@example.com" });
      await api.sql`INSERT INTO customer_deletions (customer_id, next_try_at) VALUES (${id}, now() - interval '1 second')`;
    }
    await Promise.all([tend(), tend(), tend()]);
    await waitFor("nothing is left to do", isQueueEmpty);
    const asked = stripe.asked.filter(({ method, path }) => method === "DELETE" && path.includes("/cus_many"));
    expect(asked).toHaveLength(12);
    expect(customers.every(isGone)).toBe(true);
  });
});

describe("deleting an account", () => {
  it("ends its subscription and deletes its customer at Stripe at once", async () => {
    const customer = await subscribed();
    expect(await remove()).toMatchObject({ status: 204 });
    await waitFor("the customer is deleted", () => isGone(customer));
    await waitFor("nothing is left to do", isQueueEmpty);
    expect(await api.sql`SELECT 1 FROM subscriptions WHERE account_id = ${caller.accountId}`).toHaveLength(0);
  });

  it("asks nothing of Stripe for an account that never had a checkout", async () => {
    expect(await remove()).toMatchObject({ status: 204 });
    expect(await queue()).toEqual([]);
    expect(stripe.asked).toEqual([]);
  });

  it.each([
    ["is down", { isDown: true }],
    ["hangs", { hangs: true }],
  ])("succeeds while Stripe %s, and is repeated at Stripe until the customer is deleted there", async (_, conduct) => {
    const customer = await subscribed();
    Object.assign(stripe.conduct, conduct);
    expect(await remove()).toMatchObject({ status: 204 });
    expect(await api.call("GET", "/v1/me", caller.live)).toMatchObject({ status: 401 });
    await waitFor("it was tried", () => triesOf(customer) > 0);
    for (let tries = 0; tries < 2; tries++) {
      await wait();
      expect(await tend()).toBe(0);
    }
    expect(runningOf(customer)).toHaveLength(1);
    const rows = await queue();
    expect(rows.map((row) => row.customer_id)).toEqual([customer]);
    expect(Object.keys(rows[0] ?? {})).toEqual(["customer_id", "tries", "next_try_at", "queued_at"]);

    Object.assign(stripe.conduct, { isDown: false, hangs: false });
    await wait();
    await tend();
    await waitFor("the customer is deleted", () => isGone(customer));
    await waitFor("nothing is left to do", isQueueEmpty);
  });

  it("continues after a process that died in between, before Stripe was asked or afterwards", async () => {
    const billing = await billingOf(api.config);
    for (const died of ["before", "after"]) {
      caller = await api.account();
      session = await api.session(caller.accountId);
      const customer = await subscribed();
      stripe.conduct.isDown = true;
      const deleting = vi.spyOn(billing, "deleteCustomer");
      await remove();
      await waitFor("it was tried in vain", () => deleting.mock.settledResults.some(({ type }) => type === "rejected"));
      deleting.mockRestore();
      expect(triesOf(customer)).toBeGreaterThan(0);
      // What a process has taken from the queue when it dies.
      await api.sql`UPDATE customer_deletions SET tries = tries + 1, next_try_at = now() + interval '30 s'`;
      stripe.conduct.isDown = false;
      if (died === "after") await billing.deleteCustomer(customer);
      expect(await tend(), "it is still the dead process's turn").toBe(0);
      expect(isGone(customer)).toBe(died === "after");
      await wait();
      await tend();
      await waitFor("the customer is deleted", () => isGone(customer));
      await waitFor("nothing is left to do", isQueueEmpty);
    }
  });

  it("changes nothing when it is interrupted, and can be requested again", async () => {
    const customer = await subscribed();
    const held = Promise.withResolvers<void>();
    const holder = api.sql.begin(async (tx) => {
      await tx`SELECT 1 FROM subscriptions WHERE account_id = ${caller.accountId} FOR UPDATE`;
      await held.promise;
    });
    const going = remove();
    await waitFor("its last statement waits, and its session is ended", async () => {
      const [row] = await api.sql`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%DELETE FROM subscriptions%'`;
      return row !== undefined;
    });
    expect(await going).toMatchObject({ status: 503 });
    held.resolve();
    await holder;
    for (const credential of [session, caller.live]) {
      expect(await api.call("GET", "/v1/me", credential)).toMatchObject({ body: { subscription: { plan: "indie" } } });
    }
    expect(await queue()).toEqual([]);
    expect(await remove()).toMatchObject({ status: 204 });
    await waitFor("the customer is deleted", () => isGone(customer));
  });

  it("leaves no customer at Stripe, whatever checkout is in progress", async () => {
    for (let round = 0; round < 10; round++) {
      caller = await api.account();
      session = await api.session(caller.accountId);
      const { email } = (await api.call("GET", "/v1/me", session)).body.user;
      const going = [checkout(), checkout()];
      if (round % 2) await pause(round * 3);
      expect(await remove()).toMatchObject({ status: 204 });
      await Promise.all(going);
      await wait();
      await tend();
      // The background work of the deletion may have taken the customer before.
      await waitFor("nothing is left to do", isQueueEmpty);
      const left = [...stripe.customers.values()].filter((one) => one.email === email && !one.deleted);
      expect(left, `round ${round}`).toEqual([]);
    }
  });

  it("refuses a checkout that waited for Stripe meanwhile, and deletes its customer, too", async () => {
    const held = Promise.withResolvers<void>();
    let isHeld = false;
    stripe.conduct.beforeAnswer = async ({ path }) => {
      if (path !== "/v1/checkout/sessions" || isHeld) return;
      isHeld = true;
      await held.promise;
    };
    const going = checkout();
    await waitFor("the checkout waits for Stripe", () => isHeld);
    expect(await remove()).toMatchObject({ status: 204 });
    held.resolve();
    expect(await going).toMatchObject({ status: 401 });
    const [row] = await queue();
    expect(row?.customer_id).toMatch(/^cus_/);
    await tend();
    expect(isGone(row?.customer_id)).toBe(true);
  });
});

it("an event of Stripe about a deleted account's customer changes nothing", async () => {
  const customer = await subscribed();
  await remove();
  await waitFor("nothing is left to do", isQueueEmpty);
  const before = await api.sql`SELECT * FROM accounts WHERE id = ${caller.accountId}`;
  for (const type of ["customer.subscription.deleted", "invoice.paid", "customer.deleted"]) {
    const { body, headers } = stripe.event(type, { id: customer, customer });
    expect(await api.call("POST", "/v1/billing/events", null, body, headers)).toMatchObject({ status: 200 });
  }
  expect(await api.sql`SELECT * FROM accounts WHERE id = ${caller.accountId}`).toEqual(before);
  expect(await api.sql`SELECT 1 FROM subscriptions WHERE account_id = ${caller.accountId}`).toHaveLength(0);
});

it("an event waits for a deletion that has begun, and holds no lock that the deletion needs", async () => {
  const customer = await subscribed();
  const { body, headers } = stripe.event("invoice.paid", { customer });
  let going: ReturnType<Api["call"]> | undefined;
  await api.sql.begin(async (tx) => {
    await tx`UPDATE accounts SET status = 'deleted', deleted_at = now() WHERE id = ${caller.accountId}`;
    going = api.call("POST", "/v1/billing/events", null, body, headers);
    await waitFor("the event waits", async () => {
      const rows = await api.sql`
        SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return rows.length === 1;
    });
    await tx`DELETE FROM subscriptions WHERE account_id = ${caller.accountId}`;
  });
  expect(await going).toMatchObject({ status: 200 });
  expect(await api.sql`SELECT 1 FROM subscriptions WHERE account_id = ${caller.accountId}`).toHaveLength(0);
});
