import { describe, expect, it } from "vitest";
import { lapsePlans } from "#db/queries/retention/lapse-plans.ts";
import { countRunTime } from "../../helpers/run-time.ts";
import type { TestStripe, TestSubscription } from "../../helpers/stripe.ts";
import { nowS } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { type Api, call, type TestCaller, type TestSession } from "./api.ts";
import { withStripe } from "./with-stripe.ts";

let stripe: TestStripe;
let api: Api;
let caller: TestCaller;
let session: TestSession;

withStripe({}, (made) => {
  ({ stripe, api, caller, session } = made);
});

const send = (event: { body: string | Buffer; headers: Record<string, string> }) =>
  call("POST", "/v1/billing/events", null, event.body, event.headers);
const sendEvent = (object: object, type = "customer.subscription.updated") => send(stripe.event(type, object));
const subscription = async () => (await api.call("GET", "/v1/me", session)).body.subscription;
const stored = async () => {
  const [row] = await api.sql`SELECT * FROM subscriptions WHERE account_id = ${caller.accountId}`;
  return row;
};
const ENDED = () => ({ status: "canceled", ended_at: nowS() - 1 });

/** The caller's subscription, for which Stripe has sent no event yet. */
async function subscribed(change: Partial<TestSubscription> = {}) {
  expect(await api.call("POST", "/v1/billing/checkout", session)).toMatchObject({ status: 200 });
  return stripe.pay((await stored())?.customer_id, change);
}

describe("POST /v1/billing/events 400", () => {
  const refused = { status: 400, body: { error: { code: "VALIDATION" } } };

  it.each([
    ["a type that is no string", { type: 7, data: { object: {} } }],
    ["no type", { data: { object: {} } }],
    ["no data", { type: "customer.updated" }],
    ["data that is no object", { type: "customer.updated", data: "x" }],
    ["an object that is none", { type: "customer.updated", data: { object: null } }],
    ["an object that is a list", { type: "customer.updated", data: { object: ["customer"] } }],
    ["nothing but a number", 5],
    ["null", null],
    ["a list", []],
  ])("refuses a signed event with %s, and asks Stripe nothing", async (_, event) => {
    stripe.asked.length = 0;
    expect(await send(stripe.signed(JSON.stringify(event)))).toMatchObject(refused);
    expect(stripe.asked).toEqual([]);
  });

  it("refuses events that Stripe has not signed: without a signature, with another secret or other bytes, too old or from the future", async () => {
    const made = await subscribed();
    stripe.asked.length = 0;
    const { body, headers } = stripe.event("customer.subscription.created", made);
    const bad = [
      { body, headers: {} },
      { body, headers: { "stripe-signature": "" } },
      { body, headers: { "stripe-signature": "t=1,v1=00" } },
      { body: body.replace("evt_", "evt-"), headers },
      { body: "", headers },
      stripe.event("customer.subscription.created", made, { secret: "whsec_other" }),
      stripe.event("customer.subscription.created", made, { ageS: 400 }),
      stripe.event("customer.subscription.created", made, { ageS: -400 }),
      stripe.event("customer.subscription.created", made, { ageS: -86_400 * 365 }),
      { body, headers: { "stripe-signature": `t=${nowS() - 400},${headers["stripe-signature"]}` } },
      { body, headers: { "stripe-signature": `${headers["stripe-signature"]},t=${nowS()}` } },
      { body, headers: { "stripe-signature": headers["stripe-signature"].replace("v1=", "v0=") } },
    ];
    for (const event of bad) expect(await send(event), JSON.stringify(event.headers)).toMatchObject(refused);
    expect(stripe.asked).toEqual([]);
    expect(await subscription()).toMatchObject({ plan: "free", status: "none" });
  });

  it("refuses them with any other credential: a session, a key, bytes that are not UTF-8", async () => {
    const { body } = stripe.event("customer.subscription.created", await subscribed());
    expect(await api.call("POST", "/v1/billing/events", session, body)).toMatchObject(refused);
    expect(await api.call("POST", "/v1/billing/events", caller.live, body)).toMatchObject(refused);
    const { headers } = stripe.event("x", {});
    expect(await send({ body: Buffer.from([0xff, 0xfe, 0]), headers })).toMatchObject(refused);
  });
});

