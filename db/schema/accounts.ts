import { sql } from "drizzle-orm";
import { boolean, check, index, pgTable, smallint, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { ACCOUNT_STATUSES } from "#domain/account-status.ts";
import { ENVIRONMENTS } from "#domain/environment.ts";
import { PLAN_NAMES } from "#domain/plans.ts";
import { SHARDS } from "#domain/shard-share.ts";
import { bytea, environment, instant, isEmailAddress, isOneOf, NOW } from "./columns.ts";

/** Tenants. A person has one account. Its `shard` decides which dispatcher delivers for it. */
export const accounts = pgTable(
  "accounts",
  {
    id: uuid("id").primaryKey(),
    email: text("email").notNull(),
    emailVerifiedAt: instant("email_verified_at"),
    /** A provider made the account that does not vouch for the address: what opens it until a link is redeemed may not be the owner's. */
    openedByProvider: boolean("opened_by_provider").notNull().default(false),
    name: text("name"),
    avatarUrl: text("avatar_url"),
    /** The plan that applies now: the one that is paid for, otherwise the granted one. */
    plan: text("plan", { enum: PLAN_NAMES }).notNull(),
    /** The plan that the account has without paying: it was created with it, or an administrator has set it. */
    grantedPlan: text("granted_plan", { enum: PLAN_NAMES }).notNull().default("free"),
    status: text("status", { enum: ACCOUNT_STATUSES }).notNull().default("active"),
    shard: smallint("shard")
      .notNull()
      .generatedAlwaysAs(sql`get_byte(uuid_send(id), 15) & ${sql.raw(String(SHARDS - 1))}`),
    /** Schedules that were due before this instant were held back by the account's status, not by the service. */
    activatedAt: instant("activated_at").notNull().default(NOW),
    /** Whether the owner gets notices. */
    notices: boolean("notices").notNull().default(true),
    deletedAt: instant("deleted_at"),
    /** When the rows of a deleted account were erased. */
    erasedAt: instant("erased_at"),
    createdAt: instant("created_at").notNull().default(NOW),
    updatedAt: instant("updated_at").notNull().default(NOW),
  },
  (table) => [
    uniqueIndex("accounts_email_key").on(table.email).where(sql`status <> 'deleted'`),
    index("accounts_to_erase").on(table.deletedAt, table.id).where(sql`status = 'deleted' and erased_at is null`),
    index("accounts_inactive").on(table.id).where(sql`status <> 'active' and erased_at is null`),
    check("accounts_email_form", sql`${table.erasedAt} IS NOT NULL OR ${isEmailAddress(table.email)}`),
    check("accounts_plan_known", isOneOf(table.plan, PLAN_NAMES)),
    check("accounts_granted_plan_known", isOneOf(table.grantedPlan, PLAN_NAMES)),
    check("accounts_status_known", isOneOf(table.status, ACCOUNT_STATUSES)),
  ],
);

/** API keys. Only the SHA-256 of a key is stored. */
export const apiKeys = pgTable(
  "api_keys",
  {
    id: uuid("id").primaryKey(),
    accountId: uuid("account_id")
      .notNull()
      .references(() => accounts.id, { onDelete: "cascade" }),
    env: environment(),
    name: text("name").notNull(),
    hash: bytea("hash").notNull(),
    last4: text("last4").notNull(),
    createdAt: instant("created_at").notNull().default(NOW),
    lastUsedAt: instant("last_used_at"),
    /** From this instant on the key is refused. It is in the future for a key that was rotated with an overlap. */
    revokedAt: instant("revoked_at"),
    /** `revokedAt` of a key that was rotated with an overlap and not revoked before that ended; otherwise null. */
    expiresAt: instant("expires_at"),
  },
  (table) => [
    uniqueIndex("api_keys_hash_key").on(table.hash),
    index("api_keys_account").on(table.accountId, table.createdAt),
    index("api_keys_revoked").on(table.revokedAt).where(sql`revoked_at is not null`),
    check("api_keys_env_known", isOneOf(table.env, ENVIRONMENTS)),
    check("api_keys_hash_size", sql`octet_length(${table.hash}) = 32`),
  ],
);

/**
 * Sessions of people. `token_hash` is the SHA-256 of the cookie's value, in hexadecimal. The value itself is not
 * stored.
 */
export const sessions = pgTable(
  "sessions",
  {
    tokenHash: text("token_hash").primaryKey(),
    id: uuid("id").notNull().defaultRandom(),
    accountId: uuid("account_id")
      .notNull()
      .references(() => accounts.id, { onDelete: "cascade" }),
    expiresAt: instant("expires_at").notNull(),
    userAgent: text("user_agent"),
    createdAt: instant("created_at").notNull().default(NOW),
    lastUsedAt: instant("last_used_at").notNull().default(NOW),
  },
  (table) => [
    uniqueIndex("sessions_id_key").on(table.id),
    index("sessions_account").on(table.accountId, table.expiresAt),
    index("sessions_expired").on(table.expiresAt),
  ],
);
