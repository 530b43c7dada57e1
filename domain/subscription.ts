import type { PlanName } from "./plans.ts";

/** How an account's subscription stands, as the billing provider tells it. */
export type Subscription =
  | { status: "none" }
  | { status: "active"; renewsAt: Date }
  /** A payment failed, and is tried again. */
  | { status: "past_due" }
  /** It has ended at this instant, or will: it is paid for up to it. */
  | { status: "canceled"; endsAt: Date };

export type SubscriptionStatus = Subscription["status"];

/** The plan of whoever pays. */
export const PAID_PLAN = "indie" satisfies PlanName;

/** For how long a plan stays when its payment has failed. */
export const PAST_DUE_DAYS = 7;
