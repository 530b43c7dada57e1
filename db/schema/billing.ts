import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { SUBSCRIPTION_STATUSES } from "#domain/subscription.ts";
import { accounts } from "./accounts.ts";
import { instant, isOneOf, NOW } from "./columns.ts";

/**
 * An account that has been to the checkout: its customer at the billing provider, and its subscription there when it
 * was last read. `version` grows with each reading that is stored, and fences older readings.
 */
export const subscriptions = pgTable(
  "subscriptions",
  {
    accountId: uuid("account_id")
      .primaryKey()
      .references(() => accounts.id, { onDelete: "cascade" }),
    customerId: text("customer_id").notNull(),
    status: text("status", { enum: SUBSCRIPTION_STATUSES }).notNull().default("none"),
    /** When an active subscription renews. */
    currentPeriodEnd: instant("current_period_end"),
    /** When the subscription stops giving the account its plan, as far as is known now; null while no end is known. */
    paidUntil: instant("paid_until"),
    /** Whether the subscription gives the account its plan. */
    paying: boolean("paying").notNull().default(false),
    version: integer("version").notNull().default(1),
    /** When the subscription is read from the provider again, in case an event was lost. */
    nextCheckAt: instant("next_check_at").notNull().default(NOW),
    createdAt: instant("created_at").notNull().default(NOW),
    updatedAt: instant("updated_at").notNull().default(NOW),
  },
  (table) => [
    index("subscriptions_to_check").on(table.nextCheckAt),
    uniqueIndex("subscriptions_customer_key").on(table.customerId),
    index("subscriptions_ending").on(table.paidUntil).where(sql`paying and paid_until is not null`),
    check("subscriptions_status_known", isOneOf(table.status, SUBSCRIPTION_STATUSES)),
    check("subscriptions_paying_for_something", sql`not ${table.paying} or ${table.status} <> 'none'`),
  ],
);

/**
 * Customers of deleted accounts. Each is still to be deleted at the billing provider, together with its subscriptions.
 */
export const customerDeletions = pgTable(
  "customer_deletions",
  {
    customerId: text("customer_id").primaryKey(),
    tries: integer("tries").notNull().default(0),
    nextTryAt: instant("next_try_at").notNull().default(NOW),
    queuedAt: instant("queued_at").notNull().default(NOW),
  },
  (table) => [index("customer_deletions_due").on(table.nextTryAt)],
);