it("an event body over 512 KiB is 413, and is not read to its end", async () => {
  let sent = 0;
  const endless = new ReadableStream({
    pull(controller) {
      controller.enqueue(new Uint8Array(64 * 1024));
      sent += 64;
    },
  });
  const { headers } = stripe.event("x", {});
  expect(await call("POST", "/v1/billing/events", null, endless, headers)).toMatchObject({ status: 413 });
  expect(sent).toBeLessThan(1_024);
});

describe("POST /v1/billing/events 200", () => {
  it("answers events that concern no account here, without asking Stripe", async () => {
    const events: [string, object][] = [
      ["invoice.paid", { id: "in_1", customer: "cus_unknown" }],
      ["charge.succeeded", { id: "ch_1", customer: null }],
      ["price.updated", { id: "price_1" }],
      ["customer.created", { id: "cus_unknown" }],
      ["something.new", { id: "x_1", customer: 5 }],
    ];
    for (const [type, object] of events) {
      expect(await sendEvent(object, type), type).toMatchObject({ status: 200, body: { received: true } });
    }
    expect(stripe.asked).toEqual([]);
  });

  it("applies the current state at Stripe, however old, repeated or out of order the event is", async () => {
    const made = await subscribed();
    const created = stripe.event("customer.subscription.created", made);
    const updated = stripe.event("customer.subscription.updated", { ...made, status: "past_due" });
    const deleted = stripe.event("customer.subscription.deleted", { ...made, ...ENDED() });
    for (const event of [deleted, created, updated, deleted, created]) {
      expect(await send(event)).toMatchObject({ status: 200 });
      expect(await subscription()).toMatchObject({ plan: "indie", status: "active" });
    }
    Object.assign(made, ENDED());
    for (const event of [created, updated, created]) {
      expect(await send(event)).toMatchObject({ status: 200 });
      expect(await subscription()).toMatchObject({ plan: "free", status: "canceled" });
    }
  });

  it("removes the plan when the customer was deleted at Stripe", async () => {
    const made = await subscribed();
    await sendEvent(made);
    const customer = stripe.customers.get(made.customer) as object;
    Object.assign(customer, { deleted: true });
    Object.assign(made, ENDED());
    await sendEvent(customer, "customer.deleted");
    expect(await subscription()).toMatchObject({ plan: "free" });
  });
});

describe("with several events at once", () => {
  it("one that read Stripe before a change never overwrites one that read Stripe after it", async () => {
    const made = await subscribed();
    const held = Promise.withResolvers<void>();
    let first = true;
    stripe.conduct.beforeAnswer = async ({ path }) => {
      if (path !== "/v1/subscriptions" || !first) return;
      first = false;
      await held.promise;
    };
    const early = sendEvent(made);
    await waitFor("the first has asked", () => !first);
    Object.assign(made, ENDED());
    expect(await sendEvent(made)).toMatchObject({ status: 200 });
    expect(await subscription()).toMatchObject({ plan: "free", status: "canceled" });
    held.resolve();
    expect(await early).toMatchObject({ status: 200 });
    expect(await subscription()).toMatchObject({ plan: "free", status: "canceled" });
  });

  it("the state after the last change is stored, whatever the number of events and changes", async () => {
    const made = await subscribed();
    for (let round = 0; round < 8; round++) {
      const change = round % 2 ? { status: "active", ended_at: null } : ENDED();
      const events: Promise<{ status: number }>[] = [];
      for (let n = 0; n < 6; n++) events.push(sendEvent(made));
      Object.assign(made, change);
      for (let n = 0; n < 6; n++) events.push(sendEvent(made));
      for (const { status } of await Promise.all(events)) expect(status).toBe(200);
      expect(await subscription()).toMatchObject(round % 2 ? { plan: "indie", status: "active" } : { plan: "free" });
    }
  });
});

describe("while Stripe cannot be reached", () => {
  it("an event is answered with 503, changes nothing, and is applied when Stripe sends it again", async () => {
    const made = await subscribed();
    const event = stripe.event("customer.subscription.created", made);
    for (const change of [{ isDown: true }, { isDown: false, hangs: true }]) {
      Object.assign(stripe.conduct, change);
      const endCount = countRunTime();
      expect(await send(event)).toMatchObject({ status: 503, body: { error: { code: "UNAVAILABLE" } } });
      expect(endCount()).toBeLessThan(5_000);
      expect(await subscription()).toMatchObject({ plan: "free", status: "none" });
    }
    stripe.conduct.hangs = false;
    expect(await send(event)).toMatchObject({ status: 200 });
    expect(await subscription()).toMatchObject({ plan: "indie" });
  });
});

