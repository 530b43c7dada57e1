import { check, index, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { PROVIDERS } from "#domain/providers.ts";
import { accounts } from "./accounts.ts";
import { instant, isEmailAddress, isOneOf, NOW } from "./columns.ts";

/** OAuth identities, and the account that each one opens. No token of a provider is stored. */
export const identities = pgTable(
  "identities",
  {
    /** Names the identity to its owner. */
    id: uuid("id").notNull().defaultRandom(),
    provider: text("provider", { enum: PROVIDERS }).notNull(),
    providerAccountId: text("provider_account_id").notNull(),
    accountId: uuid("account_id")
      .notNull()
      .references(() => accounts.id, { onDelete: "cascade" }),
    createdAt: instant("created_at").notNull().default(NOW),
  },
  (table) => [
    primaryKey({ columns: [table.provider, table.providerAccountId] }),
    uniqueIndex("identities_id_key").on(table.id),
    index("identities_account").on(table.accountId),
    check("identities_provider_known", isOneOf(table.provider, PROVIDERS)),
  ],
);

/**
 * Magic links that were not used yet. `token_hash` is the SHA-256 of the token, in hexadecimal. The token itself is
 * only in the mail.
 */
export const signInTokens = pgTable(
  "sign_in_tokens",
  {
    tokenHash: text("token_hash").primaryKey(),
    email: text("email").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    index("sign_in_tokens_expired").on(table.expiresAt),
    index("sign_in_tokens_email").on(table.email),
    check("sign_in_tokens_email_form", isEmailAddress(table.email)),
  ],
);

/**
 * When magic links were asked for within the last hour. `key` is a keyed hash of an e-mail address or of a network, or
 * `installation`, of which each row is a mail.
 */
export const signInRequests = pgTable(
  "sign_in_requests",
  {
    key: text("key").notNull(),
    askedAt: instant("asked_at").notNull(),
    id: uuid("id").notNull().defaultRandom(),
  },
  (table) => [
    // Led by what is searched.
    primaryKey({ name: "sign_in_requests_pkey", columns: [table.key, table.askedAt, table.id] }),
    index("sign_in_requests_asked").on(table.askedAt),
  ],
);
