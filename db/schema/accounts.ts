import { sql } from "drizzle-orm";
import { check, index, pgTable, smallint, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { bytea, instant } from "./columns.ts";

/** Tenants. One person owns one account; `shard` decides which dispatcher delivers for it. */
export const accounts = pgTable(
  "accounts",
  {
    id: uuid("id").primaryKey(),
    email: text("email").notNull(),
    emailVerifiedAt: instant("email_verified_at"),
    name: text("name"),
    avatarUrl: text("avatar_url"),
    plan: text("plan").$type<"free" | "indie">().notNull(),
    status: text("status").$type<"active" | "deactivated" | "deleted">().notNull().default("active"),
    shard: smallint("shard").notNull().generatedAlwaysAs(sql`get_byte(uuid_send(id), 15) & 63`),
    /** What was due before this instant was held back by the account itself, not by the service. */
    activatedAt: instant("activated_at").notNull().defaultNow(),
    createdAt: instant("created_at").notNull().defaultNow(),
    updatedAt: instant("updated_at").notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("accounts_email_key").on(table.email).where(sql`status <> 'deleted'`),
    check("accounts_email_folded", sql`${table.email} = lower(btrim(${table.email}))`),
    check("accounts_plan_known", sql`${table.plan} in ('free', 'indie')`),
    check("accounts_status_known", sql`${table.status} in ('active', 'deactivated', 'deleted')`),
  ],
);

/** Credentials of machines. Only the SHA-256 of a key is kept. */
export const apiKeys = pgTable(
  "api_keys",
  {
    id: uuid("id").primaryKey(),
    accountId: uuid("account_id")
      .notNull()
      .references(() => accounts.id, { onDelete: "cascade" }),
    env: text("env").$type<"live" | "test">().notNull(),
    name: text("name").notNull(),
    hash: bytea("hash").notNull(),
    last4: text("last4").notNull(),
    createdAt: instant("created_at").notNull().defaultNow(),
    lastUsedAt: instant("last_used_at"),
    revokedAt: instant("revoked_at"),
  },
  (table) => [
    uniqueIndex("api_keys_hash_key").on(table.hash),
    index("api_keys_account").on(table.accountId, table.createdAt),
    check("api_keys_env_known", sql`${table.env} in ('live', 'test')`),
    check("api_keys_hash_size", sql`octet_length(${table.hash}) = 32`),
  ],
);
