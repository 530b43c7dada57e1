import { describe, expect, it } from "vitest";
import { lapsePlans } from "#db/queries/retention/lapse-plans.ts";
import type { TestStripe } from "../../helpers/stripe.ts";
import { type Api, TARGET, type TestCaller, type TestSession } from "./api.ts";
import { withStripe } from "./with-stripe.ts";

let stripe: TestStripe;
let api: Api;
let caller: TestCaller;
let session: TestSession;

withStripe({}, (made) => {
  ({ stripe, api, caller, session } = made);
});

const checkout = (headers = {}) => api.call("POST", "/v1/billing/checkout", session, undefined, headers);
const portal = (headers = {}) => api.call("POST", "/v1/billing/portal", session, undefined, headers);
const subscription = async () => (await api.call("GET", "/v1/me", session)).body.subscription;
const tell = (type: string, object: object, how = {}) => {
  const { body, headers } = stripe.event(type, object, how);
  return api.call("POST", "/v1/billing/events", null, body, headers);
};

/** The caller's customer, after a checkout that was paid; Stripe has not told it yet. */
async function subscribed(change = {}) {
  expect(await checkout()).toMatchObject({ status: 200 });
  const [row] = await api.sql`SELECT customer_id FROM subscriptions WHERE account_id = ${caller.accountId}`;
  return stripe.pay(row?.customer_id, change);
}
async function paying(change = {}) {
  const made = await subscribed(change);
  expect(await tell("customer.subscription.created", made)).toMatchObject({ status: 200 });
  return made;
}
const periodEnd = ({ items }: Awaited<ReturnType<typeof subscribed>>) =>
  new Date((items.data[0]?.current_period_end ?? 0) * 1_000).toISOString();
/** As if this much time had passed for what is known of the subscription. */
const age = (days: number) => api.sql`
  UPDATE subscriptions SET paid_until = paid_until - ${days}::float8 * interval '1 day' WHERE account_id = ${caller.accountId}`;
const lapse = () => lapsePlans(api.sql, 100);

describe("POST /v1/billing/checkout", () => {
  it("200: the address of a checkout of the account's own customer, made once", async () => {
    const first = await checkout();
    expect(first.body).toEqual({ url: stripe.sessions.at(-1)?.url });
    const made = stripe.asked.find(({ method, path }) => method === "POST" && path === "/v1/checkout/sessions")?.fields;
    expect(made).toMatchObject({
      mode: "subscription",
      client_reference_id: caller.accountId,
      "line_items[0][price]": "price_indie",
      "line_items[0][quantity]": "1",
      success_url: "https://api.example.com/account?checkout=done",
      cancel_url: "https://api.example.com/account",
    });
    const customer = stripe.customers.get(made?.customer ?? "");
    const [row] = await api.sql`SELECT email FROM accounts WHERE id = ${caller.accountId}`;
    expect(customer?.email).toBe(row?.email);
    expect(await subscription()).toEqual({ plan: "free", status: "none", currentPeriodEnd: null, manageable: false });
    expect((await checkout()).body).toEqual(first.body);
  });

  it("is one checkout and one customer, however many calls come at once", async () => {
    const before = stripe.customers.size;
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => checkout()));
    const urls = new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body.url));
    expect(urls.size).toBe(1);
    expect(stripe.customers.size).toBe(before + 1);
  });

  it("409 with a subscription that runs, is not paid, or has not ended yet", async () => {
    const made = await paying();
    const changes = [
      {},
      { status: "past_due" },
      { status: "unpaid" },
      { status: "active", cancel_at_period_end: true },
      { cancel_at_period_end: false, cancel_at: Math.floor(Date.now() / 1_000) + 1_000 },
    ];
    for (const change of changes) {
      Object.assign(made, change);
      await tell("customer.subscription.updated", made);
      expect(await checkout(), JSON.stringify(change)).toMatchObject({ status: 409 });
    }
    Object.assign(made, { status: "canceled", ended_at: Math.floor(Date.now() / 1_000) - 1 });
    await tell("customer.subscription.deleted", made);
    expect(await checkout()).toMatchObject({ status: 200 });
  });

  it("409 once it was paid, though Stripe has not told it yet", async () => {
    await subscribed();
    expect(await subscription()).toMatchObject({ plan: "free", status: "none" });
    expect(await checkout()).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
  });

  it("409 for whoever was given the paid plan, before anybody is asked", async () => {
    caller = await api.account("indie");
    session = await api.session(caller.accountId);
    expect(await checkout()).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
    expect(stripe.asked).toEqual([]);
  });

  it("makes a new customer when the operator has deleted the old one at Stripe", async () => {
    const made = await paying();
    Object.assign(made, { status: "canceled", ended_at: Math.floor(Date.now() / 1_000) - 1 });
    await tell("customer.subscription.deleted", made);
    Object.assign(stripe.customers.get(made.customer) ?? {}, { deleted: true });
    expect(await checkout()).toMatchObject({ status: 200 });
    const [row] = await api.sql`SELECT customer_id FROM subscriptions WHERE account_id = ${caller.accountId}`;
    expect(row?.customer_id).not.toBe(made.customer);
    await paying();
    expect(await subscription()).toMatchObject({ plan: "indie", status: "active" });
  });
});

