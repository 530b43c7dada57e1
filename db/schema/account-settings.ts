import { sql } from "drizzle-orm";
import { bigint, boolean, check, index, integer, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { ENVIRONMENTS } from "#domain/environment.ts";
import { RETRY_STRATEGIES } from "#domain/plans.ts";
import { accounts } from "./accounts.ts";
import { bytea, environment, instant, isOneOf, NOW } from "./columns.ts";

/** Saved relay settings of an account; null means that the plan's default applies. */
export const relaySettings = pgTable(
  "relay_settings",
  {
    accountId: uuid("account_id")
      .primaryKey()
      .references(() => accounts.id, { onDelete: "cascade" }),
    cpsLimit: integer("cps_limit"),
    retryAttempts: integer("retry_attempts"),
    retryBackoffMs: integer("retry_backoff_ms"),
    retryStrategy: text("retry_strategy", { enum: RETRY_STRATEGIES }),
    earlyFire: boolean("early_fire"),
    /** Until when test keys may receive all test deliveries; off when null or past. */
    testDeliveriesUntil: instant("test_deliveries_until"),
    updatedAt: instant("updated_at").notNull().default(NOW),
  },
  (table) => [
    check("relay_settings_strategy_known", isOneOf(table.retryStrategy, RETRY_STRATEGIES)),
    check("relay_settings_cps_positive", sql`${table.cpsLimit} >= 1`),
    check("relay_settings_attempts_positive", sql`${table.retryAttempts} >= 0`),
  ],
);

/** The signing secrets of one environment, sealed. `former` signs beside `current` until `former_until`. */
export const signingSecrets = pgTable(
  "signing_secrets",
  {
    accountId: uuid("account_id")
      .notNull()
      .references(() => accounts.id, { onDelete: "cascade" }),
    env: environment(),
    current: bytea("current").notNull(),
    next: bytea("next").notNull(),
    former: bytea("former"),
    formerUntil: instant("former_until"),
    rotatedAt: instant("rotated_at"),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.env] }),
    check("signing_secrets_env_known", isOneOf(table.env, ENVIRONMENTS)),
  ],
);

/**
 * Stored answers to rotations of signing secrets with an idempotency key, for repeated calls. `sealed` is the current
 * and the next secret, with a space between them.
 */
export const secretRotations = pgTable(
  "secret_rotations",
  {
    accountId: uuid("account_id")
      .notNull()
      .references(() => accounts.id, { onDelete: "cascade" }),
    env: environment(),
    idempotencyKey: text("idempotency_key").notNull(),
    sealed: bytea("sealed").notNull(),
    rotatedAt: instant("rotated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.env, table.idempotencyKey] }),
    index("secret_rotations_rotated").on(table.rotatedAt),
    check("secret_rotations_env_known", isOneOf(table.env, ENVIRONMENTS)),
    check("secret_rotations_key_length", sql`char_length(${table.idempotencyKey}) between 1 and 255`),
  ],
);

/**
 * How many schedules were created in one month (UTC), counted by the create functions. There is one row for each month, and
 * its `part` moves on with the count: a key gets at most 128 versions, so that what reads the highest part passes few
 * dead ones. Rows are kept as long as their account: their sum less `deleted_schedules` is how many schedules it has.
 */
export const usage = pgTable(
  "usage",
  {
    accountId: uuid("account_id")
      .notNull()
      .references(() => accounts.id, { onDelete: "cascade" }),
    env: environment(),
    period: text("period").notNull(),
    part: integer("part").notNull().default(0),
    scheduled: integer("scheduled").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.env, table.period, table.part] }),
    check("usage_period_form", sql`${table.period} ~ '^[0-9]{6}$'`),
    check("usage_scheduled_positive", sql`${table.scheduled} >= 0`),
  ],
);

/** How many schedules were deleted, less those that were given back to the quota. A trigger counts every deletion. */
export const deletedSchedules = pgTable(
  "deleted_schedules",
  {
    accountId: uuid("account_id")
      .notNull()
      .references(() => accounts.id, { onDelete: "cascade" }),
    env: environment(),
    n: bigint("n", { mode: "number" }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.env] }),
    check("deleted_schedules_env_known", isOneOf(table.env, ENVIRONMENTS)),
  ],
);
