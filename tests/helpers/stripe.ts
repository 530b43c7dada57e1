import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Stripe from "stripe";
import { nowS } from "./time.ts";

type Fields = Record<string, string>;
type Asked = { method: string; path: string; fields: Fields; headers: IncomingMessage["headers"] };
type Refusal = { status: number; error: object };
type Session = { id: string; url: string; customer: string; status: "open" | "complete"; metadata: { price: string } };

export type TestSubscription = {
  id: string;
  customer: string;
  status: string;
  items: { data: { current_period_end: number }[] };
  billing_cycle_anchor: number;
  cancel_at: number | null;
  cancel_at_period_end: boolean;
  canceled_at: number | null;
  ended_at: number | null;
};

export type TestStripe = Awaited<ReturnType<typeof startStripe>>;

const WEBHOOK_SECRET = "whsec_test";
const PRICE = "price_indie";
const MONTH_S = 30 * 86_400;

/**
 * A local server that implements the part of Stripe's API that the service uses. It keeps customers, sessions and
 * subscriptions, and answers a second request with an idempotency key as the first. `conduct` sets its behaviour.
 */
export async function startStripe() {
  const asked: Asked[] = [];
  const customers = new Map<string, { id: string; email: string; deleted?: true }>();
  const sessions: Session[] = [];
  const subscriptions = new Map<string, TestSubscription>();
  const answered = new Map<string, object>();
  const conduct = {
    /** Closes each connection without an answer. */
    isDown: false,
    /** Accepts requests and does not answer them. */
    hangs: false,
    /** A promise that a request waits for after its answer was made. */
    beforeAnswer: async (_asked: Asked): Promise<void> => {},
  };

  const routes: [string, RegExp, (fields: Fields, id: string) => object][] = [
    ["POST", /^\/v1\/customers$/, ({ email = "" }) => put(customers, { id: `cus_${random()}`, email })],
    ["DELETE", /^\/v1\/customers\/(\w+)$/, (_, id) => removeCustomer(id)],
    ["GET", /^\/v1\/customers\/(\w+)$/, (_, id) => known(id)],
    ["GET", /^\/v1\/subscriptions$/, ({ customer }) => listSubscriptions(customer)],
    [
      "GET",
      /^\/v1\/checkout\/sessions$/,
      ({ customer, status }) => list(sessions.filter(of(customer)).filter((one) => one.status === status)),
    ],
    ["POST", /^\/v1\/checkout\/sessions$/, (fields) => openSession(fields)],
    [
      "POST",
      /^\/v1\/billing_portal\/sessions$/,
      ({ customer }) => ({ url: `https://billing.example/${existing(customer).id}` }),
    ],
  ];

  /** Deleted or not. */
  function known(id = "") {
    const customer = customers.get(id);
    if (!customer) throw missing(id);
    return customer;
  }

  // Of a deleted customer, too.
  function listSubscriptions(customer = "") {
    return list([...subscriptions.values()].filter(of(known(customer).id)));
  }

  function existing(id = "") {
    const customer = customers.get(id);
    if (!customer || customer.deleted) throw missing(id);
    return customer;
  }

  function removeCustomer(id: string) {
    const customer = existing(id);
    customer.deleted = true;
    for (const one of [...subscriptions.values()].filter(of(id))) {
      if (one.ended_at === null) Object.assign(one, { status: "canceled", ended_at: nowS(), canceled_at: nowS() });
    }
    for (let at = sessions.length - 1; at >= 0; at--) if (sessions[at]?.customer === id) sessions.splice(at, 1);
    return { id, object: "customer", deleted: true };
  }

  function openSession(fields: Fields): Session {
    const { id: customer } = existing(fields.customer);
    const id = `cs_${random()}`;
    const price = fields["metadata[price]"] ?? "";
    const session = {
      id,
      url: `https://checkout.example/${id}`,
      customer,
      status: "open" as const,
      metadata: { price },
    };
    sessions.push(session);
    return session;
  }

  function answer(request: Asked): object {
    const key = request.headers["idempotency-key"]?.toString();
    const before = key === undefined ? undefined : answered.get(key);
    if (before) return before;
    for (const [method, pattern, make] of routes) {
      const match = method === request.method ? pattern.exec(request.path) : null;
      if (!match) continue;
      const made = make(request.fields, match[1] ?? "");
      if (key !== undefined) answered.set(key, made);
      return made;
    }
    throw { status: 404, error: { type: "invalid_request_error", message: `no ${request.method} ${request.path}` } };
  }

  async function serve(message: IncomingMessage, response: ServerResponse) {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk);
    const { pathname, searchParams } = new URL(message.url ?? "", "http://stripe");
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const fields = Object.fromEntries([...searchParams, ...form]);
    const request = { method: message.method ?? "", path: pathname, fields, headers: message.headers };
    asked.push(request);
    if (conduct.isDown) return message.socket.destroy();
    if (conduct.hangs) return;
    let [status, body]: [number, object] = [200, {}];
    try {
      body = answer(request);
    } catch (refused) {
      const { status: given, error } = refused as Refusal;
      [status, body] = [given, { error }];
    }
    // A copy of the current state: later changes are not in an answer that is on its way.
    const text = JSON.stringify(body);
    await conduct.beforeAnswer(request);
    response.writeHead(status, { "content-type": "application/json" }).end(text);
  }

  const server = createServer((message, response) => {
    serve(message, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    asked,
    customers,
    sessions,
    subscriptions,
    conduct,
    settings: {
      STRIPE_SECRET_KEY: "sk_test_1",
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      STRIPE_PRICE_INDIE: PRICE,
      STRIPE_BASE_URL: origin,
    },
    /** Resets its behaviour, and forgets all requests. */
    reset() {
      Object.assign(conduct, { isDown: false, hangs: false, beforeAnswer: async () => {} });
      asked.length = 0;
    },
    /** The person completes the checkout. From now on there is a subscription. */
    pay(customer: string, change: Partial<TestSubscription> = {}): TestSubscription {
      for (const session of sessions.filter(of(customer))) session.status = "complete";
      return put(subscriptions, { ...newSubscription(customer), ...change });
    },
    /** An event as Stripe sends it: the body, and the headers with its signature. */
    event(type: string, object: object, { secret = WEBHOOK_SECRET, ageS = 0 } = {}) {
      const body = JSON.stringify({ id: `evt_${random()}`, object: "event", type, created: nowS(), data: { object } });
      return signed(body, { secret, ageS });
    },
    /** Bytes that Stripe has signed, whatever they are. */
    signed,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function newSubscription(customer: string): TestSubscription {
  return {
    id: `sub_${random()}`,
    customer,
    status: "active",
    items: { data: [{ current_period_end: nowS() + MONTH_S }] },
    billing_cycle_anchor: nowS(),
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    ended_at: null,
  };
}

const random = () => randomBytes(8).toString("hex");
const list = (data: object[]) => ({ object: "list", data, has_more: false });
const of =
  (customer = "") =>
  (one: { customer: string }) =>
    one.customer === customer;

function put<T extends { id: string }>(map: Map<string, T>, value: T): T {
  map.set(value.id, value);
  return value;
}

function missing(id: string): Refusal {
  return {
    status: 404,
    error: {
      type: "invalid_request_error",
      code: "resource_missing",
      param: "customer",
      message: `No such customer: '${id}'`,
    },
  };
}

function signed(body: string, { secret = WEBHOOK_SECRET, ageS = 0 } = {}) {
  const signature = Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp: nowS() - ageS });
  return { body, headers: { "stripe-signature": signature } };
}
