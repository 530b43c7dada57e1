import { describe, expect, it, vi } from "vitest";
import { lapsePlans } from "#db/queries/retention/lapse-plans.ts";
import { countRunTime } from "../../helpers/run-time.ts";
import type { TestStripe } from "../../helpers/stripe.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { withinOneMinute } from "../../helpers/within-one-minute.ts";
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
const sendEvent = (type: string, object: object, how = {}) => {
  const { body, headers } = stripe.event(type, object, how);
  return api.call("POST", "/v1/billing/events", null, body, headers);
};

/** The caller's customer after a paid checkout, for which Stripe has sent no event yet. */
async function subscribed(change = {}) {
  expect(await checkout()).toMatchObject({ status: 200 });
  const [row] = await api.sql`SELECT customer_id FROM subscriptions WHERE account_id = ${caller.accountId}`;
  return stripe.pay(row?.customer_id, change);
}
async function paying(change = {}) {
  const made = await subscribed(change);
  expect(await sendEvent("customer.subscription.created", made)).toMatchObject({ status: 200 });
  return made;
}
const periodEnd = ({ items }: Awaited<ReturnType<typeof subscribed>>) =>
  new Date((items.data[0]?.current_period_end ?? 0) * 1_000).toISOString();
/** Moves the stored dates of the subscription back by this much, as if the time had passed. */
const age = (days: number) => api.sql`
  UPDATE subscriptions SET paid_until = paid_until - ${days}::float8 * interval '1 day' WHERE account_id = ${caller.accountId}`;
const lapse = () => lapsePlans(api.sql, 100);

describe("POST /v1/billing/checkout", () => {
  it("answers 200 with the URL of a checkout of the account's own customer, which is created once", async () => {
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

  it("creates one checkout and one customer, however many calls come at once within a minute", async () => {
    await withinOneMinute(api.sql, async () => {
      caller = await api.account();
      session = await api.session(caller.accountId);
      const before = stripe.customers.size;
      const answers = await Promise.all([1, 2, 3, 4, 5].map(() => checkout()));
      const urls = new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body.url));
      expect(urls.size).toBe(1);
      expect(stripe.customers.size).toBe(before + 1);
    });
  });

  it("answers 409 with a subscription that is active, unpaid, or not yet ended", async () => {
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
      await sendEvent("customer.subscription.updated", made);
      expect(await checkout(), JSON.stringify(change)).toMatchObject({ status: 409 });
    }
    Object.assign(made, { status: "canceled", ended_at: Math.floor(Date.now() / 1_000) - 1 });
    await sendEvent("customer.subscription.deleted", made);
    expect(await checkout()).toMatchObject({ status: 200 });
  });

  it("answers 409 once the checkout was paid, even before Stripe's event", async () => {
    await subscribed();
    expect(await subscription()).toMatchObject({ plan: "free", status: "none" });
    expect(await checkout()).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
  });

  it("answers 409 to an account that was granted the paid plan, without asking Stripe", async () => {
    caller = await api.account("indie");
    session = await api.session(caller.accountId);
    expect(await checkout()).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
    expect(stripe.asked).toEqual([]);
  });

  it("creates a new customer when the operator has deleted the old one at Stripe", async () => {
    const made = await paying();
    Object.assign(made, { status: "canceled", ended_at: Math.floor(Date.now() / 1_000) - 1 });
    await sendEvent("customer.subscription.deleted", made);
    Object.assign(stripe.customers.get(made.customer) ?? {}, { deleted: true });
    expect(await checkout()).toMatchObject({ status: 200 });
    const [row] = await api.sql`SELECT customer_id FROM subscriptions WHERE account_id = ${caller.accountId}`;
    expect(row?.customer_id).not.toBe(made.customer);
    await paying();
    expect(await subscription()).toMatchObject({ plan: "indie", status: "active" });
  });

  it("sends nothing to Stripe after it has answered 503, so that no customer is created that nobody knows", async () => {
    const fetched = vi.spyOn(globalThis, "fetch");
    try {
      const before = stripe.customers.size;
      stripe.conduct.hangs = true;
      const answer = checkout();
      await waitFor("Stripe was asked", () => stripe.asked.length > 0);
      expect(await answer).toMatchObject({ status: 503 });
      stripe.conduct.hangs = false;
      const sent = fetched.mock.calls.length;
      // The SDK repeats a request without an answer.
      const isRefused = () => fetched.mock.settledResults.slice(sent).some(({ type }) => type === "rejected");
      await waitFor("the request was repeated, or refused", () => isRefused() || stripe.asked.length > 1);
      expect(stripe.asked.map(({ method, path }) => `${method} ${path}`)).toEqual(["POST /v1/customers"]);
      expect(stripe.customers.size).toBe(before);
    } finally {
      fetched.mockRestore();
    }
  });
});

describe("POST /v1/billing/portal", () => {
  it("answers 409 before the first subscription, then 200 with the portal's URL, also after the subscription's end", async () => {
    expect(await portal()).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
    await checkout();
    expect(await portal()).toMatchObject({ status: 409 });
    const made = await paying();
    expect((await portal()).body).toEqual({ url: `https://billing.example/${made.customer}` });
    Object.assign(made, { status: "canceled", ended_at: 1_700_000_000 });
    await sendEvent("customer.subscription.deleted", made);
    expect(await portal()).toMatchObject({ status: 200 });
  });
});

describe.each([
  ["checkout", checkout],
  ["portal", portal],
])("POST /v1/billing/%s", (name, ask) => {
  it("answers 403 to an API key and to a page of another site, without asking Stripe", async () => {
    expect(await api.call("POST", `/v1/billing/${name}`, caller.live)).toMatchObject({ status: 403 });
    for (const origin of ["https://evil.example", "https://www.api.example.com", "null"]) {
      expect(await ask({ origin })).toMatchObject({ status: 403 });
    }
    expect(await ask({ "sec-fetch-site": "same-site" })).toMatchObject({ status: 403 });
    expect(stripe.asked).toEqual([]);
    expect(await api.call("POST", `/v1/billing/${name}`)).toMatchObject({ status: 401 });
  });

  it("answers 503 within 5 s while Stripe is down, hangs or refuses the key", async () => {
    if (name === "portal") await paying();
    for (const change of [{ isDown: true }, { isDown: false, hangs: true }]) {
      Object.assign(stripe.conduct, change);
      const endCount = countRunTime();
      expect(await ask()).toMatchObject({ status: 503, body: { error: { code: "UNAVAILABLE" } } });
      expect(endCount()).toBeLessThan(5_000);
    }
  });
});

describe("a paid checkout", () => {
  it("gives the plan once Stripe has sent its event, at once for every credential", async () => {
    const made = await subscribed();
    expect((await subscription()).plan).toBe("free");
    await api.create(caller.live);
    expect(await sendEvent("checkout.session.completed", { id: "cs_1", customer: made.customer })).toMatchObject({
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

  it("that is cancelled at the end of its period keeps the plan until then, even without another event", async () => {
    const made = await paying();
    Object.assign(made, { cancel_at_period_end: true });
    await sendEvent("customer.subscription.updated", made);
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

  it("gives the plan even when the customer has an ended subscription, too", async () => {
    const made = await paying({ status: "canceled", ended_at: 1_700_000_000 });
    stripe.pay(made.customer);
    await sendEvent("customer.subscription.created", made);
    expect(await subscription()).toMatchObject({ plan: "indie", status: "active" });
  });
});
