import { hash } from "node:crypto";
import Stripe from "stripe";
import type { Config } from "#config.ts";
import { AppError } from "#domain/errors.ts";
import type { Subscription } from "#domain/subscription.ts";
import { BILLING_TIMEOUT_MS, type Billing, type BillingLog, type Subscriber } from "./billing.ts";
import { isRunning, subscriptionOf } from "./stripe-subscription.ts";

/** Billing by Stripe. Only this file and `stripe-subscription.ts` use the SDK. */
export function stripeBilling({ stripe: settings, baseUrl }: Config, log: BillingLog): Billing {
  if (settings === undefined) throw new Error("Stripe is not configured");
  const { secretKey, webhookSecret, price, baseUrl: stripeUrl } = settings;

  /** Runs `work` within `BILLING_TIMEOUT_MS`, with a client that sends nothing after that. */
  function withStripe<T>(work: (stripe: Stripe) => Promise<T>): Promise<T> {
    return withTimeout(log, (end) => {
      const stripe = new Stripe(secretKey, {
        ...apiAddress(stripeUrl),
        httpClient: Stripe.createFetchHttpClient(fetchUntil(end)),
        timeout: BILLING_TIMEOUT_MS,
        maxNetworkRetries: 1,
        telemetry: false,
      });
      return work(stripe);
    });
  }

  async function createCustomer(stripe: Stripe, { accountId, email, attempt }: Subscriber): Promise<string> {
    const idempotencyKey = idempotencyKeyOf("customer", attempt);
    const { id } = await stripe.customers.create({ email, metadata: { accountId } }, { idempotencyKey });
    return id;
  }

  async function subscriptionsOf(stripe: Stripe, customer: string): Promise<Stripe.Subscription[]> {
    return (await stripe.subscriptions.list({ customer, status: "all", limit: 100 })).data;
  }

  async function readSubscription(stripe: Stripe, customerId: string): Promise<Subscription | null> {
    const all = await subscriptionsOf(stripe, customerId).catch(ignoreMissingCustomer);
    if (all === undefined) {
      const customer = await stripe.customers.retrieve(customerId).catch(ignoreMissingCustomer);
      return customer?.deleted ? NONE : null;
    }
    if (all.filter(isRunning).length > 1) log.warn({ customerId }, "a customer has several running subscriptions");
    return subscriptionOf(all, Date.now());
  }

  // Prevents double payment: reuses an open checkout, and checks for a subscription whose event has not arrived yet.
  async function openSession(stripe: Stripe, customer: string, { accountId, attempt }: Subscriber): Promise<string> {
    const [{ data }, subscriptions] = await Promise.all([
      stripe.checkout.sessions.list({ customer, status: "open", limit: 10 }),
      subscriptionsOf(stripe, customer),
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
      { idempotencyKey: idempotencyKeyOf("session", `${attempt} ${customer} ${price}`) },
    );
    if (!session.url) throw new Error("Stripe returned a checkout session without a URL");
    return session.url;
  }

  return {
    checkoutUrl: (subscriber) =>
      withStripe(async (stripe) => {
        const existing = subscriber.customerId;
        if (existing !== null) {
          const url = await openSession(stripe, existing, subscriber).catch(ignoreMissingCustomer);
          if (url !== undefined) return { url, customerId: existing };
        }
        const customerId = await createCustomer(stripe, subscriber);
        return { url: await openSession(stripe, customerId, subscriber), customerId };
      }),

    portalUrl: (customer) =>
      withStripe(async (stripe) => {
        const { url } = await stripe.billingPortal.sessions.create({ customer, return_url: `${baseUrl}/account` });
        return url;
      }),

    parseEvent(body, signature) {
      const customerId = customerOf(verifiedEvent(body, signature, webhookSecret));
      if (customerId === null) return null;
      // If the customer does not exist, the event reports its deletion.
      return {
        customerId,
        readSubscription: () => withStripe(async (stripe) => (await readSubscription(stripe, customerId)) ?? NONE),
      };
    },

    readSubscription: (customerId) => withStripe((stripe) => readSubscription(stripe, customerId)),

    deleteCustomer: (customerId) =>
      withStripe(async (stripe) => {
        await stripe.customers.del(customerId).catch(ignoreMissingCustomer);
      }),
  };
}

const NONE: Subscription = { status: "none" };

const ALREADY_PAID = "This account already has a subscription. The plan changes within a minute of the payment.";

function apiAddress(baseUrl: string | undefined) {
  if (baseUrl === undefined) return {};
  const { protocol, hostname, port } = new URL(baseUrl);
  const isPlain = protocol === "http:";
  return {
    protocol: isPlain ? ("http" as const) : ("https" as const),
    host: hostname,
    port: port || (isPlain ? 80 : 443),
  };
}

/** Stripe returns the same response to the same key for a day. */
const idempotencyKeyOf = (what: string, attempt: string) => `${what}-${hash("sha256", attempt)}`;

function verifiedEvent(body: Buffer, signature: string | null, secret: string): SignedEvent {
  let event: unknown;
  try {
    assertTimely(signature ?? "");
    event = Stripe.webhooks.constructEvent(body, signature ?? "", secret, TOLERANCE_S);
  } catch (error) {
    throw new AppError("VALIDATION", "This event is not signed by the billing provider.", {
      cause: error,
      details: [{ path: "", message: "must have a valid Stripe-Signature of the last five minutes" }],
    });
  }
  if (isEvent(event)) return event;
  throw new AppError("VALIDATION", "This event is signed, but is none of the billing provider.", {
    details: [{ path: "type", message: "must be an event with a type and an object" }],
  });
}

/** What is read of an event. A signature says who sent it, not what is in it. */
type SignedEvent = { type: string; data: { object: Record<string, unknown> } };

function isEvent(event: unknown): event is SignedEvent {
  const { type, data } = (event ?? {}) as { type?: unknown; data?: { object?: unknown } | null };
  const object = data?.object;
  return typeof type === "string" && typeof object === "object" && object !== null && !Array.isArray(object);
}

/** The SDK accepts any future time, and uses the last of several. Our clock may be ahead of Stripe's, or behind. */
function assertTimely(signature: string): void {
  const times = signature.split(",").filter((part) => part.trim().startsWith("t="));
  const [, seconds] = /^t=(\d{1,12})$/.exec(times.length === 1 ? (times[0] as string) : "") ?? [];
  const isTimely = seconds !== undefined && Math.abs(Date.now() / 1_000 - Number(seconds)) <= TOLERANCE_S;
  if (!isTimely) throw new Error("the signature has no time of its own, or one that is too far from now");
}

const TOLERANCE_S = 300;

function customerOf({ type, data: { object } }: SignedEvent): string | null {
  const customer = type.startsWith("customer.") && !("customer" in object) ? object.id : object.customer;
  return typeof customer === "string" ? customer : null;
}

/** A `fetch` that sends nothing once `end` is aborted: not even what the SDK repeats, or asks next. */
function fetchUntil(end: AbortSignal): typeof fetch {
  return (url, { signal, ...request } = {}) => {
    const either = AbortSignal.any(signal ? [signal, end] : [end]);
    return fetch(url, { ...request, cache: "no-store", redirect: "error", signal: either });
  };
}

/**
 * Runs `work` within `BILLING_TIMEOUT_MS`. Logs an error of Stripe, or a timeout, and throws UNAVAILABLE. Aborts the signal
 * before it returns or throws.
 */
async function withTimeout<T>(log: BillingLog, work: (end: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${BILLING_TIMEOUT_MS} ms`)), BILLING_TIMEOUT_MS);
  });
  try {
    return await Promise.race([work(ending.signal), timeout]);
  } catch (error) {
    if (error instanceof AppError) throw error;
    log.warn(loggedReason(error), "a request to Stripe failed");
    throw new AppError("UNAVAILABLE", "The billing provider cannot do this right now.", {
      cause: error,
      headers: { "Retry-After": "5" },
    });
  } finally {
    clearTimeout(timer);
    ending.abort();
  }
}

// Not the whole error: it may contain a customer's e-mail address.
function loggedReason(error: unknown) {
  if (!(error instanceof Stripe.errors.StripeError)) return { reason: (error as Error).message };
  const { type, code, param, statusCode, requestId } = error;
  return { reason: error.message.replace(/\S+@\S+/g, "…"), type, code, param, statusCode, stripeRequestId: requestId };
}

/** For `catch`: returns undefined when the customer does not exist at Stripe, otherwise rethrows. */
function ignoreMissingCustomer(error: unknown): undefined {
  const isCustomerMissing =
    error instanceof Stripe.errors.StripeError &&
    error.code === "resource_missing" &&
    [undefined, "customer", "id"].includes(error.param);
  if (!isCustomerMissing) throw error;
}
