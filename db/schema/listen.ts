import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { EXCHANGE_STATES, LISTENER_SCOPES } from "#domain/listeners.ts";
import { bytea, environment, instant, isOneOf, NOW } from "./columns.ts";

// Both tables are unlogged (in the migration, since drizzle cannot say so): their rows live for seconds and mean nothing
// on another server. After a crash of the server they are empty.

/**
 * The listeners of accounts, each the target of test deliveries while its stream is open and shortly after. A listener is
 * alive until `lease_until`, by the database's clock. Whether its account allows the scope `all` is checked when it is
 * opened and with each renewal: dispatchers trust a lease.
 */
export const listeners = pgTable(
  "listeners",
  {
    id: uuid("id").primaryKey(),
    accountId: uuid("account_id").notNull(),
    /** The API key that opened it, or that resumed it last. */
    keyId: uuid("key_id").notNull(),
    scope: text("scope", { enum: LISTENER_SCOPES }).notNull(),
    /** Prefixes of the paths that it takes; empty for all. */
    paths: text("paths").array().notNull(),
    /** Grows each time another stream resumes it. A stream with an older epoch was replaced. */
    epoch: integer("epoch").notNull().default(1),
    leaseUntil: instant("lease_until").notNull(),
    createdAt: instant("created_at").notNull().default(NOW),
  },
  (table) => [
    index("listeners_account").on(table.accountId, table.leaseUntil),
    index("listeners_lease").on(table.leaseUntil),
    check("listeners_scope_known", isOneOf(table.scope, LISTENER_SCOPES)),
  ],
);

/**
 * Attempts that are delivered to a listener and not to a socket: waiting → handed → answered | over, each by one
 * conditional UPDATE. Request and answer are sealed, and erased as soon as nobody needs them; what is left of the row is
 * deleted a few seconds after the deadline, so that an answer that comes again can be told from an unknown one.
 */
export const listenExchanges = pgTable(
  "listen_exchanges",
  {
    /** In the order in which they were written. */
    id: uuid("id").primaryKey(),
    accountId: uuid("account_id").notNull(),
    env: environment(),
    scheduleId: uuid("schedule_id").notNull(),
    attempt: integer("attempt").notNull(),
    /** Whether the target is reserved for listeners, so that a listener of any scope may take it. */
    isReserved: boolean("is_reserved").notNull(),
    /** The path of the target without its query, which prefixes are compared with. */
    path: text("path").notNull(),
    /** Until it is answered or over; sealed (domain/listen-exchange.ts). */
    request: bytea("request"),
    state: text("state", { enum: EXCHANGE_STATES }).notNull().default("waiting"),
    /** The listener that got it, and the epoch of the stream that it was sent on. */
    listenerId: uuid("listener_id"),
    listenerEpoch: integer("listener_epoch"),
    /** It is neither handed nor answered later. */
    deadline: instant("deadline").notNull(),
    /** From the answer until its dispatcher has read it; sealed. */
    answer: bytea("answer"),
  },
  (table) => [
    index("listen_exchanges_open").on(table.accountId, table.id).where(sql`state in ('waiting', 'handed')`),
    index("listen_exchanges_deadline").on(table.deadline),
    check("listen_exchanges_env_test", sql`${table.env} = 'test'`),
    check("listen_exchanges_state_known", isOneOf(table.state, EXCHANGE_STATES)),
    check(
      "listen_exchanges_handed_to_one",
      sql`${table.state} not in ('handed', 'answered') or ${table.listenerId} is not null`,
    ),
    check(
      "listen_exchanges_request_while_open",
      sql`(${table.request} is not null) = (${table.state} in ('waiting', 'handed'))`,
    ),
    check("listen_exchanges_answer_when_answered", sql`${table.answer} is null or ${table.state} = 'answered'`),
  ],
);
