import { pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "./schema/columns.ts";

/**
 * Tables of `db/schema` under the property names that @auth/drizzle-adapter expects, with the columns that sign-in
 * writes. Migrations are not made from these.
 */
export const adapterTables = {
  usersTable: pgTable("accounts", {
    id: uuid("id").primaryKey(),
    email: text("email").notNull(),
    emailVerified: instant("email_verified_at"),
    name: text("name"),
    image: text("avatar_url"),
    status: text("status").notNull(),
  }),
  accountsTable: pgTable("identities", {
    userId: uuid("account_id").notNull(),
    provider: text("provider").notNull(),
    providerAccountId: text("provider_account_id").notNull(),
  }),
  sessionsTable: pgTable("sessions", {
    sessionToken: text("token_hash").primaryKey(),
    userId: uuid("account_id").notNull(),
    expires: instant("expires_at").notNull(),
    userAgent: text("user_agent"),
    id: uuid("id"),
  }),
  verificationTokensTable: pgTable("sign_in_tokens", {
    identifier: text("email").notNull(),
    token: text("token_hash").primaryKey(),
    expires: instant("expires_at").notNull(),
  }),
};