describe("a payment that failed", () => {
  /** Moves the stored dates of the subscription back by this much, as if the time had passed. */
  const age = (days: number) => api.sql`
    UPDATE subscriptions SET paid_until = paid_until - ${days}::float8 * interval '1 day' WHERE account_id = ${caller.accountId}`;
  const lapse = () => lapsePlans(api.sql, 100);

  it("keeps the plan for seven days, and shows until when", async () => {
    const made = await subscribed();
    await sendEvent(made);
    Object.assign(made, { status: "past_due" });
    await sendEvent(made);
    const [row] = await api.sql`SELECT now() + interval '7 days' AS at`;
    const view = await subscription();
    expect(view).toMatchObject({ plan: "indie", status: "past_due", manageable: true });
    expect(Math.abs(Date.parse(view.currentPeriodEnd) - row?.at.getTime())).toBeLessThan(60_000);
    await age(6.9);
    expect(await lapse()).toBe(0);
    expect((await subscription()).plan).toBe("indie");
  });

  it("removes the plan after seven days, whatever events are repeated, and restores it with the payment", async () => {
    const made = await subscribed();
    await sendEvent(made);
    Object.assign(made, { status: "past_due" });
    await sendEvent(made);
    await age(4);
    Object.assign(made, { status: "unpaid" });
    await sendEvent(made);
    await age(3.1);
    expect((await Promise.all([lapse(), lapse(), lapse()])).reduce((sum, one) => sum + one)).toBe(1);
    expect(await subscription()).toMatchObject({ plan: "free", status: "past_due" });
    await sendEvent(made);
    expect(await subscription()).toMatchObject({ plan: "free", status: "past_due" });
    Object.assign(made, { status: "active" });
    await sendEvent(made);
    expect(await subscription()).toMatchObject({ plan: "indie", status: "active" });
    Object.assign(made, { status: "past_due" });
    await sendEvent(made);
    expect(await subscription()).toMatchObject({ plan: "indie", status: "past_due" });
  });

  it("removes the plan at the end of the week, or shortly afterwards when the subscription is locked at that moment", async () => {
    const made = await subscribed({ status: "past_due" });
    await sendEvent(made);
    await age(7.1);
    await api.sql.begin(async (tx) => {
      await tx`SELECT 1 FROM accounts WHERE id = ${caller.accountId} FOR UPDATE`;
      expect(await lapse()).toBe(0);
    });
    expect(await lapse()).toBe(1);
    expect((await subscription()).plan).toBe("free");
  });
});

it("settings that the end of a subscription clamps are kept, and apply again with the next subscription", async () => {
  const made = await subscribed();
  await sendEvent(made);
  const saved = { cpsLimit: 400, retryAttempts: 9 };
  await api.call("PATCH", "/v1/me/relay-settings", session, saved);
  await api.create(caller.live, { payload: "x".repeat(200_000) });
  Object.assign(made, ENDED());
  await sendEvent(made);
  const clamped = (await api.call("GET", "/v1/me/relay-settings", session)).body;
  expect(clamped).toMatchObject({ ...saved, effective: { cpsLimit: 20, retryAttempts: 4 } });
  expect((await api.call("GET", "/v1/usage", session)).body).toMatchObject({ plan: "free", limit: 2_000 });
  const large = { targetUrl: "https://example.com/", fireAt: "2031-01-01T00:00:00Z", payload: "x".repeat(60_000) };
  for (const credential of [session, caller.live]) {
    expect(await api.call("POST", "/v1/schedules", credential, large)).toMatchObject({ status: 413 });
  }
  expect((await api.call("GET", "/v1/schedules", session)).body.total).toBe(1);
  stripe.pay(made.customer);
  await sendEvent(made);
  const restored = (await api.call("GET", "/v1/me/relay-settings", session)).body;
  expect(restored).toMatchObject({ ...saved, effective: saved });
});
