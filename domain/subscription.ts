import type { PlanName } from "./plans.ts";

/** An account's subscription, as the billing provider reports it. */
export type Subscription =
  | { status: "none" }
  | { status: "active"; renewsAt: Date }
  /** A payment failed, and the provider tries again. */
  | { status: "past_due" }
  /** It has ended or will end at `endsAt`, and is paid for until then. */
  | { status: "canceled"; endsAt: Date };

export const SUBSCRIPTION_STATUSES = [
  "none",
  "active",
  "past_due",
  "canceled",
] as const satisfies Subscription["status"][];

export type SubscriptionStatus = Subscription["status"];

/** The plan of accounts that are paying. */
export const PAID_PLAN = "indie" satisfies PlanName;

/** For how many days an account keeps the paid plan after a payment failed. */
export const PAST_DUE_DAYS = 7;
