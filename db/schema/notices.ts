import { sql } from "drizzle-orm";
import { bigint, check, index, integer, jsonb, pgTable, smallint, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import type { DeadNotice, Deaths } from "#domain/death-notices.ts";
import type { QuotaNotice } from "#domain/quota-notices.ts";
import type { SecurityNotice } from "#domain/security-events.ts";
import { instant } from "./columns.ts";

/** Live schedules that died and are in no death group yet. A trigger enters them, and the dispatcher takes them out. */
export const deadSchedules = pgTable("dead_schedules", {
  scheduleId: uuid("schedule_id").primaryKey(),
  accountId: uuid("account_id").notNull(),
  diedAt: instant("died_at").notNull(),
});

/**
 * Per account: the deaths that wait for their notice, and the instants from which its due time follows
 * (`domain/death-notices.ts`).
 */
export const deathGroups = pgTable(
  "death_groups",
  {
    accountId: uuid("account_id").primaryKey(),
    waiting: jsonb("waiting").$type<Deaths>(),
    lastDeathAt: instant("last_death_at"),
    lastNoticeAt: instant("last_notice_at"),
    intervalMs: bigint("interval_ms", { mode: "number" }),
    /** Null while no death waits. */
    dueAt: instant("due_at"),
  },
  (table) => [
    index("death_groups_due").on(table.dueAt).where(sql`due_at is not null`),
    check("death_groups_due_while_waiting", sql`(${table.dueAt} is null) = (${table.waiting} is null)`),
  ],
);

/**
 * Notices to owners, sent or waiting to be sent. The content is fixed when the notice is made; a security notice collects
 * further events until it is first tried.
 */
export const notices = pgTable(
  "notices",
  {
    id: uuid("id").primaryKey(),
    accountId: uuid("account_id").notNull(),
    kind: text("kind").$type<"dead" | "quota" | "security">().notNull(),
    content: jsonb("content").$type<DeadNotice | QuotaNotice | SecurityNotice>().notNull(),
    /** Of a notice on the quota: the month (YYYYMM) and the percentage. */
    period: text("period"),
    level: smallint("level").$type<80 | 100 | 110>(),
    createdAt: instant("created_at").notNull(),
    attempts: integer("attempts").notNull().default(0),
    /** From when the notice may be claimed. While it is being sent: when its claim ends. */
    nextTryAt: instant("next_try_at").notNull(),
    /** Since when the provider may have accepted the notice without our knowing. */
    inDoubtSince: instant("in_doubt_since"),
    outcome: text("outcome").$type<"sent" | "given up">(),
    endedAt: instant("ended_at"),
  },
  (table) => [
    index("notices_waiting").on(table.nextTryAt).where(sql`outcome is null`),
    index("notices_of_account").on(table.accountId, table.outcome),
    uniqueIndex("notices_quota_once").on(table.accountId, table.period, table.level).where(sql`kind = 'quota'`),
    uniqueIndex("notices_security_collects")
      .on(table.accountId)
      .where(sql`kind = 'security' and attempts = 0 and outcome is null`),
    index("notices_created").on(table.createdAt),
    check("notices_kind_known", sql`${table.kind} in ('dead', 'quota', 'security')`),
    check(
      "notices_quota_has_level",
      sql`(${table.kind} = 'quota') = (${table.level} is not null and ${table.period} is not null)`,
    ),
    check("notices_level_known", sql`${table.level} in (80, 100, 110)`),
    check("notices_outcome_known", sql`${table.outcome} in ('sent', 'given up')`),
    check("notices_ended_with_outcome", sql`(${table.endedAt} is null) = (${table.outcome} is null)`),
  ],
);
