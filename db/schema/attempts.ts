import { sql } from "drizzle-orm";
import { bigint, check, index, integer, pgTable, primaryKey, real, smallint, text, uuid } from "drizzle-orm/pg-core";
import { ATTEMPT_CARRIERS, ATTEMPT_OUTCOMES } from "#domain/attempt-outcome.ts";
import { environment, instant, isOneOf } from "./columns.ts";

/**
 * One row per attempt, partitioned by day of `attempted_at` (in the migration, since drizzle cannot say so). The
 * primary key must contain the partition key, so it would allow a second row of one attempt. The fenced record
 * statement does not write one.
 */
export const attempts = pgTable(
  "attempts",
  {
    scheduleId: uuid("schedule_id").notNull(),
    attempt: integer("attempt").notNull(),
    attemptedAt: instant("attempted_at").notNull(),
    accountId: uuid("account_id").notNull(),
    env: environment(),
    outcome: text("outcome", { enum: ATTEMPT_OUTCOMES }).notNull(),
    statusCode: smallint("status_code"),
    latencyMs: integer("latency_ms").notNull(),
    errorText: text("error_text").notNull(),
    lateMs: real("late_ms"),
    claimMs: real("claim_ms"),
    waitMs: real("wait_ms"),
    connectMs: real("connect_ms"),
    firstByteMs: real("first_byte_ms"),
    /** Who carried the request: null for a connection to its target. */
    via: text("via", { enum: ATTEMPT_CARRIERS }),
  },
  (table) => [
    primaryKey({ columns: [table.scheduleId, table.attempt, table.attemptedAt] }),
    // Each row is in one of the two indexes.
    index("attempts_delivered")
      .on(table.accountId, table.env, table.attemptedAt, table.scheduleId, table.attempt)
      .where(sql`outcome = 'delivered'`),
    index("attempts_undelivered")
      .on(table.accountId, table.env, table.attemptedAt, table.scheduleId, table.attempt, table.statusCode)
      .where(sql`outcome <> 'delivered'`),
    index("attempts_late")
      .on(table.accountId, table.env, table.lateMs, table.scheduleId, table.attempt, table.attemptedAt)
      .concurrently(),
    check("attempts_outcome_known", isOneOf(table.outcome, ATTEMPT_OUTCOMES)),
    check(
      "attempts_status_code_when_answered",
      sql`(${table.statusCode} is not null) = (${table.outcome} in ('delivered', 'rejected'))`,
    ),
  ],
);

/**
 * Per account and hour: how attempts ended (`outcome`, by class of the status code) and how late first attempts were
 * (`offset`).
 */
export const accountCounts = pgTable(
  "account_counts",
  {
    accountId: uuid("account_id").notNull(),
    env: environment(),
    hour: instant("hour").notNull(),
    kind: text("kind").$type<"outcome" | "offset">().notNull(),
    /**
     * Of `offset`: a bucket of domain/punctuality.ts. Of `outcome`: the first digit of the status code, 0 for no
     * answer, -1 for interrupted.
     */
    bucket: smallint("bucket").notNull(),
    n: bigint("n", { mode: "number" }).notNull(),
    minMs: bigint("min_ms", { mode: "number" }),
    maxMs: bigint("max_ms", { mode: "number" }),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.env, table.hour, table.kind, table.bucket] }),
    index("account_counts_outcomes").on(table.accountId, table.env, table.hour).where(sql`kind = 'outcome'`),
    check("account_counts_kind_known", sql`${table.kind} in ('outcome', 'offset')`),
  ],
);

/** Live first attempts per shard and quarter of an hour: the public figures, without a row per account. */
export const shardPunctuality = pgTable(
  "shard_punctuality",
  {
    shard: smallint("shard").notNull(),
    /** When the quarter begins. */
    startsAt: instant("starts_at").notNull(),
    bucket: smallint("bucket").notNull(),
    n: bigint("n", { mode: "number" }).notNull(),
    onTime: bigint("on_time", { mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.shard, table.startsAt, table.bucket] })],
);