describe("POST /v1/billing/portal", () => {
  it("409 until there was a subscription, then 200 with its address, after its end too", async () => {
    expect(await portal()).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
    await checkout();
    expect(await portal()).toMatchObject({ status: 409 });
    const made = await paying();
    expect((await portal()).body).toEqual({ url: `https://billing.example/${made.customer}` });
    Object.assign(made, { status: "canceled", ended_at: 1_700_000_000 });
    await tell("customer.subscription.deleted", made);
    expect(await portal()).toMatchObject({ status: 200 });
  });
});

describe.each([
  ["checkout", checkout],
  ["portal", portal],
])("POST /v1/billing/%s", (name, ask) => {
  it("403 for an API key and for a page of another site, which ask nothing of Stripe", async () => {
    expect(await api.call("POST", `/v1/billing/${name}`, caller.live)).toMatchObject({ status: 403 });
    for (const origin of ["https://evil.example", "https://www.api.example.com", "null"]) {
      expect(await ask({ origin })).toMatchObject({ status: 403 });
    }
    expect(await ask({ "sec-fetch-site": "same-site" })).toMatchObject({ status: 403 });
    expect(stripe.asked).toEqual([]);
    expect(await api.call("POST", `/v1/billing/${name}`)).toMatchObject({ status: 401 });
  });

  it("503 within 5 s while Stripe is down, hangs or refuses the key", async () => {
    if (name === "portal") await paying();
    for (const change of [{ isDown: true }, { isDown: false, hangs: true }]) {
      Object.assign(stripe.conduct, change);
      const startedMs = performance.now();
      expect(await ask()).toMatchObject({ status: 503, body: { error: { code: "UNAVAILABLE" } } });
      expect(performance.now() - startedMs).toBeLessThan(5_000);
    }
  });
});

describe("a paid checkout", () => {
  it("gives the plan once Stripe has told it, at once for every credential", async () => {
    const made = await subscribed();
    expect((await subscription()).plan).toBe("free");
    await api.create(caller.live);
    expect(await tell("checkout.session.completed", { id: "cs_1", customer: made.customer })).toMatchObject({
      status: 200,
      body: { received: true },
    });
    expect(await subscription()).toEqual({
      plan: "indie",
      status: "active",
      currentPeriodEnd: periodEnd(made),
      manageable: true,
    });
    const batch = { schedules: Array(101).fill({ targetUrl: TARGET, fireAt: "2031-01-01T00:00:00.000Z" }) };
    expect(await api.call("POST", "/v1/schedules/bulk", caller.live, batch)).toMatchObject({ status: 200 });
  });

  it.each([
    ["incomplete", "none", "free"],
    ["incomplete_expired", "none", "free"],
    ["trialing", "active", "indie"],
    ["past_due", "past_due", "indie"],
    ["unpaid", "past_due", "indie"],
    ["paused", "canceled", "free"],
    ["canceled", "canceled", "free"],
    ["something_new", "none", "free"],
  ])("with status %s at Stripe is %s, on %s", async (status, expected, plan) => {
    await paying({ status });
    expect(await subscription()).toMatchObject({ status: expected, plan });
  });

  it("that is cancelled at the end of its period keeps the plan until then, though nothing more is told", async () => {
    const made = await paying();
    Object.assign(made, { cancel_at_period_end: true });
    await tell("customer.subscription.updated", made);
    expect(await subscription()).toEqual({
      plan: "indie",
      status: "canceled",
      currentPeriodEnd: periodEnd(made),
      manageable: true,
    });
    await age(31);
    await lapse();
    expect(await subscription()).toMatchObject({ plan: "free", status: "canceled" });
  });

  it("beside one that has ended counts", async () => {
    const made = await paying({ status: "canceled", ended_at: 1_700_000_000 });
    stripe.pay(made.customer);
    await tell("customer.subscription.created", made);
    expect(await subscription()).toMatchObject({ plan: "indie", status: "active" });
  });
});
