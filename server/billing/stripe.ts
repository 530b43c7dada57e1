import { hash } from "node:crypto";
import Stripe from "stripe";
import type { Config } from "#config.ts";
import { AppError } from "#domain/errors.ts";
import { services } from "../services.ts";
import { BILLING_MS, type Billing, type Subscriber } from "./billing.ts";
import { isRunning, subscriptionOf } from "./stripe-subscription.ts";

/** Billing by Stripe. The only files that know Stripe are this one and `stripe-subscription.ts`. */
export function stripeBilling({ stripe: settings, baseUrl }: Config): Billing {
  if (settings === undefined) throw new Error("Stripe is not configured");
  const { secretKey, webhookSecret, price } = settings;
  const stripe = new Stripe(secretKey, {
    ...addressOf(settings.baseUrl),
    timeout: BILLING_MS,
    maxNetworkRetries: 1,
    telemetry: false,
  });

  async function createCustomer({ accountId, email, attempt }: Subscriber): Promise<string> {
    const idempotencyKey = keyOf("customer", attempt);
    const { id } = await stripe.customers.create({ email, metadata: { accountId } }, { idempotencyKey });
    return id;
  }

  async function subscriptionsOf(customer: string): Promise<Stripe.Subscription[]> {
    return (await stripe.subscriptions.list({ customer, status: "all", limit: 100 })).data;
  }

  // Nobody is to pay twice: an open checkout is used again, and one that was paid may not have been told of yet.
  async function openSession(customer: string, { accountId, attempt }: Subscriber): Promise<string> {
    const [{ data }, subscriptions] = await Promise.all([
      stripe.checkout.sessions.list({ customer, status: "open", limit: 10 }),
      subscriptionsOf(customer),
    ]);
    if (subscriptions.some(isRunning)) throw new AppError("CONFLICT", ALREADY_PAID);
    const open = data.find(({ url, metadata }) => url && metadata?.price === price);
    if (open?.url) return open.url;
    const session = await stripe.checkout.sessions.create(
      {
        mode: "subscription",
        customer,
        client_reference_id: accountId,
        line_items: [{ price, quantity: 1 }],
        metadata: { price },
        subscription_data: { metadata: { accountId } },
        success_url: `${baseUrl}/account?checkout=done`,
        cancel_url: `${baseUrl}/account`,
      },
      { idempotencyKey: keyOf("session", `${attempt} ${customer} ${price}`) },
    );
    if (!session.url) throw new Error("Stripe made a checkout without an address");
    return session.url;
  }

  return {
    checkoutUrl: (subscriber) =>
      inTime(async () => {
        const known = subscriber.customerId;
        if (known !== null) {
          const url = await openSession(known, subscriber).catch(unlessMissing);
          if (url !== undefined) return { url, customerId: known };
        }
        const customerId = await createCustomer(subscriber);
        return { url: await openSession(customerId, subscriber), customerId };
      }),

    portalUrl: (customer) =>
      inTime(async () => {
        const { url } = await stripe.billingPortal.sessions.create({ customer, return_url: `${baseUrl}/account` });
        return url;
      }),

    parseEvent(body, signature) {
      const customerId = customerOf(verified(stripe, body, signature, webhookSecret));
      if (customerId === null) return null;
      const readSubscription = () =>
        inTime(async () => {
          const all = (await subscriptionsOf(customerId).catch(unlessMissing)) ?? [];
          if (all.filter(isRunning).length > 1)
            services().log.warn({ customerId }, "a customer pays for several subscriptions");
          return subscriptionOf(all, Date.now());
        });
      return { customerId, readSubscription };
    },

    deleteCustomer: (customerId) =>
      inTime(async () => {
        await stripe.customers.del(customerId).catch(unlessMissing);
      }),
  };
}

const ALREADY_PAID = "A subscription of this account has just begun, or is not paid: the plan follows within a minute.";

function addressOf(baseUrl: string | undefined) {
  if (baseUrl === undefined) return {};
  const { protocol, hostname, port } = new URL(baseUrl);
  const isPlain = protocol === "http:";
  return {
    protocol: isPlain ? ("http" as const) : ("https" as const),
    host: hostname,
    port: port || (isPlain ? 80 : 443),
  };
}

/** Stripe keeps what it answered to a key for a day. */
const keyOf = (what: string, attempt: string) => `${what}-${hash("sha256", attempt)}`;

function verified(stripe: Stripe, body: Buffer, signature: string | null, secret: string): Stripe.Event {
  try {
    return stripe.webhooks.constructEvent(body, signature ?? "", secret);
  } catch (error) {
    throw new AppError("VALIDATION", "This event is not signed by the billing provider.", {
      cause: error,
      details: [{ path: "", message: "needs a Stripe-Signature of these bytes that is less than five minutes old" }],
    });
  }
}

function customerOf({ type, data }: Stripe.Event): string | null {
  const object = data.object as { id?: unknown; customer?: unknown };
  const customer = type.startsWith("customer.") && !("customer" in object) ? object.id : object.customer;
  return typeof customer === "string" ? customer : null;
}

/** Does `work` within `BILLING_MS`. What Stripe refuses, and that it cannot be reached, is UNAVAILABLE, and in the log. */
async function inTime<T>(work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${BILLING_MS} ms`)), BILLING_MS);
  });
  try {
    return await Promise.race([work(), late]);
  } catch (error) {
    if (error instanceof AppError) throw error;
    services().log.warn(reasonOf(error), "Stripe did not do what it was asked for");
    throw new AppError("UNAVAILABLE", "The billing provider cannot do this right now.", {
      cause: error,
      headers: { "Retry-After": "5" },
    });
  } finally {
    clearTimeout(timer);
  }
}

// Not the whole error: it may carry the address of a customer.
function reasonOf(error: unknown) {
  if (!(error instanceof Stripe.errors.StripeError)) return { reason: (error as Error).message };
  const { type, code, param, statusCode, requestId } = error;
  return { reason: error.message.replace(/\S+@\S+/g, "…"), type, code, param, statusCode, stripeRequestId: requestId };
}

/** Undefined in place of what the customer's absence made fail. */
function unlessMissing(error: unknown): undefined {
  const isCustomerMissing =
    error instanceof Stripe.errors.StripeError &&
    error.code === "resource_missing" &&
    [undefined, "customer", "id"].includes(error.param);
  if (!isCustomerMissing) throw error;
}
