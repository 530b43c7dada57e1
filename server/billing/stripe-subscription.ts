import type Stripe from "stripe";
import type { Subscription } from "#domain/subscription.ts";

/**
 * How a customer's subscriptions stand, as one: that which gives most. All of them are ours, since the customer is. One
 * whose first payment has not come through yet is none.
 */
export function subscriptionOf(all: readonly Stripe.Subscription[], nowMs: number): Subscription {
  const byWorth = all.map(standing).toSorted((one, other) => worth(other, nowMs) - worth(one, nowMs));
  return byWorth[0] ?? NONE;
}

/** Whether it goes on, paid or not, until somebody ends it. */
export function isRunning(subscription: Stripe.Subscription): boolean {
  const { status } = standing(subscription);
  return status === "active" || status === "past_due";
}

const NONE: Subscription = { status: "none" };

/** Later than any instant of a subscription, epoch ms. */
const LAST_MS = 8.64e15;

// What renews, then what is paid for up to an instant, then what is not paid, then what has ended.
function worth(subscription: Subscription, nowMs: number): number {
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

function standing(subscription: Stripe.Subscription): Subscription {
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
