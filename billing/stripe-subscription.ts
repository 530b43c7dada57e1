import type Stripe from "stripe";
import type { Subscription } from "#domain/subscription.ts";

/**
 * A customer's subscriptions as one: the most favourable. A subscription whose first payment is still pending does not
 * count.
 */
export function subscriptionOf(all: readonly Stripe.Subscription[], nowMs: number): Subscription {
  const byWorth = all.map(toSubscription).toSorted((one, other) => rank(other, nowMs) - rank(one, nowMs));
  return byWorth[0] ?? NONE;
}

/** Whether a subscription renews until it is cancelled, paid or past due. */
export function isRunning(subscription: Stripe.Subscription): boolean {
  const { status } = toSubscription(subscription);
  return status === "active" || status === "past_due";
}

const NONE: Subscription = { status: "none" };

/** Later than any timestamp of a subscription, epoch ms. */
const LAST_MS = 8.64e15;

// Order: renewing, cancelled but paid until later, past due, ended.
function rank(subscription: Subscription, nowMs: number): number {
  switch (subscription.status) {
    case "active":
      return LAST_MS + subscription.renewsAt.getTime();
    case "canceled":
      return subscription.endsAt.getTime();
    case "past_due":
      return nowMs;
    case "none":
      return -LAST_MS;
  }
}

function toSubscription(subscription: Stripe.Subscription): Subscription {
  const { status, cancel_at, cancel_at_period_end, ended_at, canceled_at } = subscription;
  switch (status) {
    case "active":
    case "trialing": {
      const renewsAt = periodEnd(subscription);
      const endsAt = cancel_at ?? (cancel_at_period_end ? renewsAt : null);
      return endsAt === null
        ? { status: "active", renewsAt: at(renewsAt) }
        : { status: "canceled", endsAt: at(endsAt) };
    }
    case "past_due":
    case "unpaid":
      return { status: "past_due" };
    case "canceled":
    case "paused":
      return { status: "canceled", endsAt: at(ended_at ?? canceled_at ?? 0) };
    default:
      return NONE;
  }
}

function periodEnd({ items, billing_cycle_anchor }: Stripe.Subscription): number {
  return Math.max(billing_cycle_anchor, ...items.data.map((item) => item.current_period_end));
}

const at = (seconds: number) => new Date(seconds * 1_000);
