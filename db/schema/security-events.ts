import { sql } from "drizzle-orm";
import { check, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { SECURITY_ACTORS, SECURITY_EVENT_KINDS, type SecurityEventDetails } from "#domain/security-events.ts";
import { accounts } from "./accounts.ts";
import { instant, isOneOf } from "./columns.ts";

/**
 * The security log of accounts. Each event is written in the transaction of the act. Refused credentials are one row for
 * a credential and hour (`hour`), with how often and when last.
 */
export const securityEvents = pgTable(
  "security_events",
  {
    id: uuid("id").primaryKey(),
    accountId: uuid("account_id")
      .notNull()
      .references(() => accounts.id, { onDelete: "cascade" }),
    kind: text("kind", { enum: SECURITY_EVENT_KINDS }).notNull(),
    at: instant("at").notNull(),
    /** Of a group: when it happened last. */
    lastAt: instant("last_at").notNull(),
    times: integer("times").notNull().default(1),
    hour: instant("hour"),
    /** Null where nobody was authenticated. */
    actor: text("actor", { enum: SECURITY_ACTORS }),
    /** The key or session with which it was done. */
    actorId: uuid("actor_id"),
    /** The key or session that it was done to. */
    subjectId: uuid("subject_id"),
    details: jsonb("details").$type<SecurityEventDetails>().notNull(),
    network: text("network"),
    userAgent: text("user_agent"),
  },
  (table) => [
    index("security_events_account").on(table.accountId, table.at, table.id),
    index("security_events_kind").on(table.accountId, table.kind, table.at),
    uniqueIndex("security_events_refused")
      .on(table.accountId, table.subjectId, table.hour)
      .where(sql`hour is not null`),
    index("security_events_at").on(table.at),
    check("security_events_kind_known", isOneOf(table.kind, SECURITY_EVENT_KINDS)),
    check("security_events_actor_known", isOneOf(table.actor, SECURITY_ACTORS)),
  ],
);
